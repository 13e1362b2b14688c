import { serverHost } from '../../apiserver/certificate/server-host.ts';
import { advise } from '../../facts/advice.ts';
import { extents, ofKind, toldFault } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { certificateNames } from '../../serving-certificates/names.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateNameMismatch = defineCheck({
  meta: {
    id: 'serving-certificate-name-mismatch',
    link: 'tls',
    title: 'The serving certificate is for other names',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-rejects-certificate': 5, 'name-mismatch': 1 },
    why: 'The API server asks for `SERVICE.NAMESPACE.svc`, without the cluster domain and without the port, or for the host of the URL; a common name does not count, a wildcard stands for one whole label. The call ends in `x509: certificate is valid for …, not …`.',
    advice: advise`Issue it for ${{ code: '{host}' }} as a DNS subject alternative name (with cert-manager \`spec.dnsNames\`), and let the replicas take it up.`,
    messages: extents('{what} is for {names}, and the API server asks for {host}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('name-mismatch'));
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        {
          what: told.what,
          names: certificateNames(told.first.fault.certificate),
          host: serverHost(callout) ?? '',
        },
        told.evidence,
        { host: serverHost(callout) },
        told.confidence,
      ),
    );
  },
});
