import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from 'node:tls';
import type { Certificate } from './options.ts';

/** Reads the pair; throws the file system's own error where a file is missing. */
export function readCertificate(certificate: Certificate): { cert: string; key: string } {
  if ('cert' in certificate) return certificate;
  const read = (name: string) => readFileSync(join(certificate.folder, name), 'utf8');
  return { cert: read('tls.crt'), key: read('tls.key') };
}

/**
 * Looks five times a second for changed files and gives them to the server; returns how to stop. A kubelet renews a mounted
 * Secret by turning a link, which file watchers miss. A pair that does not fit is left alone until it does.
 */
export function followCertificate(server: Server, certificate: Certificate, extra: object): () => void {
  let current = readCertificate(certificate);
  const timer = setInterval(() => {
    try {
      const next = readCertificate(certificate);
      if (next.cert === current.cert && next.key === current.key) return;
      server.setSecureContext({ ...extra, ...next });
      current = next;
    } catch {
      // Half-written, or gone: the old pair keeps serving.
    }
  }, 200);
  timer.unref();
  return () => clearInterval(timer);
}
