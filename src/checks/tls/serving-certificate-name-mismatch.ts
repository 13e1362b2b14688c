import { advise } from '../../facts/advice.ts';
import { certificateNames } from '../../serving-certificates/names.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNameMismatch = certificateFaultCheck({
  id: 'serving-certificate-name-mismatch',
  title: 'The serving certificate is for other names',
  explains: { 'client-rejects-certificate': 6, 'name-mismatch': 1 },
  why: 'The API server asks for `SERVICE.NAMESPACE.svc`, without the cluster domain and without the port, or for the host of the URL; a common name does not count, a wildcard stands for one whole label. The call ends in `x509: certificate is valid for …, not …`.',
  advice: advise`Issue it for ${{ code: '{host}' }} as a DNS subject alternative name (with cert-manager \`spec.dnsNames\`), and let the replicas take it up.`,
  kinds: ['name-mismatch'],
  text: '{what} is for {names}, and the API server asks for {host}',
  data: ({ fault }) => ({ names: certificateNames(fault.certificate) }),
});
