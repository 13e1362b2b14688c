import { ConnectionProblem, type KeyPair } from './connection.ts';

/**
 * UTF-8 as HTTP carries it: Node writes headers as Latin-1, Go writes the bytes of the text. Undefined where the text
 * cannot stand in a header at all (a line break, another control character).
 */
export function headerText(text: string): string | undefined {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return undefined;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** What one request proves itself with. Never to be logged or thrown. */
export interface Credential {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly clientCertificate: KeyPair | undefined;
  /** What must not appear in anything that is said. */
  readonly secrets: readonly string[];
}

/** A source of credentials over the time of a run. */
export interface Credentials {
  /** The credential for the next request. Throws ConnectionProblem where it cannot be had. */
  current(): Promise<Credential>;
  /** After a 401: true when `refused` was replaced by another credential, so that asking again makes sense. */
  renew(refused: Credential): Promise<boolean>;
}

/** Nothing but the client certificate, where there is one. */
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
