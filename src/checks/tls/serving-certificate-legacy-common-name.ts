import { serverHost } from '../../apiserver/certificate/server-host.ts';
import { advise } from '../../facts/advice.ts';
import { extents, ofKind, toldFault } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateLegacyCommonName = defineCheck({
  meta: {
    id: 'serving-certificate-legacy-common-name',
    link: 'tls',
    title: 'The serving certificate has its name in the common name only',
    severity: 'error',
    consequence: 'failing',
    explains: { 'certificate-warning': 1, 'legacy-common-name': 1 },
    why: 'Since Go 1.15 (Kubernetes 1.19) the common name does not count; since 1.23 nothing brings it back. The call ends in `x509: certificate relies on legacy Common Name field, use SANs instead`.',
    advice: advise`Issue it for ${{ code: '{host}' }} as a DNS subject alternative name (with cert-manager \`spec.dnsNames\`), and let the replicas take it up.`,
    noRemedy: 'needs-its-authority',
    messages: extents('{what} has no subject alternative names, only the common name {name}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('legacy-common-name'));
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        { what: told.what, name: told.first.fault.certificate?.subject.commonName ?? '' },
        told.evidence,
        { host: serverHost(callout) },
        told.confidence,
      ),
    );
  },
});
