import { failingServers, probedCallouts, probeFacts } from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { nameIn } from '../../facts/evidence.ts';
import { isWrongPort, knownPods } from '../../pods/listening.ts';
import { defineCheck } from '../check.ts';

export const replicaNotListening = defineCheck({
  meta: {
    id: 'replica-not-listening',
    link: 'replica',
    title: 'A replica does not listen on the port of the webhook',
    severity: 'error',
    consequence: 'failing',
    explains: { 'cache-not-synced': 1, 'connection-refused': 2, tunnel: 2 },
    why: 'The Pod runs, and may be Ready by a probe of another port, but its process has not opened the port that calls go to: it waits for something (a certificate, leadership, a cache), or that part of it has ended. An API server keeps its connection to one replica: all of its calls fail or none, until that connection ends.',
    advice: advise`See what the process waits for: ${'kubectl -n {namespace} logs {pod}'}. Let the readiness probe ask the port of the webhook itself, so that such a Pod gets no calls.`,
    messages: {
      all: '{replicas}: port {port} is closed ({bad} of {total} replicas)',
      some: {
        text: '{replicas}: port {port} is closed; {bad} of {total} new connections are refused',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: [
      'selector-covers-other-workload',
      'endpoint-of-no-pod',
      'unready-addresses-published',
      'host-network-port-conflict',
      'leader-lease-stale',
      'leader-gated-listener',
      'replica-init-stuck',
      'replica-config-error',
      'replica-volume-missing',
      'replica-out-of-memory',
      'replica-crash-looping',
      'replica-readiness-failing',
      'replica-node-not-ready',
      'replica-evicted',
    ],
  },
  requires: [...probeFacts, 'pods'],
  subjects: (facts) => probedCallouts(facts).filter(({ callout }) => isServiceBacked(callout)),
  run(probed, facts, find) {
    const pods = knownPods(probed, facts);
    const found = failingServers(
      probed,
      facts,
      (met) => met.meeting.fault === 'refused' && !isWrongPort(met, pods),
    );
    return (
      found &&
      find(found.extent, found.data, found.evidence, { pod: nameIn(found.evidence, 'Pod') }, 'observed')
    );
  },
});
