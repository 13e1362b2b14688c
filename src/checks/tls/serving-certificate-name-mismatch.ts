import { advise } from '../../facts/advice.ts';
import { certificateNames } from '../../serving-certificates/names.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNameMismatch = certificateFaultCheck({
  id: 'serving-certificate-name-mismatch',
  title: 'Serving certificate is for other names',
  explains: { 'client-rejects-certificate': 2, 'name-mismatch': 1 },
  why: 'The API server verifies the name `SERVICE.NAMESPACE.svc`, without cluster domain and port, or the host of the URL. The common name is ignored, and a wildcard matches exactly one label. The call fails with `x509: certificate is valid for …, not …`.',
  advice: advise`Issue the certificate with ${{ code: '{host}' }} as a DNS subject alternative name (cert-manager: \`spec.dnsNames\`). Restart the Pods if they do not load it by themselves.`,
  kinds: ['name-mismatch'],
  text: '{what} is for {names}, not for {host}, the name that the API server requires',
  data: ({ fault }) => ({ names: certificateNames(fault.certificate) }),
});
