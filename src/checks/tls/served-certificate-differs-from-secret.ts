import { parseChain } from '../../apiserver/certificate/parse-chain.ts';
import { advise } from '../../facts/advice.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import {
  certificateOwnerText,
  chainSays,
  described,
  wordsFor,
} from '../../serving-certificates/certificate-faults.ts';
import {
  type CertificateChain,
  type ChainFacts,
  chainFacts,
  chainsOf,
  lookedAt,
  metChains,
  verdictOn,
} from '../../serving-certificates/chains.ts';
import { type ServingSecret, servingSecret } from '../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../check.ts';

const leafOf = ({ presented }: CertificateChain): string =>
  Buffer.from(presented[0] ?? []).toString('base64');

/**
 * True where a process may have read the Secret before it was renewed: what it serves is the older certificate, and its
 * container started before the last write, as far as both are known.
 */
function mayBeOutdated(
  callout: Callout,
  { presented, pod }: CertificateChain,
  { chain, secret }: ServingSecret,
  { pods, version }: ChainFacts,
): boolean {
  const [[now], [next]] = [parseChain(presented, version), parseChain(chain, version)];
  if (now === undefined || next === undefined || now.notBefore.at > next.notBefore.at) return false;
  const written = secret?.writers?.[0]?.at;
  const all = isServiceBacked(callout) ? pods.getIfKnown(keyOf(callout.client.service)) : [];
  const { status } = all?.find(({ metadata }) => metadata.name === pod) ?? {};
  const started = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
  return written === undefined || started.length === 0 || started.some((at) => at <= written);
}

export const servedCertificateDiffersFromSecret = defineCheck({
  meta: {
    id: 'served-certificate-differs-from-secret',
    link: 'tls',
    title: 'Replicas do not serve the certificate in their Secret',
    severity: 'warning',
    explains: {
      'client-rejects-certificate': 3,
      'unknown-authority': 3,
      'regenerated-authority': 2,
      expired: 2,
    },
    why: 'The Secret was renewed and the processes still serve what they loaded before: the kubelet updates a mounted Secret within about two minutes (never with subPath), and many programs read the files once. Calls succeed until the old certificate expires or its CA is removed from the caBundle.',
    advice: advise`Check first that the caBundle trusts the new certificate. If the difference lasts longer than two minutes, restart the Pods: ${'kubectl -n {namespace} rollout restart {workload}'}.`,
    messages: {
      notReloaded: {
        text: '{what} was replaced in {kept}, and the process has not loaded the new one',
        severity: 'error',
        consequence: 'failing',
      },
      someNotReloaded: {
        text: '{what} was replaced in {kept}, and the process has not loaded the new one; other Pods are accepted',
        severity: 'error',
        consequence: 'degraded',
      },
      accepted: {
        text: '{kept} holds another certificate than the replicas serve, until {day}: they have not loaded it',
        explains: false,
      },
      rejected: {
        text: '{kept} holds another certificate than the replicas serve, and the API server would reject it: calls fail after the next restart ({words})',
        explains: false,
      },
    },
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const served = metChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const serving = servingSecret(callout, facts);
    const lying = serving?.chain[0]?.toString('base64');
    const behind = served.filter((chain) => leafOf(chain) !== lying);
    const [first] = behind;
    if (serving === undefined || lying === undefined || first === undefined) return undefined;
    const verdict = verdictOn(callout, serving.chain, facts);
    const [inSecret] = parseChain(serving.chain, facts.version);
    const { kind, kept, namespace, name } = serving;
    const says = {
      object: { kind, namespace, name },
      field: `data[${serving.certificateKey}]`,
      value: inSecret === undefined ? 'a certificate that Go cannot read' : described(inSecret),
    };
    const old = behind.filter(
      (chain) => chain.verdict.outcome === 'rejected' && mayBeOutdated(callout, chain, serving, facts),
    );
    const [outdated] = old;
    if (verdict.outcome === 'accepted' && outdated !== undefined) {
      const all = served.every((chain) => chain.verdict.outcome === 'rejected');
      const words = wordsFor(outdated);
      const what = certificateOwnerText(old, served);
      const evidence = [...old.slice(0, 4).map((chain) => chainSays(chain, facts.version)), says];
      const message = all ? 'notReloaded' : 'someNotReloaded';
      const found = find(message, { what, kept }, evidence, 'observed');
      return words === undefined ? found : { ...found, words };
    }
    if (new Set(served.map(leafOf)).size > 1) return undefined;
    const evidence = [chainSays(first, facts.version), says];
    if (verdict.outcome === 'rejected') {
      const words = wordsFor({ ...first, verdict }) ?? verdict.faults[0].text;
      return find('rejected', { kept, words }, evidence, 'observed');
    }
    const [now] = parseChain(first.presented, facts.version);
    return find('accepted', { kept, day: now?.notAfter.text.slice(0, 10) ?? '?' }, evidence, 'observed');
  },
});
