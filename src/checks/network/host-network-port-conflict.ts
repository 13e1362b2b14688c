import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { brief } from '../../phrases/brief.ts';
import {
  backendPodFacts,
  badReplicas,
  type JudgedPod,
  podEvidence,
  sayingOf,
} from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

/** The scheduler's words for a port that is taken on every node, and a process's for its own node. */
const taken = /didn't have free ports|address already in use/i;

const isConflict = ({ pod, state }: JudgedPod): boolean =>
  taken.test(sayingOf(state)) &&
  (pod.spec.hostNetwork === true ||
    pod.spec.containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort !== undefined)));

export const hostNetworkPortConflict = defineCheck({
  meta: {
    id: 'host-network-port-conflict',
    link: 'network',
    title: 'Host port of the Pod is already in use',
    severity: 'error',
    consequence: 'failing',
    explains: { 'port-in-use': 1, 'certificate-of-other-server': 1 },
    why: 'Pods on the host network share the ports of their node. A second replica on the same node, or another program with that port (9443 is common), keeps the Pod from being scheduled or the process from listening.',
    advice:
      'Find the other Pods on the host network (their IP is the address of their node): `kubectl get pods -A -o wide`. Configure another port for the webhook (its flag, `containerPort`, and the Service by port name), or use more nodes than replicas: `kubectl -n {namespace} edit {workload}`.',
    noRemedy: 'in-the-pod',
    messages: {
      all: '{pods}: {said}; no other Pod serves requests',
      some: latent('{pods}: {said}; other Pods serve requests'),
    },
    references: ['/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, isConflict);
    if (bad === undefined) return undefined;
    const data = { pods: bad.pods, said: brief(sayingOf(bad.first.state)) };
    return find(bad.extent === 'all' ? 'all' : 'some', data, podEvidence(bad.each));
  },
});
