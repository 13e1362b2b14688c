import type { GoJson } from '../go/json.ts';
import { PatchError, panics } from './patch-error.ts';

/** A value in a document; undefined for null, which the library does not distinguish from absent. */
export type Slot = PatchNode | undefined;
/** A value other than null in a document. */
export type PatchNode = Scalar | ObjectNode | ListNode;

interface Scalar {
  readonly kind: 'scalar';
  /** As written: the library compares the text. */
  readonly raw: string;
  readonly json: GoJson;
}

/** The object or array that an operation changes. Throws `PatchError`. */
interface Container {
  get(key: string): Slot;
  /** Replaces an existing value. */
  set(key: string, value: Slot): void;
  add(key: string, value: Slot): void;
  remove(key: string): void;
}
interface ObjectNode extends Container {
  readonly kind: 'object';
  readonly members: Map<string, Slot>;
}
interface ListNode extends Container {
  readonly kind: 'list';
  readonly items: Slot[];
}

const integer = /^[+-]?\d+$/;

/** strconv.Atoi. */
function indexOf(key: string): number {
  if (!integer.test(key)) throw new PatchError(`strconv.Atoi: parsing "${key}": invalid syntax`);
  const index = Number(key);
  if (!Number.isSafeInteger(index)) {
    throw new PatchError(`strconv.Atoi: parsing "${key}": value out of range`);
  }
  return index;
}

/** An index below `size`; a negative one counts from the end; -0 is 0. */
function place(index: number, size: number): number {
  if (index >= size || index < -size) {
    throw new PatchError(`Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return index < 0 ? index + size : index + 0;
}

function objectNode(members: Map<string, Slot>): ObjectNode {
  return {
    kind: 'object',
    members,
    get: (key) => members.get(key),
    set: (key, value) => void members.set(key, value),
    add: (key, value) => void members.set(key, value),
    remove: (key) => {
      if (!members.delete(key)) {
        throw new PatchError(`Unable to remove nonexistent key: ${key}: missing value`);
      }
    },
  };
}

function listNode(items: Slot[]): ListNode {
  return {
    kind: 'list',
    items,
    get: (key) => items[place(indexOf(key), items.length)],
    set: (key, value) => {
      items[place(indexOf(key), items.length)] = value;
    },
    add: (key, value) => {
      if (key === '-') {
        items.push(value);
        return;
      }
      let index: number;
      try {
        index = indexOf(key);
      } catch (error) {
        const why = error instanceof PatchError ? error.message : '';
        throw new PatchError(`value was not a proper array index: '${key}': ${why}`);
      }
      items.splice(place(index, items.length + 1), 0, value);
    },
    remove: (key) => void items.splice(place(indexOf(key), items.length), 1),
  };
}

const slotOf = (json: GoJson): Slot => (json.kind === 'null' ? undefined : nodeOf(json));

/** Converts a JSON value to a mutable node. */
export function nodeOf(json: GoJson): PatchNode {
  switch (json.kind) {
    case 'object':
      return objectNode(new Map(json.members.map(([key, value]) => [key, slotOf(value)] as const)));
    case 'array':
      return listNode(json.items.map(slotOf));
    case 'null':
      return { kind: 'scalar', raw: 'null', json };
    case 'bool':
      return { kind: 'scalar', raw: String(json.value), json };
    default:
      return { kind: 'scalar', raw: json.raw, json };
  }
}

const jsonOf = (slot: Slot): GoJson => (slot === undefined ? { kind: 'null' } : plainOf(slot));

/** Converts a node to a JSON value. */
export function plainOf(node: PatchNode): GoJson {
  switch (node.kind) {
    case 'object':
      return {
        kind: 'object',
        members: [...node.members].map(([key, value]) => [key, jsonOf(value)] as const),
      };
    case 'list':
      return { kind: 'array', items: node.items.map(jsonOf) };
    default:
      return node.json;
  }
}

/** Whether a value is null, or absent. */
export const isNull = (slot: Slot): boolean =>
  slot === undefined || (slot.kind === 'scalar' && slot.raw === 'null');

const copyOfSlot = (slot: Slot): Slot => (isNull(slot) ? undefined : copyOf(slot as PatchNode));

/** A copy that later operations can change independently; scalars do not change. */
export function copyOf(node: PatchNode): PatchNode {
  switch (node.kind) {
    case 'object':
      return objectNode(new Map([...node.members].map(([key, value]) => [key, copyOfSlot(value)] as const)));
    case 'list':
      return listNode(node.items.map(copyOfSlot));
    default:
      return node;
  }
}

/** Bytes of a string in Go's encoding: `<`, `>`, `&` and both line separators have six. */
const encodedLength = (raw: string): number =>
  /[<>&\u0080-\uffff]/.test(raw) ? escapedLength(raw) : raw.length;

const escapedLength = (raw: string): number =>
  (raw.match(/[<>&\u2028\u2029]/g) ?? []).reduce(
    (bytes, escaped) => bytes + 6 - Buffer.byteLength(escaped),
    Buffer.byteLength(raw),
  );

/** Bytes of a value as JSON, without white space (lazyNode.MarshalJSON). */
export function jsonLength(slot: Slot): number {
  if (slot === undefined) return 4;
  if (slot.kind === 'scalar') return encodedLength(slot.raw);
  const many = slot.kind === 'object' ? slot.members.size : slot.items.length;
  let bytes = 2 + Math.max(0, many - 1);
  if (slot.kind === 'list') for (const item of slot.items) bytes += jsonLength(item);
  else
    for (const [key, value] of slot.members)
      bytes += encodedLength(JSON.stringify(key)) + 1 + jsonLength(value);
  return bytes;
}

function sameSlot(a: Slot, b: Slot): boolean {
  return a === undefined || b === undefined ? a === b : sameNode(a, b);
}

/** lazyNode.equal: members in any order, scalars by their text. */
export function sameNode(a: PatchNode, b: PatchNode): boolean {
  if (a.kind === 'object') {
    if (b.kind !== 'object' || a.members.size !== b.members.size) return false;
    return [...a.members].every(([key, value]) => b.members.has(key) && sameSlot(value, b.members.get(key)));
  }
  if (a.kind === 'list') {
    if (b.kind !== 'list' || a.items.length !== b.items.length) return false;
    // For a null in a list the library dereferences a nil pointer.
    return a.items.every((item, index) => sameNode(item ?? panics(), b.items[index] ?? panics()));
  }
  return b.kind === 'scalar' && a.raw === b.raw;
}

const decodeKey = (key: string): string => key.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'));

/** The container and the last key of a JSON pointer; undefined if an element of the path is missing. */
export function findContainer(
  root: PatchNode,
  path: string,
): { container: Container; key: string } | undefined {
  const [, ...keys] = path.split('/');
  const last = keys.pop();
  if (last === undefined) return undefined;
  let node: Slot = root;
  for (const key of keys) {
    if (node === undefined || node.kind === 'scalar') return undefined;
    try {
      node = node.get(decodeKey(key));
    } catch (error) {
      if (error instanceof PatchError) return undefined;
      throw error;
    }
  }
  if (node === undefined || node.kind === 'scalar') return undefined;
  return { container: node, key: decodeKey(last) };
}
