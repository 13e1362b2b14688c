import { verifyServerCertificate } from '../../../src/apiserver/certificate/verify-server-certificate.ts';
import type { CertificateCase } from './oracle-case.ts';

/** What the model says that the API server says; the empty text means accepted. */
export function foretell(asked: CertificateCase, serverVersion: string): string {
  const verdict = verifyServerCertificate({ ...asked, serverVersion });
  if (verdict.outcome === 'accepted') return '';
  return verdict.error ?? 'no words';
}
