import { pointerTo } from '../../basics/json-pointer.ts';
import { valueAt } from '../../change/document-value.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { type DeclarationChange, fieldEdit } from '../backend.ts';

/** A change of one field of a Pod template. */
export interface FieldChange {
  /** The path of the field in `spec` of the template. */
  readonly at: Path;
  /** `undefined` removes the field. */
  readonly after: unknown;
  /** The value in a strategic merge patch, which keeps what it does not name. Default: `after`. */
  readonly merged?: unknown;
}

type Path = readonly (string | number)[];

/** The keys by which a strategic merge finds the item of a list (core/v1 types.go, patchMergeKey). */
const mergeKeys = ['containerPort', 'name'];

/** A strategic merge patch of one field. */
function patchOf(value: unknown, [name, ...rest]: Path, after: unknown): unknown {
  if (name === undefined) return after ?? null;
  const item = (value as Readonly<Record<string | number, unknown>> | undefined)?.[name];
  const inner = patchOf(item, rest, after);
  if (typeof name === 'string') return { [name]: inner };
  const of = (item ?? {}) as Readonly<Record<string, unknown>>;
  const key = mergeKeys.find((one) => of[one] !== undefined) ?? 'name';
  return [{ [key]: of[key], ...(inner as object) }];
}

/** A change of fields of a workload's Pod template. The patch for its declaration contains the first one. */
export function templateChange(
  workload: Workload,
  changes: readonly [FieldChange, ...FieldChange[]],
): DeclarationChange {
  const { kind, metadata, spec } = workload;
  const pod = spec.template.spec;
  const [{ at, after, merged = after }] = changes;
  return {
    edits: changes.map(({ at: path, after: value }) => {
      const pointer = pointerTo(['spec', 'template', 'spec', ...path.map(String)]);
      return fieldEdit(refOfWorkload(workload), pointer, valueAt(workload, pointer), value);
    }),
    declared: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      spec: { template: { spec: patchOf(pod, at, merged) } },
    },
  };
}
