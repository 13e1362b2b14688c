import { advise } from '../../facts/advice.ts';
import { chainSays } from '../../serving-certificates/certificate-faults.ts';
import {
  type CertificateChain,
  chainFacts,
  chainsOf,
  lookedAt,
  metChains,
} from '../../serving-certificates/chains.ts';
import { servingSecret } from '../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../check.ts';

const leafOf = ({ presented }: CertificateChain): string =>
  Buffer.from(presented[0] ?? []).toString('base64');

const namesText = (chains: readonly CertificateChain[]): string => {
  const names = chains.map(({ pod, endpoint }) => pod ?? endpoint ?? '');
  return names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
};

export const replicasServeDifferentCertificates = defineCheck({
  meta: {
    id: 'replicas-serve-different-certificates',
    link: 'tls',
    title: 'A new certificate has reached some replicas only',
    severity: 'warning',
    explains: { 'regenerated-authority': 3, 'unknown-authority': 6 },
    why: 'Replicas that mount one Secret serve what it held when they read it: those that do not watch the file keep the old certificate until they restart. Each call meets one of them; once the caBundle fits only one of the two, a share of the calls fails. Replicas that make or order a certificate each are different for good, and it does no harm while the caBundle accepts them all.',
    advice: advise`Restart those that are behind: ${'kubectl -n {namespace} rollout restart {workload}'}. For the next time: let the process watch its files (controller-runtime’s certwatcher, \`--reload\`), or restart it when the Secret changes.`,
    messages: {
      someRejected: {
        text: 'Replicas serve {count} different certificates, and the API server rejects those of {rejected}',
        severity: 'error',
        consequence: 'degraded',
      },
      behind: 'Replicas serve {count} different certificates; {behind} do not serve what {kept} holds',
      different: {
        text: 'Replicas serve {count} different certificates, and the caBundle accepts each',
        severity: 'info',
        explains: false,
      },
    },
    follows: ['served-certificate-differs-from-secret'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const met = metChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const count = new Set(met.map(leafOf)).size;
    const rejected = met.filter(({ verdict }) => verdict.outcome === 'rejected');
    // When all are rejected, each fault says whose it is.
    if (count < 2 || rejected.length === met.length) return undefined;
    const evidence = met.slice(0, 6).map((chain) => chainSays(chain, facts.version));
    if (rejected.length > 0) {
      return find('someRejected', { count, rejected: namesText(rejected) }, evidence, 'observed');
    }
    const serving = servingSecret(callout, facts);
    const kept = serving?.chain[0]?.toString('base64');
    const behind = met.filter((chain) => leafOf(chain) !== kept);
    if (serving === undefined || kept === undefined || behind.length === met.length) {
      return find('different', { count }, evidence, 'observed');
    }
    return find('behind', { count, behind: namesText(behind), kept: serving.kept }, evidence, 'observed');
  },
});
