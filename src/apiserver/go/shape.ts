import { decodeBase64 } from './base64.ts';
import type { GoJson } from './json.ts';

/** A Go type as far as decoding JSON into it can fail. `name` is what Go prints for it. */
export type GoShape = {
  /** The embedded struct that contains the field: Go's error names it, JSON does not. */
  readonly within?: string;
} & GoType;

type GoType =
  | { readonly of: 'string' | 'bool' | 'uint8' | 'int32' | 'int64' | 'bytes'; readonly name: string }
  | { readonly of: 'list' | 'map'; readonly name: string; readonly element: GoShape }
  | {
      readonly of: 'struct';
      readonly name: string;
      readonly fields: () => Fields;
    }
  | { readonly of: 'any'; readonly name: string };

type Fields = Readonly<Record<string, GoShape>>;

/**
 * The type of JSON that decodes into a Go type.
 *
 * @typeParam Absent what a field can be instead of its type: null, unless nulls were removed.
 */
export type Decoded<Shape, Absent = never> = Shape extends { readonly of: 'string' | 'bytes' }
  ? string
  : Shape extends { readonly of: 'bool' }
    ? boolean
    : Shape extends { readonly of: 'int32' | 'int64' }
      ? number
      : Shape extends { readonly of: 'list'; readonly element: infer Element }
        ? readonly Decoded<Element, Absent>[]
        : Shape extends { readonly of: 'map'; readonly element: infer Element }
          ? Readonly<Record<string, Decoded<Element, Absent>>>
          : Shape extends { readonly of: 'struct'; readonly fields: () => infer All }
            ? { readonly [Name in keyof All]?: Decoded<All[Name], Absent> | Absent }
            : unknown;

/** `interface{}`: any JSON value decodes into it. */
export const any = { of: 'any', name: 'interface {}' } as const;
/**
 * A string, or a Go type of that kind.
 *
 * @param name the Go type in errors, `types.UID`.
 */
export const string = (name = 'string') => ({ of: 'string', name }) as const;
/** Go's bool. */
export const bool = { of: 'bool', name: 'bool' } as const;
const uint8: GoShape = { of: 'uint8', name: 'uint8' };
/** Go's int32: a larger integer cannot be decoded. */
export const int32 = { of: 'int32', name: 'int32' } as const;
/** Go's int64: a larger integer cannot be decoded. */
export const int64 = { of: 'int64', name: 'int64' } as const;
/** `[]byte`, in JSON a base64 string; Go's errors name it `[]uint8`. */
export const bytes = { of: 'bytes', name: '[]uint8' } as const;
/**
 * A struct.
 *
 * @param fields by their JSON names; a function, because types can contain themselves.
 */
export const struct = <All extends Fields>(name: string, fields: () => All) =>
  ({ of: 'struct', name, fields }) as const;
/** A slice of elements of one type. */
export const list = <Element extends GoShape>(element: Element) =>
  ({ of: 'list', name: `[]${element.name}`, element }) as const;
/** A map of strings to elements of one type. */
export const map = <Element extends GoShape>(element: Element) =>
  ({ of: 'map', name: `map[string]${element.name}`, element }) as const;

/** The position of the decoder in a struct: the innermost struct's name, and the fields from the root. */
interface Place {
  readonly struct: string;
  readonly fields: readonly string[];
}

const limits = {
  uint8: [0n, 255n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const;

function fits(raw: string, of: keyof typeof limits): boolean {
  if (!/^-?\d+$/.test(raw)) return false;
  const [low, high] = limits[of];
  const value = BigInt(raw);
  return value >= low && value <= high;
}

/** Go's name for a JSON value of the wrong type. */
const valueWord = (json: GoJson, shape: GoShape): string =>
  json.kind === 'number' && Object.hasOwn(limits, shape.of) ? `number ${json.raw}` : json.kind;

function* misfits(json: GoJson, shape: GoShape, place: Place | undefined): Generator<string> {
  if (shape.of === 'any' || json.kind === 'null') return;
  const misfit = (): string => {
    const where =
      place === undefined
        ? 'Go value'
        : `Go struct field ${place.struct.replace(/^.*\./, '')}.${place.fields.join('.')}`;
    return `json: cannot unmarshal ${valueWord(json, shape)} into ${where} of type ${shape.name}`;
  };
  switch (shape.of) {
    case 'list':
      if (json.kind !== 'array') yield misfit();
      else for (const item of json.items) yield* misfits(item, shape.element, place);
      return;
    case 'map':
      if (json.kind !== 'object') yield misfit();
      else for (const [, value] of json.members) yield* misfits(value, shape.element, place);
      return;
    case 'struct': {
      if (json.kind !== 'object') {
        yield misfit();
        return;
      }
      const fields = shape.fields();
      for (const [key, value] of json.members) {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (field === undefined) continue;
        const embedded = field.within === undefined ? [] : [field.within];
        yield* misfits(value, field, {
          struct: shape.name,
          fields: [...(place?.fields ?? []), ...embedded, key],
        });
      }
      return;
    }
    case 'bytes': {
      if (json.kind === 'array') {
        for (const item of json.items) yield* misfits(item, uint8, place);
        return;
      }
      if (json.kind !== 'string') {
        yield misfit();
        return;
      }
      const decoded = decodeBase64(json.value);
      if ('illegalAt' in decoded) yield `illegal base64 data at input byte ${decoded.illegalAt}`;
      return;
    }
    case 'uint8':
    case 'int32':
    case 'int64':
      if (json.kind !== 'number' || !fits(json.raw, shape.of)) yield misfit();
      return;
    default:
      if (json.kind !== shape.of) yield misfit();
  }
}

/**
 * The first error of Go's encoding/json when it decodes a JSON value into a type, with case-sensitive field
 * names (sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts); undefined if there is none. Go continues after
 * a type error and returns the first one.
 */
export function firstMisfit(json: GoJson, shape: GoShape): string | undefined {
  const [first] = misfits(json, shape, undefined);
  return first;
}
