import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as tls from 'node:tls';
import { type Connection, ConnectionProblem, type KeyPair } from './connection.ts';

/**
 * Verifies the API server as Go does: trusts only the given CAs (any certificate among them is an anchor),
 * and takes names only from the SAN. Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot weaken it.
 */
export function tlsOptions(connection: Connection, pair: KeyPair | undefined): tls.ConnectionOptions {
  const name = connection.tlsServerName ?? connection.server.hostname.replace(/^\[|\]$/g, '');
  return {
    secureContext: secureContext(trusted(connection), pair),
    rejectUnauthorized: !connection.insecureSkipTlsVerify,
    // An IP address is not sent as server name (RFC 6066), and Node rejects it.
    servername: isIP(name) ? '' : name,
    checkServerIdentity: (_host, certificate) => checkName(name, certificate.raw),
    ALPNProtocols: ['http/1.1'],
  };
}

function secureContext(trust: readonly string[] | undefined, pair: KeyPair | undefined): tls.SecureContext {
  const options: tls.SecureContextOptions & { allowPartialTrustChain: boolean } = {
    minVersion: 'TLSv1.2',
    allowPartialTrustChain: true,
    ...(trust ? { ca: [...trust] } : {}),
  };
  try {
    return tls.createSecureContext(pair ? { ...options, cert: pair.certificate, key: pair.key } : options);
  } catch (error) {
    if (!pair) throw error;
    const encrypted = /ENCRYPTED/.test(pair.key);
    throw new ConnectionProblem(
      encrypted
        ? 'the client key is encrypted'
        : 'the client certificate and its key cannot be used: they do not match, or are not PEM',
      encrypted
        ? 'Store it decrypted, as kubectl requires, too.'
        : 'Check client-certificate and client-key of the user in the kubeconfig.',
    );
  }
}

/**
 * Without given CAs, trusts those of the operating system, as Go does; if Node cannot read them, those of
 * Node.
 */
function trusted({ trust, insecureSkipTlsVerify }: Connection): readonly string[] | undefined {
  // Reading the system's certificates takes 40 ms, and is unnecessary without verification.
  if (trust || insecureSkipTlsVerify) return trust ?? [];
  const system = tls.getCACertificates?.('system') ?? [];
  return system.length > 0 ? system : undefined;
}

function checkName(name: string, raw: Buffer): Error | undefined {
  const certificate = new X509Certificate(raw);
  const matches = isIP(name)
    ? certificate.checkIP(name)
    : certificate.checkHost(name, { subject: 'never', partialWildcards: false });
  if (matches !== undefined) return undefined;
  const valid = certificate.subjectAltName ?? 'no names at all';
  return Object.assign(new Error(`certificate is valid for ${valid}, not ${name}`), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
}
