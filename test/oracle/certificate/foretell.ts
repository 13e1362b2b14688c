import {
  type Presented,
  verifyServerCertificate,
} from '../../../src/apiserver/certificate/verify-server-certificate.ts';

/** What the model says that the API server says; the empty text means accepted. */
export function foretell(asked: Omit<Presented, 'serverVersion'>, serverVersion: string): string {
  const verdict = verifyServerCertificate({ ...asked, serverVersion });
  if (verdict.outcome === 'accepted') return '';
  return verdict.error ?? 'no words';
}
