import type { Callout } from '../../../facts/callout.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { workloadArgument, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { listed } from '../../../phrases/lists.ts';
import { podByName } from '../../../pods/listening.ts';
import { chainEvidence } from '../../../serving-certificates/certificate-faults.ts';
import {
  type CertificateChain,
  chainFacts,
  chainsOf,
  reachableChains,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { isOfOtherAuthority } from '../../../serving-certificates/missing-link.ts';
import { leafOf, onlyLeaderReloads } from '../../../serving-certificates/reload.ts';
import { materialOf, servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, fatalForSome } from '../../check.ts';

const namesText = (chains: readonly CertificateChain[]): string =>
  listed(
    chains.map(({ pod, endpoint }) => pod ?? endpoint ?? ''),
    { most: 3 },
  );

/** True if the Pods mount neither a Secret nor a ConfigMap that could contain a serving certificate. */
const mountsNone = (...of: Parameters<typeof materialOf>): boolean => materialOf(...of)?.sources.length === 0;

/** The workload of the first Pod with such a chain. */
function workloadOf([first]: readonly CertificateChain[], callout: Callout, facts: Pick<Facts, 'pods'>) {
  const pod = podByName(first?.pod, knownPods(callout, facts));
  return { affected: pod && workloadArgument(workloadOfPod(pod)) };
}

export const replicasServeDifferentCertificates = defineCheck({
  meta: {
    id: 'replicas-serve-different-certificates',
    title: 'Pods serve different certificates',
    severity: 'warning',
    confidence: 'observed',
    why: 'A process that does not watch its mounted Secret serves the certificate that it loaded at its start. Some calls fail once the caBundle matches only one of the certificates. Replicas that each create their own certificate always differ, which is harmless while the caBundle accepts all of them.',
    advice:
      '[end] Restart the Pods that serve the old certificate: `kubectl -n {namespace} rollout restart {affected}`. [prevent] For the next renewal, let the process watch its files (controller-runtime’s certwatcher, `--reload`), or restart it when the Secret changes. [end] If each replica creates its own certificate, mount one Secret in all of them, or run one replica.',
    messages: {
      someRejected: fatalForSome(
        'Replicas serve {count} different certificates, and the API server rejects the certificate of {rejected}',
      ),
      ownAuthorities: fatalForSome(
        'Replicas serve certificates of different CAs, and mount no Secret with these certificates; the API server rejects the certificate of {rejected}',
        '[end] If all replicas read one Secret through the API, restart the replicas: `kubectl -n {namespace} rollout restart {workload}`. [end] If each replica creates its own CA, the caBundle matches only one: run one replica, and restart it, so that it writes its CA: `kubectl -n {namespace} scale {workload} --replicas=1`. [end] To run several replicas, mount one Secret in all of them.',
      ),
      behind:
        'Replicas serve {count} different certificates; the certificate in {secretOrConfigMap} is not served by {behind}',
      leaderReloaded:
        'Only the leader, Pod {leader}, serves the certificate in {secretOrConfigMap}: the other Pods have not loaded it ({behind})',
      different: {
        text: 'Replicas serve {count} different certificates, and the caBundle accepts each',
        severity: 'info',
        explains: false,
      },
    },
    follows: ['served-certificate-differs-from-secret', 'selector-covers-other-workload'],
    references: ['/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod'],
  },
  requires: [...chainFacts, 'leases'],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const reachable = reachableChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const count = new Set(reachable.map(leafOf)).size;
    const rejected = reachable.filter(({ verdict }) => verdict.outcome === 'rejected');
    // If all are rejected, each fault names its certificate.
    if (count < 2 || rejected.length === reachable.length) return undefined;
    const evidence = reachable.slice(0, 6).map((chain) => chainEvidence(chain, facts.version));
    if (rejected.length > 0) {
      const made =
        rejected.every((chain) => isOfOtherAuthority(facts, callout, chain)) && mountsNone(callout, facts);
      const message = made ? 'ownAuthorities' : 'someRejected';
      const data = { count, rejected: namesText(rejected) };
      return find(message, data, evidence, workloadOf(rejected, callout, facts));
    }
    const serving = servingSecret(callout, facts);
    const storedLeaf = serving?.chain[0]?.toString('base64');
    const behind = reachable.filter((chain) => leafOf(chain) !== storedLeaf);
    if (serving === undefined || storedLeaf === undefined || behind.length === reachable.length) {
      return find('different', { count }, evidence, workloadOf(reachable, callout, facts));
    }
    const current = reachable.filter((chain) => leafOf(chain) === storedLeaf);
    const leader = onlyLeaderReloads(callout, current, serving, facts);
    if (leader !== undefined) {
      const data = { leader, secretOrConfigMap: serving.secretOrConfigMap, behind: namesText(behind) };
      return find('leaderReloaded', data, evidence, workloadOf(behind, callout, facts));
    }
    return find(
      'behind',
      { count, behind: namesText(behind), secretOrConfigMap: serving.secretOrConfigMap },
      evidence,
      workloadOf(behind, callout, facts),
    );
  },
});
