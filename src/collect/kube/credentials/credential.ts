import { ConnectionProblem, type KeyPair } from '../kubeconfig/connection.ts';

/**
 * Encodes UTF-8 for HTTP headers: Node writes headers as Latin-1, Go writes the bytes of the text. Undefined
 * if the text cannot be a header value (a line break, another control character).
 */
export function headerText(text: string): string | undefined {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return undefined;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The authentication data of one request. Must not be logged or thrown. */
export interface Credential {
  readonly authorization: string | undefined;
  readonly clientCertificate: KeyPair | undefined;
  /** Texts that must not appear in any output. */
  readonly secrets: readonly string[];
}

/** Supplies credentials during a run. */
export interface Credentials {
  /** Returns the credential for the next request. Throws ConnectionProblem if there is none. */
  current(): Promise<Credential>;
  /** Renews a credential after a 401. True if another one replaced `refused`: a retry can succeed. */
  renew(refused: Credential): Promise<boolean>;
}

/** Only the client certificate, if there is one. */
export function silent(clientCertificate: KeyPair | undefined): Credential {
  return { authorization: undefined, clientCertificate, secrets: [] };
}

/** A bearer token. */
export function bearer(token: string, clientCertificate: KeyPair | undefined): Credential {
  const text = headerText(token);
  if (text !== undefined) return { authorization: `Bearer ${text}`, clientCertificate, secrets: [token] };
  throw new ConnectionProblem(
    'the token holds a line break or another control character',
    'Copy it again as one line.',
  );
}

/** A user name and a password. */
export function userAndPassword(
  username: string,
  password: string,
  clientCertificate: KeyPair | undefined,
): Credential {
  const authorization = basic(username, password);
  return { authorization, clientCertificate, secrets: [authorization.slice('Basic '.length), password] };
}

/** Value of an (Proxy-)Authorization header, UTF-8. Source: RFC 7617. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
