import { parseChain } from '../../apiserver/certificate/parse/parse-chain.ts';
import { chainEvidence } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, knownChains, withExaminedCertificates } from '../../serving-certificates/chains.ts';
import { renewalOf } from '../../serving-certificates/renewed-by.ts';
import { servingSecret } from '../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../check.ts';

/** A certificate with this lifetime needs no renewal. */
const forever = 20 * 365 * 24 * 60 * 60 * 1000;

export const certificateRotatedByNobody = defineCheck({
  meta: {
    id: 'certificate-rotated-by-nobody',
    title: 'No process renews the serving certificate',
    severity: 'info',
    aboutCertificates: true,
    why: 'It was written once, by hand or by an installation. Nothing shows a process that renews it: no Certificate of cert-manager, no annotation, no known product, no controller that owns the Secret. On its expiry date every call fails.',
    advice:
      'Let cert-manager issue it (a `Certificate` with this Secret as `secretName`, and `cert-manager.io/inject-ca-from` on the configuration), or add its expiry to a calendar: `kubectl webhook cert-check --calendar`.',
    noRemedy: 'needs-its-authority',
    messages: {
      nobody: 'No process is known to renew the certificate in {secretOrConfigMap}, which expires on {day}',
      upgrade:
        'The certificate in {secretOrConfigMap} expires on {day}; only an installation or upgrade of {by} renews it',
    },
    references: [
      '/docs/concepts/configuration/secret/#tls-secrets',
      'https://cert-manager.io/docs/usage/certificate/',
    ],
  },
  requires: [...chainFacts, 'certificates'],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const { kind, by } = renewalOf(callout, facts);
    if (kind !== 'nobody' && kind !== 'upgrade') return undefined;
    const [chain] = knownChains(callout, facts);
    const [leaf] = chain === undefined ? [] : parseChain(chain.presented, facts.version);
    const secretOrConfigMap = servingSecret(callout, facts)?.secretOrConfigMap;
    if (chain === undefined || leaf === undefined || secretOrConfigMap === undefined) return undefined;
    if (leaf.notAfter.at - Date.parse(facts.takenAt) > forever) return undefined;
    const data = { secretOrConfigMap, day: leaf.notAfter.text.slice(0, 10), by };
    return find(kind, data, [chainEvidence(chain, facts.version)], chain.confidence);
  },
});
