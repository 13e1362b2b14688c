import type { WorkloadKind } from '../facts/objects.ts';

/** The type of a field: text, number, boolean, map of texts, either of two, list, or object. */
export type FieldShape =
  | 'text'
  | 'kind of workload'
  | 'number'
  | 'flag'
  | 'bytes'
  | 'text or object'
  | 'texts by name'
  | 'numbers by name'
  | 'text or number'
  | readonly [FieldShape]
  | ShapeFields;

/** ShapeFields by name; `!` marks required ones. */
export interface ShapeFields {
  readonly [field: string]: FieldShape;
}

/** A list of texts. */
export const texts = ['text'] as const;

const workloadKinds: ReadonlySet<unknown> = new Set<WorkloadKind>([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
]);

const isOf: Readonly<Record<Extract<FieldShape, string>, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  'kind of workload': (value) => workloadKinds.has(value),
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  'text or object': (value) =>
    typeof value === 'string' || (typeof value === 'object' && 'resource' in (value ?? {})),
  'text or number': (value) => typeof value === 'string' || typeof value === 'number',
  'texts by name': (value) => isByName(value, 'string'),
  'numbers by name': (value) => isByName(value, 'number'),
};

function isByName(value: unknown, type: 'string' | 'number'): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const held = value as Readonly<Record<string, unknown>>;
  for (const name in held) if (typeof held[name] !== type) return false;
  return true;
}

interface Field {
  readonly name: string;
  readonly shape: FieldShape;
  readonly required: boolean;
}

/** Caches the names without `!` for each shape. */
const fieldsOf = new Map<ShapeFields, readonly Field[]>();
function entriesOf(fields: ShapeFields): readonly Field[] {
  const known = fieldsOf.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(([name, shape]) => ({
    name: name.replace('!', ''),
    shape,
    required: name.endsWith('!'),
  }));
  fieldsOf.set(fields, made);
  return made;
}

/**
 * The path of the first value with a wrong type; undefined if none. Called for every field of every object:
 * no allocations.
 */
export function misfit(value: unknown, shape: FieldShape): string | undefined {
  if (typeof shape === 'string') return isOf[shape](value) ? undefined : '';
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(shape)) return '';
  if (Array.isArray(shape)) {
    const items = value as readonly unknown[];
    for (let index = 0; index < items.length; index += 1) {
      const found = misfit(items[index], shape[0] as FieldShape);
      if (found !== undefined) return `[${index}]${found}`;
    }
    return undefined;
  }
  const holder = value as Record<string, unknown>;
  const fields = entriesOf(shape as ShapeFields);
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] as Field;
    const held = holder[field.name];
    if (held === undefined || held === null) {
      if (field.required) return `.${field.name}`;
      // Go writes null for absent values.
      if (held === null) holder[field.name] = undefined;
      continue;
    }
    const found = misfit(held, field.shape);
    if (found !== undefined) return `.${field.name}${found}`;
  }
  return undefined;
}
