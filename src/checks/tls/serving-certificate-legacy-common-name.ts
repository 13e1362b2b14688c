import { advise } from '../../facts/advice.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateLegacyCommonName = certificateFaultCheck({
  id: 'serving-certificate-legacy-common-name',
  title: 'The serving certificate has its name in the common name only',
  explains: { 'certificate-warning': 1, 'client-rejects-certificate': 7, 'legacy-common-name': 1 },
  why: 'Since Go 1.15 (Kubernetes 1.19) the common name does not count; since 1.23 nothing brings it back. The call ends in `x509: certificate relies on legacy Common Name field, use SANs instead`.',
  advice: advise`Issue it for ${{ code: '{host}' }} as a DNS subject alternative name (with cert-manager \`spec.dnsNames\`), and let the replicas take it up.`,
  noRemedy: 'needs-its-authority',
  kinds: ['legacy-common-name'],
  text: '{what} has no subject alternative names, only the common name {name}',
  data: ({ fault }) => ({ name: fault.certificate?.subject.commonName ?? '' }),
});
