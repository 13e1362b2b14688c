import { secondsSince } from '../../basics/time.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { fieldWriter } from '../../facts/objects/field-writer.ts';
import type { PodTemplate } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { ReplicaState } from '../../facts/workloads/pod-state.ts';
import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { isRestored } from '../../products/of-metadata.ts';
import {
  type DeclarationChange,
  declarationPlan,
  fieldEdit,
  refusedByItself,
  serviceBehind,
  workloadBehind,
  workloadName,
} from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { breakingRollout } from './breaking-rollout.ts';
import { changedFields, evidenceFor, isRollback, type Rollout } from './rollout.ts';

/** The state of Pods that a check is about. */
const stateOf = {
  'replica-unschedulable': 'unschedulable',
  'replica-volume-missing': 'volume-missing',
  'replica-image-pull-failing': 'image-pull-failing',
  'replica-config-error': 'config-error',
  'replica-init-stuck': 'init-stuck',
  'replica-out-of-memory': 'out-of-memory',
  'replica-crash-looping': 'crash-looping',
  'process-cannot-start': 'crash-looping',
  'replica-readiness-failing': 'not-ready',
  // Its Pods are Ready: no state shows that they do not serve the webhook.
  'replica-not-listening': 'ready',
} satisfies Readonly<Record<string, ReplicaState>>;
const answers = Object.keys(stateOf) as readonly (keyof typeof stateOf)[];

/** True if the ports of the Service were changed more than a minute after the rollout began: that may be the cause. */
const isPortNewer = ({ metadata }: Service, { newest }: Rollout): boolean => {
  const changed = fieldWriter(metadata, ['spec', 'ports'])?.time ?? '';
  return (secondsSince(newest.metadata.creationTimestamp, changed) ?? 0) > 60;
};

const rolledBack = (deployment: Workload, template: PodTemplate): DeclarationChange => ({
  edits: [fieldEdit(refOfWorkload(deployment), '/spec/template', deployment.spec.template, template)],
  declared: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment.metadata.name, namespace: deployment.metadata.namespace },
    spec: { template },
  },
});

export const undoRollout = defineRemedy({
  meta: {
    id: 'undo-rollout',
    title: 'Roll back to the Pod template of a previous revision',
    risk: 'careful',
    does: 'Does the same as `kubectl rollout undo`: it restores the Pod template of the newest revision that still has ready Pods, else of the previous revision. It is offered if only Pods of the new template fail, and the change of the template explains it. The Deployment replaces its Pods. If GitOps or an operator would revert the change, the template is printed instead.',
    leaves:
      'Other changes of the new version: ConfigMaps, Secrets, CRDs, webhook configurations, migrated data. The fault itself returns with the next rollout.',
    answers,
    touches: [{ operation: 'patch', kinds: ['Deployment'] }],
  },
  about: 'service-backed',
  requires: [
    ...['services', 'workloads', 'pods', 'events', 'nodes', 'secrets'],
    ...['namespaces', 'served', 'version'],
  ] as const,
  plan({ check, callout, breaks }, facts) {
    const service = serviceBehind(callout, facts);
    const deployment = workloadBehind(callout, facts);
    const wanted = (stateOf as Readonly<Record<string, ReplicaState>>)[check];
    if (service === undefined || deployment?.kind !== 'Deployment' || wanted === undefined) return undefined;
    const key = keyOf(callout.client.service);
    const rollout = breakingRollout(deployment, key, wanted, facts);
    if (rollout === undefined) return undefined;
    if (wanted === 'ready' && (breaks !== true || isPortNewer(service, rollout))) return undefined;
    const { revision, template } = rollout;
    const evidence = evidenceFor(rollout, deployment);
    if (evidence === 'no' || (evidence === undefined && isRollback(rollout))) return undefined;
    const name = workloadName(deployment);
    if (deployment.spec.paused === true)
      return `${name} is paused, and replaces no Pods until it is resumed: kubectl -n ${service.metadata.namespace} rollout resume deployment/${deployment.metadata.name}`;
    const former = { ...deployment, spec: { ...deployment.spec, template } };
    const refusal = breaks === true ? refusedByItself(callout, former, facts) : undefined;
    if (refusal !== undefined) return refusal;
    const plan = {
      summary: `${name} is rolled back to the Pod template of revision ${revision}: ${changedFields(deployment.spec.template, template)}`,
      warnings: [
        evidence ?? `It is unknown whether Pods of revision ${revision} worked: they no longer exist.`,
      ],
      unsure:
        evidence === undefined ? `it is unknown whether Pods of revision ${revision} worked` : undefined,
    };
    return declarationPlan(
      plan,
      deployment,
      rolledBack(deployment, template),
      isRestored(deployment.metadata),
    );
  },
});
