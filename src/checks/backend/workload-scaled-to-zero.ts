import { backendsInNeedOfPods, endpointFacts } from '../../apiserver/routing/backends.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { fieldWriter } from '../../facts/objects/field-writer.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import {
  refOfWorkload,
  unprocessedSince,
  wantedPods,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { products } from '../../products/catalogue.ts';
import { defineCheck } from '../check.ts';

/** Annotations of autoscalers and downscalers. */
const marks = /replica|scal|idl|sleep/i;
const isMark = (key: string): boolean =>
  !key.startsWith('kubectl.kubernetes.io/') &&
  (marks.test(key) ||
    products.some(({ scales }) => scales !== undefined && key.toLowerCase().includes(scales)));

const markEvidence = (workload: Workload): readonly Evidence[] =>
  Object.entries(workload.metadata.annotations ?? {})
    .filter(([key]) => isMark(key))
    .map(([key, value]) => ({
      object: refOfWorkload(workload),
      field: `metadata.annotations[${key}]`,
      value,
    }));

export const workloadScaledToZero = defineCheck({
  meta: {
    id: 'workload-scaled-to-zero',
    title: 'Workload is scaled to zero',
    consequence: 'failing',
    why: 'With zero replicas there are no Pods. The Service has no endpoints, and every call fails.',
    advice:
      '[safe] Scale the workload up: `kubectl -n {namespace} scale {workload} --replicas=2`. [with] If an autoscaler, a downscaler or GitOps scaled it to zero, change the number there, or it is scaled to zero again. [with] If the workload must stay off, delete its webhook configuration.',
    messages: {
      byWriter: '{workload} in namespace {namespace} was scaled to 0 by {manager} at {time}',
      throughScale:
        '{workload} in namespace {namespace} was scaled to 0 through its scale subresource (kubectl scale or autoscaler, unnamed); its status last changed at {time}',
      created: '{workload} in namespace {namespace} was created with 0 replicas at {time}',
      noTrace: '{workload} in namespace {namespace} is scaled to 0',
      noNode: {
        text: '{workload} in namespace {namespace} runs on no node: its node selector or affinity matches none',
        advice:
          '[look] Compare `nodeSelector` and affinity with the labels of the nodes: `kubectl get nodes --show-labels`. [end] Correct `nodeSelector` or affinity: `kubectl -n {namespace} edit {workload}`.',
      },
    },
    preventsReadiness: true,
    references: ['/docs/reference/kubectl/generated/kubectl_scale/'],
  },
  requires: [...endpointFacts, 'workloads'],
  subjects: backendsInNeedOfPods,
  run({ namespace, service }, { workloads, takenAt }, find) {
    const makers = workloadsMaking(service.spec.selector, workloads.get(namespace) ?? []);
    if (!makers.every((workload) => wantedPods(workload) === 0)) return undefined;
    const [workload] = makers;
    // An unprocessed DaemonSet has no number of Pods yet.
    if (workload === undefined || unprocessedSince(workload, takenAt) !== undefined) return undefined;
    const about = { workload: workloadText(workload), namespace };
    const object = refOfWorkload(workload);
    if (workload.kind === 'DaemonSet') {
      return find('noNode', about, [{ object, field: 'status.desiredNumberScheduled', value: '0' }]);
    }
    const evidence = [{ object, field: 'spec.replicas', value: '0' }, ...markEvidence(workload)];
    const { managedFields = [] } = workload.metadata;
    const writer = fieldWriter(workload.metadata, ['spec', 'replicas']);
    if (writer?.manager === undefined) {
      // Scale.spec.replicas is omitted if it is 0, so its writer owns no field (observed on a 1.35.4 server).
      const status = managedFields.find(({ subresource }) => subresource === 'status');
      const since = status?.time;
      return managedFields.length === 0
        ? find('noTrace', about, evidence)
        : { ...find('throughScale', { ...about, time: since ?? 'an unknown time' }, evidence), since };
    }
    const { manager, time: since, operation } = writer;
    if (since !== undefined && since === workload.metadata.creationTimestamp) {
      return { ...find('created', { ...about, time: since }, evidence), since };
    }
    const through = writer.subresource === undefined ? '' : ` through ${writer.subresource}`;
    const by = { object, field: 'metadata.managedFields', value: `${manager}: ${operation}${through}` };
    const data = { ...about, manager, time: since ?? 'an unknown time' };
    return { ...find('byWriter', data, [...evidence, by]), since };
  },
});
