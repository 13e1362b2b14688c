import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateLegacyCommonName = certificateFaultCheck({
  id: 'serving-certificate-legacy-common-name',
  title: 'Serving certificate has a common name but no SAN',
  why: 'The API server ignores the common name; since Kubernetes 1.23 no setting changes that. The call fails with `x509: certificate relies on legacy Common Name field, use SANs instead`.',
  advice:
    '[end] Issue the certificate with `{host}` as a DNS subject alternative name (cert-manager: `spec.dnsNames`). [end] If the process does not load it by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
  noRemedy: 'needs-its-authority',
  references: [
    'https://go.dev/doc/go1.15#commonname',
    '/docs/tasks/administer-cluster/certificates/#openssl',
  ],
  kinds: ['legacy-common-name'],
  text: '{certificate} has no subject alternative names, only the common name {name}',
  data: ({ fault }) => ({ name: fault.certificate?.subject.commonName ?? '' }),
});
