import { stringify } from 'yaml';
import type { Edit } from '../change/plan.ts';
import { type AdmissionCallout, type Callout, calloutId } from '../facts/callout.ts';
import { clientConfigPath } from '../facts/client-config.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { workloadName } from './backend.ts';
import { isDeclaredElsewhere, whoReverts } from './owners.ts';
import type { PlanDraft } from './remedy.ts';

interface DeclarationChange {
  readonly edit: Edit;
  /** The object or part of it to be declared by the owner. */
  readonly declared: unknown;
}

/** A change of a workload's declaration: applied, or printed if the workload is declared elsewhere (GitOps, an operator). */
export function declarationPlan(
  plan: Omit<PlanDraft, 'edits' | 'print'> & { readonly warnings: readonly string[] },
  workload: Workload,
  { edit, declared }: DeclarationChange,
  elsewhere = isDeclaredElsewhere(workload.metadata),
): PlanDraft {
  return {
    ...plan,
    edits: elsewhere ? [] : [edit],
    warnings: [...plan.warnings, ...whoReverts(workload.metadata)],
    ...(elsewhere ? { print: stringify(declared) } : {}),
  };
}

/** The part of a workload that changes one container, as a strategic merge patch. */
export const containerPatch = (workload: Workload, container: string, fields: object): unknown => ({
  apiVersion: 'apps/v1',
  kind: workload.kind,
  metadata: { name: workload.metadata.name, namespace: workload.metadata.namespace },
  spec: { template: { spec: { containers: [{ name: container, ...fields }] } } },
});

/** An edit of one field of one container of a workload's Pods. */
export const containerEdit = (
  workload: Workload,
  index: number,
  field: 'lifecycle' | 'readinessProbe',
  { expected, after }: Pick<Edit, 'expected' | 'after'>,
): Edit => ({
  object: refOfWorkload(workload),
  operation: 'patch',
  path: `/spec/template/spec/containers/${index}/${field}`,
  expected,
  after,
});

/**
 * The plan, followed by a restart of the workload, so that its controller creates Pods at once: after several refusals it
 * waits up to a quarter of an hour. The webhook refuses the restart until the plan is applied.
 */
export const andTryAgain = (
  plan: PlanDraft & { readonly warnings: readonly string[] },
  callout: Callout,
  workload: Workload,
): PlanDraft => ({
  ...plan,
  summary: `${plan.summary}, and ${workloadName(workload)} is restarted, so that it retries at once`,
  edits: [...plan.edits, { object: refOfWorkload(workload), operation: 'restart', afterPrevious: true }],
  fixes: [calloutId(callout)],
  warnings: [
    ...plan.warnings,
    `The restart of ${workloadName(workload)} is not part of the dry run, because the webhook still blocks it.`,
  ],
});

/** An edit of one field of the client configuration: `caBundle`, `service/port`. */
export const clientConfigEdit = (
  callout: Callout,
  field: 'caBundle' | 'service/port',
  expected: unknown,
  after: unknown,
): Edit => ({
  object: callout.ref,
  operation: 'patch',
  path: `/${clientConfigPath(callout).join('/')}/${field}`,
  expected,
  after,
});

/** An edit of one field of an admission webhook, based on its present value. */
export const webhookEdit = <
  Field extends 'failurePolicy' | 'matchConditions' | 'namespaceSelector' | 'timeoutSeconds',
>(
  callout: AdmissionCallout,
  field: Field,
  after: AdmissionCallout[Field],
): Edit => ({
  object: callout.ref,
  operation: 'patch',
  path: `/webhooks/${callout.index}/${field}`,
  // The API server omits an empty list.
  expected: field === 'matchConditions' && callout.matchConditions.length === 0 ? undefined : callout[field],
  after,
});
