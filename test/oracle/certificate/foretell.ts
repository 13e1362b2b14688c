import {
  type PresentedCertificates,
  verifyServerCertificate,
} from '../../../src/apiserver/certificate/verify/verify-server-certificate.ts';

/** The model's prediction of the API server's error; empty: accepted. */
export function foretell(asked: Omit<PresentedCertificates, 'serverVersion'>, serverVersion: string): string {
  const verdict = verifyServerCertificate({ ...asked, serverVersion });
  if (verdict.outcome === 'accepted') return '';
  return verdict.error ?? 'no words';
}
