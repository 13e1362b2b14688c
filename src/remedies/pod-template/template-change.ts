import { pointerTo } from '../../basics/json-pointer.ts';
import type { PodSpec } from '../../facts/objects/pod.ts';
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

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (of, name) => (of as Readonly<Record<string | number, unknown>> | undefined)?.[name],
    value,
  );

/** The deepest path whose parent exists, and the value for it: JSON Patch adds no parents. */
function creatable(spec: PodSpec, { at, after }: FieldChange) {
  for (let path = at, value = after; ; ) {
    const parent = path.slice(0, -1);
    if (parent.length === 0 || valueAt(spec, parent) !== undefined) return { path, value };
    value = { [String(path.at(-1))]: value };
    path = parent;
  }
}

/** The keys by which a strategic merge finds the item of a list (core/v1 types.go, patchMergeKey). */
const mergeKeys = ['containerPort', 'name'];

/** A strategic merge patch of one field. */
function patchOf(value: unknown, [name, ...rest]: Path, after: unknown): unknown {
  if (name === undefined) return after ?? null;
  const inner = patchOf(valueAt(value, [name]), rest, after);
  if (typeof name === 'string') return { [name]: inner };
  const item = (value as readonly Readonly<Record<string, unknown>>[])[name] ?? {};
  const key = mergeKeys.find((one) => item[one] !== undefined) ?? 'name';
  return [{ [key]: item[key], ...(inner as object) }];
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
    edits: changes.map((change) => {
      const { path, value } = creatable(pod, change);
      const pointer = pointerTo(['spec', 'template', 'spec', ...path.map(String)]);
      return fieldEdit(refOfWorkload(workload), pointer, valueAt(pod, path), value);
    }),
    declared: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      spec: { template: { spec: patchOf(pod, at, merged) } },
    },
  };
}
