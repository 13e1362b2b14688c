import { parseChain } from '../../apiserver/certificate/parse-chain.ts';
import { advise } from '../../facts/advice.ts';
import { chainSays, described, wordsFor } from '../../serving-certificates/certificate-faults.ts';
import {
  type CertificateChain,
  chainFacts,
  chainsOf,
  lookedAt,
  metChains,
  verdictOn,
} from '../../serving-certificates/chains.ts';
import { servingSecret } from '../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../check.ts';

const leafOf = ({ presented }: CertificateChain): string =>
  Buffer.from(presented[0] ?? []).toString('base64');

export const servedCertificateDiffersFromSecret = defineCheck({
  meta: {
    id: 'served-certificate-differs-from-secret',
    link: 'tls',
    title: 'The replicas do not serve the certificate that their Secret holds',
    severity: 'warning',
    explains: { 'client-rejects-certificate': 6 },
    why: 'The Secret was renewed and the processes still serve what they read before: the kubelet brings a new Secret to the volume within about two minutes (never with subPath), and many programs read the files once. Calls go on until the old certificate expires or its authority leaves the caBundle.',
    advice: advise`If it does not heal within two minutes, restart the replicas: ${'kubectl -n {namespace} rollout restart {workload}'}. See first that the caBundle trusts the new certificate.`,
    messages: {
      accepted:
        '{kept} holds another certificate than the replicas serve, until {day}: they have not taken it up',
      rejected:
        '{kept} holds another certificate than the replicas serve, and the API server would reject it: the next restart breaks the calls ({words})',
    },
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const served = metChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const [first] = served;
    if (first === undefined || new Set(served.map(leafOf)).size > 1) return undefined;
    const serving = servingSecret(callout, facts);
    const lying = serving?.chain[0];
    if (serving === undefined || lying === undefined || lying.toString('base64') === leafOf(first))
      return undefined;
    const verdict = verdictOn(callout, serving.chain, facts);
    const [inSecret] = parseChain(serving.chain, facts.version);
    const { kind, kept, namespace, name } = serving;
    const object = { kind, namespace, name };
    const evidence = [
      chainSays(first, facts.version),
      {
        object,
        field: `data[${serving.certificateKey}]`,
        value: inSecret === undefined ? 'a certificate that Go cannot read' : described(inSecret),
      },
    ];
    if (verdict.outcome === 'rejected') {
      const words = wordsFor({ ...first, verdict }) ?? verdict.faults[0].text;
      return find('rejected', { kept, words }, evidence, 'observed');
    }
    const [now] = parseChain(first.presented, facts.version);
    return find('accepted', { kept, day: now?.notAfter.text.slice(0, 10) ?? '?' }, evidence, 'observed');
  },
});
