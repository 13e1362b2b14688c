import { certificateNames, nameSettings } from '../../serving-certificates/names.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNameMismatch = certificateFaultCheck({
  id: 'serving-certificate-name-mismatch',
  title: 'Serving certificate is for other names',
  explains: {
    'client-rejects-certificate': 4,
    'name-mismatch': 1,
    'certificate-of-other-server': 3,
    'certificate-of-other-service': 1,
    'trust-cut': 4,
  },
  why: 'The API server verifies `SERVICE.NAMESPACE.svc`, without cluster domain and port, or the host of the URL, against the subject alternative names; a wildcard matches exactly one label, and the common name is ignored. The call fails with `x509: certificate is valid for …, not …`.',
  advice:
    'Issue the certificate with `{host}` as a DNS subject alternative name (cert-manager: `spec.dnsNames`), or correct the argument or variable that sets the names: `kubectl -n {namespace} edit {workload}`. If the process does not load the new certificate by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. If another server of the Pod responds instead (metrics, health), correct `targetPort`: `kubectl -n {namespace} edit service {service}`.',
  kinds: ['name-mismatch'],
  text: '{certificate} is for {names}, not for {host}, the name that the API server requires',
  origin: ({ certificate }, callout, facts) =>
    certificate === undefined ? [] : nameSettings(callout, certificate, facts),
  data: ({ fault }) => ({ names: certificateNames(fault.certificate) }),
  references: [
    '/docs/reference/access-authn-authz/extensible-admission-controllers/#service-reference',
    '/docs/tasks/administer-cluster/certificates/#openssl',
  ],
});
