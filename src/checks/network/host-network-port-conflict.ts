import { ownCall } from '../../apiserver/connection/own-call-result.ts';
import { type Backend, examinedBackends, targetPortOf } from '../../apiserver/routing/backends.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logOf } from '../../facts/workloads/pod-logs.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import {
  backendPodFacts,
  badReplicas,
  type PodWithState,
  podEvidence,
  reasonText,
} from '../../pods/bad-replicas.ts';
import { products } from '../../products/catalogue.ts';
import { defineCheck, latent } from '../check.ts';

/** The error of the scheduler for nodes on which a host port is in use. */
const noFreePort = /didn't have free ports/;
/** The errors of the scheduler, and of a process on its own node. */
const taken = /didn't have free ports|address already in use|EADDRINUSE/i;

/** The error itself, without the log line around it (Go's net package). */
const bind = /\blisten (?:tcp|udp)[46]? \S*:\d+: bind: address already in use|\blisten EADDRINUSE\b.*/;

const usesHostPort = ({ spec }: Pod): boolean =>
  spec.hostNetwork === true ||
  spec.containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort !== undefined));

/** The ports of the node that a Pod uses: `9443`, `9443 or 8081`. On the host network these are all that it declares. */
const hostPortsOf = ({ spec }: Pod): string =>
  listed(
    spec.containers.flatMap(({ ports = [] }) =>
      ports.flatMap(({ hostPort, containerPort }) =>
        hostPort === undefined && spec.hostNetwork !== true ? [] : String(hostPort ?? containerPort),
      ),
    ),
    { word: 'or' },
  );

/** The error of the scheduler, the kubelet or the crashed process about a port in use. */
function conflictOf({ pod, state }: PodWithState, facts: Pick<Facts, 'logs'>): string | undefined {
  if (!usesHostPort(pod)) return undefined;
  const log = logOf(pod, state.container?.name, facts);
  const said = [reasonText(state), ...log.split('\n').toReversed()].find((detail) => taken.test(detail));
  return bind.exec(said ?? '')?.[0] ?? said?.trim();
}

const kubeletPort = 10250;

/** True on a node that has the address of its only Pod. */
const isBehindKubelet = (pod: Pod, { port }: Backend): boolean =>
  products.some(({ nodesOfOnePod: prefix }) => prefix && pod.spec.nodeName?.startsWith(prefix)) &&
  targetPortOf(port, pod) === kubeletPort;

/** True if the API server's own call shows that calls succeed. */
const succeeds = ({ callout }: Backend, facts: Pick<Facts, 'probes'>): boolean =>
  facts.probes.known(calloutId(callout)) && ownCall(callout, facts) === 'passes';

export const hostNetworkPortConflict = defineCheck({
  meta: {
    id: 'host-network-port-conflict',
    title: 'Host port of the Pod is already in use',
    consequence: 'failing',
    why: 'Pods on the host network share the ports of their node. A second replica on the same node, or another program with that port (9443 is common), keeps the Pod unscheduled or the port closed. Port 10250 is that of the kubelet, also on EKS Fargate, where a Pod has the address of its node.',
    advice:
      '[end] Configure another port for the program (its flag, `containerPort`, and `targetPort` of the Service), or run at most one replica per node: `kubectl -n {namespace} edit {workload}`. [look] Or find the program that uses the port: the kubelet uses 10250, and Pods declare it as `hostPort`: `kubectl get pods -A -o custom-columns=namespace:.metadata.namespace,pod:.metadata.name,node:.spec.nodeName,ports:.spec.containers[*].ports[*].hostPort`.',
    messages: {
      unscheduled:
        '{pods} cannot be scheduled: host port {port} is in use on every node that is suitable otherwise ({detail})',
      all: '{pods} cannot listen on a port of the node, which is already in use: {detail}',
      some: latent(
        '{pods} cannot use a port of the node, which is already in use: {detail}; other Pods serve requests',
      ),
      kubelet: {
        text: 'Calls to port {port} reach the kubelet of Fargate node {node}, which has the same address as Pod {pod}',
        advice:
          '[end] Let the program serve on another port, such as 10260: its flag, `containerPort` and `targetPort` of the Service: `kubectl -n {namespace} edit {workload}`. [end] With cert-manager, set `webhook.securePort` in the values of the chart.',
      },
    },
    preventsReadiness: true,
    references: [
      '/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending',
      'https://cert-manager.io/docs/installation/compatibility/#aws-fargate',
    ],
  },
  requires: [...backendPodFacts, 'logs', 'probes'],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const pods = (facts.pods.getIfKnown(backend.key) ?? []).filter(isPodReady);
    const [first] = pods;
    if (
      first !== undefined &&
      pods.every((pod) => isBehindKubelet(pod, backend)) &&
      !succeeds(backend, facts)
    ) {
      const { nodeName: node = '' } = first.spec;
      const evidence = [{ object: refOfPod(first), field: 'spec.nodeName', value: node }];
      return find('kubelet', { port: kubeletPort, node, pod: first.metadata.name }, evidence);
    }
    const bad = badReplicas(backend, facts, (one) => conflictOf(one, facts) !== undefined);
    if (bad === undefined) return undefined;
    const conflict = conflictOf(bad.first, facts) ?? '';
    const data = { pods: bad.pods, detail: brief(conflict).replace(/^Unschedulable: /, '') };
    const evidence = podEvidence(bad.each);
    if (bad.extent !== 'all') return find('some', data, evidence);
    return noFreePort.test(conflict)
      ? find('unscheduled', { ...data, port: hostPortsOf(bad.first.pod) }, evidence)
      : find('all', data, evidence);
  },
});
