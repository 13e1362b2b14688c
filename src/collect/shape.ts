import type { CalloutKind } from '../facts/callout.ts';
import type { ApiServiceObject, ConfigurationObject, DefinitionObject } from '../facts/callout-of.ts';
import { isLookup } from '../facts/lookup.ts';
import type { CertManagerCertificate } from '../facts/objects/cert-manager.ts';
import type { EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Node } from '../facts/objects/node.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Job } from '../facts/objects/pod-controller.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { GroupDiscoveryList } from './collectors/api-server/discovery.ts';
import generated from './shapes.json' with { type: 'json' };

type AnyWorkload = Omit<Workload, 'kind'>;

/** The types of objects whose fields are checked, by the plural of their resource or by path. */
export interface CheckedObjects {
  readonly mutatingwebhookconfigurations: ConfigurationObject;
  readonly validatingwebhookconfigurations: ConfigurationObject;
  readonly customresourcedefinitions: DefinitionObject;
  readonly apiservices: ApiServiceObject;
  readonly services: Service;
  readonly endpointslices: EndpointSlice;
  readonly namespaces: Namespace;
  readonly nodes: Node;
  readonly pods: Pod;
  readonly deployments: AnyWorkload;
  readonly replicasets: AnyWorkload;
  readonly statefulsets: AnyWorkload;
  readonly daemonsets: AnyWorkload;
  readonly jobs: Job;
  readonly certificates: CertManagerCertificate;
  readonly '/api': GroupDiscoveryList;
  readonly '/apis': GroupDiscoveryList;
  readonly '/version': { readonly gitVersion?: string };
}

/** The type of a field: a named type of src/facts, text, number, boolean, map, either of two, list, or object. */
type FieldShape = string | readonly [FieldShape] | ShapeFields;

/** The fields of an object by name; `!` marks required ones. */
interface ShapeFields {
  readonly [field: string]: FieldShape;
}

/** The shapes of the types of src/facts, derived from them by `npm run docs`. */
const shapes = generated as unknown as {
  readonly types: Readonly<Record<string, FieldShape>>;
  readonly objects: Readonly<Record<keyof CheckedObjects, FieldShape>> & ShapeFields;
  readonly facts: ShapeFields;
  readonly callouts: Readonly<Record<CalloutKind, FieldShape>>;
};

const isOf: Record<string, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
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

/** The values of `one of a b`. */
const choices = 'one of ';
function typeOf(shape: string): ((value: unknown) => boolean) | undefined {
  if (isOf[shape] === undefined && shape.startsWith(choices)) {
    const values: ReadonlySet<unknown> = new Set(shape.slice(choices.length).split(' '));
    isOf[shape] = (value) => values.has(value);
  }
  return isOf[shape];
}

interface Field {
  readonly name: string;
  readonly shape: FieldShape;
  readonly required: boolean;
}

const named = (shape: FieldShape): FieldShape =>
  typeof shape === 'string' ? (shapes.types[shape] ?? shape) : shape;

/** Caches the names without `!` for each shape. */
const fieldsOf = new Map<ShapeFields, readonly Field[]>();
function entriesOf(fields: ShapeFields): readonly Field[] {
  const known = fieldsOf.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(([name, shape]) => ({
    name: name.replace('!', ''),
    shape: named(shape),
    required: name.endsWith('!'),
  }));
  fieldsOf.set(fields, made);
  return made;
}

/**
 * The path of the first value with a wrong type; undefined if none. Called for every field of every object:
 * no allocations.
 */
function misfit(value: unknown, shape: FieldShape): string | undefined {
  if (typeof shape === 'string') return typeOf(shape)?.(value) === false ? '' : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(shape)) return '';
  if (Array.isArray(shape)) {
    const items = value as readonly unknown[];
    const element = named(shape[0]);
    for (let index = 0; index < items.length; index += 1) {
      const found = misfit(items[index], element);
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

const anyObject: FieldShape = { 'metadata!': 'Metadata' };

/** The fields that this program reads of objects of a resource, by its plural or a path; default: metadata only. */
const shapeOf = (of: string): FieldShape =>
  named(shapes.objects[of] ?? (of.startsWith('/') ? {} : anyObject));

/** Adds a status if the kind has one: an API server may omit an empty status. */
export function withStatus<T>(object: T, plural: string): T {
  if (typeof object !== 'object' || object === null || 'status' in object) return object;
  const fields = entriesOf(shapeOf(plural) as ShapeFields);
  return fields.some(({ name }) => name === 'status') ? { ...object, status: {} } : object;
}

/**
 * The first field of an object with a wrong type, `.spec.ports`; undefined if none. The API server decodes
 * objects into its own types: a server that sends others is no API server, and its objects are not used.
 *
 * @param of plural of the resource, or a path.
 */
export const malformedField = (object: unknown, of: string): string | undefined =>
  misfit(object, shapeOf(of));

/** The first value of recorded facts with a wrong type; undefined if none, as far as types are known. */
export function malformedFact(facts: Facts): string | undefined {
  for (const [index, one] of facts.callouts.entries()) {
    const shape = Object.hasOwn(shapes.callouts, one?.kind) ? shapes.callouts[one.kind] : undefined;
    const found = shape === undefined ? '.kind' : misfit(one, named(shape));
    if (found !== undefined) return `callouts[${index}]${found}`;
  }
  for (const [name, fact] of Object.entries(facts) as [string, unknown][]) {
    for (const [key, value] of isLookup(fact) ? fact.entries() : []) {
      const found = misfit(value, named(shapes.facts[name] ?? {}));
      if (found !== undefined) return `${name}["${key}"]${found}`;
    }
  }
  return undefined;
}
