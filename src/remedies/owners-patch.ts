import { stringify } from 'yaml';
import type { Edit } from '../change/plan.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { isKeptElsewhere, whoTakesItBack } from './owners.ts';
import type { PlanDraft } from './remedy.ts';

/** A change of a workload's declaration: applied where nobody else declares it, else printed for its owner. */
export function declarationPlan(
  plan: Omit<PlanDraft, 'edits' | 'print'> & { readonly warnings: readonly string[] },
  workload: Workload,
  /** The object, or the part of it, that its owner has to declare. */
  declared: unknown,
  edit: Edit,
  elsewhere = isKeptElsewhere(workload.metadata),
): PlanDraft {
  return {
    ...plan,
    edits: elsewhere ? [] : [edit],
    warnings: [...plan.warnings, ...whoTakesItBack(workload.metadata)],
    ...(elsewhere ? { print: stringify(declared) } : {}),
  };
}

/** The part of a workload that changes one container of its Pods, as a strategic merge patch has it. */
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
  after: unknown,
  expected?: unknown,
): Edit => ({
  object: refOfWorkload(workload),
  operation: 'patch',
  path: `/spec/template/spec/containers/${index}/${field}`,
  expected,
  after,
});
