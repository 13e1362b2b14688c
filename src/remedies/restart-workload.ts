import { isServiceBacked } from '../facts/callout.ts';
import type { Workload } from '../facts/objects.ts';
import { servingSources } from '../facts/serving-source.ts';
import { refOfWorkload, wantedPods } from '../facts/workloads.ts';
import { refusedByItself, serviceBehind, whoReverts, workloadBehind, workloadName } from './backend.ts';
import { defineRemedy } from './remedy.ts';

const mountsFiles = ({ spec: { template } }: Workload): boolean =>
  template.spec !== undefined && servingSources({ spec: template.spec }, undefined).length > 0;

export const restartWorkload = defineRemedy({
  meta: {
    id: 'restart-workload',
    title: 'Restart the workload',
    risk: 'careful',
    does: 'Does what `kubectl rollout restart` does: the workload replaces its Pods one after another, and the new Pods load the current content of their Secret.',
    leaves: 'A server that does not watch its certificate file: it needs a restart after each rotation.',
    answers: [
      'served-certificate-differs-from-secret',
      'replicas-serve-different-certificates',
      'replica-hangs',
    ],
    touches: [{ operation: 'restart', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  requires: ['services', 'workloads', 'namespaces', 'served', 'version'],
  plan({ callout, check, breaks }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const service = serviceBehind(callout, facts);
    const workload = workloadBehind(callout, facts);
    if (service === undefined || workload === undefined || workload.kind === 'ReplicaSet') return undefined;
    // Replicas that mount no certificate may each create a CA: new Pods would differ again.
    if (check === 'replicas-serve-different-certificates' && !mountsFiles(workload)) return undefined;
    // On the host network another process may respond in place of Pods that are not Ready.
    const { kind, spec, status } = workload;
    if (kind !== 'DaemonSet' && spec.template.spec?.hostNetwork === true && !status.readyReplicas)
      return undefined;
    const refusal = breaks === true ? refusedByItself(callout, workload, service, facts) : undefined;
    if (refusal !== undefined) return refusal;
    return {
      summary: `${workloadName(workload)} replaces its Pods`,
      edits: [{ object: refOfWorkload(workload), operation: 'restart' }],
      warnings: [
        ...(wantedPods(workload) === 1
          ? ['It has one replica: calls may fail while its Pod is replaced.']
          : []),
        ...whoReverts(workload.metadata),
      ],
    };
  },
});
