import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, type JudgedPod, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

/** Running and not ready; a Pod that has done its work is no replica. */
const runsUnready = ({ state }: JudgedPod): boolean => state.state === 'not-ready';

export const replicaReadinessFailing = defineCheck({
  meta: {
    id: 'replica-readiness-failing',
    link: 'replica',
    title: 'A replica runs but is not ready',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-speaks-http': 1, 'readiness-probe': 1, 'cache-not-synced': 2, 'no-endpoints': 3 },
    why: 'A Pod that is not ready is taken out of the endpoints: it gets no calls, whatever its process could answer.',
    advice: advise`The probe's answer says what the process misses: a certificate that is not there yet, a cache that does not fill, another port than the probed one. Look at the probe in the Pod template and at ${'kubectl -n {namespace} logs {pod}'}.`,
    messages: {
      probe: '{pods}: running, not ready ({said}), and no other replica answers',
      gate: '{pods}: running, kept from being ready: {said}; no other replica answers',
      silent: '{pods}: running, not ready, and nothing tells why; no other replica answers',
      some: latent('{pods}: running, not ready ({said}); other replicas answer'),
    },
    references: ['https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-probes'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, runsUnready);
    if (bad === undefined) return undefined;
    const { pods } = bad;
    const { reason, text } = bad.first.state;
    const evidence = podEvidence(bad.each);
    const said = brief(text ?? reason ?? 'no reason given');
    if (bad.extent !== 'all') return find('some', { pods, said }, evidence, bad.names);
    if (reason === 'ReadinessGatesNotReady') return find('gate', { pods, said }, evidence, bad.names);
    return text === undefined
      ? find('silent', { pods }, evidence, bad.names)
      : find('probe', { pods, said }, evidence, bad.names);
  },
});
