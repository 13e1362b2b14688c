import { secondsSince } from '../../basics/time.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { servingSources } from '../../facts/objects/serving-source.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { refOfWorkload, wantedPods, workloadOfPod } from '../../facts/workloads/workloads.ts';
import { failedRequest, ownCallIn } from '../../pods/failed-request.ts';
import { refusedByItself, whoReverts, workloadBehind, workloadName } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';

const mountsFiles = ({ spec: { template } }: Workload): boolean =>
  servingSources({ spec: template.spec }, undefined).length > 0;

/** Seconds after its start in which a Pod cannot have become Ready and unready again. */
const settled = 30;

/** True for a running Pod that was Ready since its process started, and is not any more: the process may be stuck. */
const wasReady = ({ status: { conditions = [], containerStatuses = [] } }: Pod): boolean => {
  const { status, lastTransitionTime } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return (
    status === 'False' &&
    containerStatuses.length > 0 &&
    containerStatuses.every(
      ({ state }) => (secondsSince(state?.running?.startedAt, lastTransitionTime ?? '') ?? 0) > settled,
    )
  );
};

export const restartWorkload = defineRemedy({
  meta: {
    id: 'restart-workload',
    title: 'Restart the workload',
    risk: 'careful',
    does: 'Does the same as `kubectl rollout restart`: the workload replaces its Pods one after another, and the new Pods load the current content of their Secret.',
    leaves:
      'A server that does not watch its certificate file: it needs a restart after each rotation. The reason why a process no longer serves: the log of the deleted Pod is lost.',
    answers: [
      'served-certificate-differs-from-secret',
      'replicas-serve-different-certificates',
      'replica-hangs',
      'replica-readiness-failing',
    ],
    touches: [{ operation: 'restart', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads', 'pods', 'logs', 'namespaces', 'served', 'version'],
  plan({ callout, check, link, breaks }, facts) {
    // New Pods would lose packets as well.
    if (link === 'network') return undefined;
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || workload.kind === 'ReplicaSet') return undefined;
    // Replicas that mount no certificate may each create a CA: new Pods would differ again.
    if (check === 'replicas-serve-different-certificates' && !mountsFiles(workload)) return undefined;
    // A process that has never been Ready would wait for the same again.
    const isStuck = check === 'replica-readiness-failing';
    const key = keyOf(callout.client.service);
    const pods = replicaPods((isStuck ? facts.pods.get(key) : facts.pods.getIfKnown(key)) ?? []);
    if (isStuck && !(pods.length > 0 && pods.every(wasReady))) return undefined;
    // Every new Pod would call itself again.
    if (check === 'replica-hangs' && ownCallIn(pods, callout, facts) !== undefined) return undefined;
    const needed = check === 'replica-hangs' ? failedRequest(pods, facts)?.error.host : undefined;
    // On the host network another process may respond in place of Pods that are not Ready.
    const { kind, spec, status } = workload;
    if (kind !== 'DaemonSet' && spec.template.spec.hostNetwork === true && !status.readyReplicas)
      return undefined;
    const refusal = breaks === true ? refusedByItself(callout, workload, facts) : undefined;
    if (refusal !== undefined) return refusal;
    const { name } = workload.metadata;
    const isWhole = pods.every((pod) => workloadOfPod(pod).name === name);
    return {
      summary: `${workloadName(workload)} replaces its Pods`,
      edits: [{ object: refOfWorkload(workload), operation: 'restart' }],
      warnings: [
        wantedPods(workload) === 1
          ? 'It has one replica: calls may fail while its Pod is replaced.'
          : undefined,
        isStuck ? 'The log of a Pod is lost with the Pod: save it first.' : undefined,
        needed && `The log reports a failed request to ${needed}: new Pods may wait for it as well.`,
        ...whoReverts(workload.metadata),
      ],
      unsure:
        (isWhole ? undefined : 'other Pods of the Service are not replaced') ??
        (needed && `new Pods may wait for ${needed} as well`) ??
        (isStuck || check === 'replica-hangs' ? 'new Pods may fail in the same way' : undefined),
    };
  },
});
