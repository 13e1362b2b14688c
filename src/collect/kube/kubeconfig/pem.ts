import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConnectionProblem } from './connection.ts';

/** Reads PEM of a kubeconfig: base64 data precedes a file. Undefined: neither. Errors contain `what`. */
export function readKubeconfigPem(
  what: string,
  data: string | undefined,
  file: string | undefined,
): string | undefined {
  if (data !== undefined) return decodeBase64(what, data);
  return file === undefined ? undefined : readTextFile(what, file);
}

/** Why the operating system did not read a file, in words. */
export function whyUnreadable(error: unknown): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  return (
    { ENOENT: 'it does not exist', EACCES: 'permission denied', EISDIR: 'it is a directory' }[code] ?? code
  );
}

/** Reads a file that a kubeconfig or a flag names. */
export function readTextFile(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConnectionProblem(
      `the ${what} ${file} cannot be read: ${whyUnreadable(error)}`,
      'Check the path; in a kubeconfig it is relative to the kubeconfig itself.',
    );
  }
}

/**
 * Returns the certificates of a CA bundle that can be parsed; others are skipped, unless none can be parsed.
 * Source: crypto/x509, CertPool.AppendCertsFromPEM.
 */
export function caCertificates(what: string, pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  const readable = blocks.filter(isCertificate);
  if (readable.length > 0) return readable;
  throw new ConnectionProblem(
    `the ${what} holds ${blocks.length === 0 ? 'no PEM certificate' : 'no certificate that can be parsed'}`,
    "Put the CA's certificate there, as PEM; the kubeconfig of a working machine has it.",
  );
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function decodeBase64(what: string, data: string): string {
  const text = data.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new ConnectionProblem(
      `the ${what}-data is not valid base64`,
      'Copy the kubeconfig again; the value must be one unbroken base64 text.',
    );
  return Buffer.from(text, 'base64').toString('utf8');
}
