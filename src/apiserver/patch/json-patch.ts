import { limits } from '../../basics/limits.ts';
import type { GoJson } from '../go/json.ts';
import { behaves } from '../server-version.ts';
import {
  copyOf,
  findContainer,
  isNull,
  jsonLength,
  nodeOf,
  type PatchNode,
  plainOf,
  sameNode,
} from './node.ts';
import { PatchError, PatchLimitExceeded, panics, word } from './patch-error.ts';

/** One operation of a patch; its members are as they were sent. */
export type PatchOperation = Readonly<Record<string, GoJson>>;

const missing = 'missing value';

/** A string member, or the library's error if it is not a string. */
function textOf(operation: PatchOperation, member: 'path' | 'from'): { text: string } | { fault: string } {
  const value = operation[member];
  if (value === undefined || value.kind === 'null') {
    const comma = member === 'from' ? ',' : '';
    return { fault: `operation${comma} missing ${member} field: ${missing}` };
  }
  if (value.kind === 'string') return { text: value.value };
  return { fault: `json: cannot unmarshal ${value.kind} into Go value of type string` };
}

/** Members whose own fault is not in the error. */
const withoutFault: readonly string[] = ['add path', 'remove path', 'copy path'];

function textOrThrow(operation: PatchOperation, name: string, member: 'path' | 'from'): string {
  const found = textOf(operation, member);
  if ('text' in found) return found.text;
  const fault = withoutFault.includes(`${name} ${member}`) ? missing : found.fault;
  throw new PatchError(`${name} operation failed to decode ${member}: ${fault}`);
}

function under<T>(before: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof PatchError ? new PatchError(`${before}: ${error.message}`) : error;
  }
}

const givenValue = (operation: PatchOperation): PatchNode | undefined =>
  operation.value === undefined ? undefined : nodeOf(operation.value);

type Root = {
  node: PatchNode;
  /** True for the behaviour of the library from 4.13 on, in Kubernetes 1.35. */
  readonly careful: boolean;
  /** Bytes that copy operations have added so far. */
  copied: number;
  /** List items moved so far. */
  moved: number;
};

/** Counts the moved items before an item is added to a list or removed from it. */
function countMoves(root: Root, container: object): void {
  if ('items' in container) root.moved += (container.items as readonly unknown[]).length;
  if (root.moved > limits.patchMoves) throw new PatchLimitExceeded('its patch moves too many list items');
}

/** The container of a path, and its key there. Throws PatchError, with this text, if it does not exist. */
function containerAt(root: Root, path: string, fault: string) {
  const found = findContainer(root.node, path);
  if (found === undefined) throw new PatchError(`${fault}: ${missing}`);
  return found;
}

function add(root: Root, operation: PatchOperation): void {
  const path = textOrThrow(operation, 'add', 'path');
  const found = containerAt(root, path, `add operation does not apply: doc is missing path: "${path}"`);
  countMoves(root, found.container);
  under(`error in add for path: '${path}'`, () => found.container.add(found.key, givenValue(operation)));
}

function remove(root: Root, operation: PatchOperation): void {
  const path = textOrThrow(operation, 'remove', 'path');
  const found = containerAt(root, path, `remove operation does not apply: doc is missing path: "${path}"`);
  countMoves(root, found.container);
  under(`error in remove for path: '${path}'`, () => found.container.remove(found.key));
}

function replace(root: Root, operation: PatchOperation): void {
  const path = textOrThrow(operation, 'replace', 'path');
  if (path === '') {
    const value = givenValue(operation) ?? panics();
    if (value.kind === 'scalar') {
      if (!root.careful) return;
      throw new PatchError('replace operation value must be object or array: %!w(<nil>)');
    }
    root.node = value;
    return;
  }
  const found = containerAt(root, path, `replace operation does not apply: doc is missing path: ${path}`);
  try {
    found.container.get(found.key);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
  }
  found.container.set(found.key, givenValue(operation));
}

function move(root: Root, operation: PatchOperation): void {
  const from = textOrThrow(operation, 'move', 'from');
  const source = containerAt(root, from, `move operation does not apply: doc is missing from path: ${from}`);
  countMoves(root, source.container);
  const value = under(`error in move for path: '${source.key}'`, () => {
    const moved = source.container.get(source.key);
    source.container.remove(source.key);
    return moved;
  });
  const path = textOrThrow(operation, 'move', 'path');
  const missed = `move operation does not apply: doc is missing destination path: ${path}`;
  const target = containerAt(root, path, missed);
  countMoves(root, target.container);
  under(`error in move for path: '${path}'`, () => target.container.add(target.key, value));
}

function copy(root: Root, operation: PatchOperation): void {
  const from = textOrThrow(operation, 'copy', 'from');
  const source = containerAt(root, from, `copy operation does not apply: doc is missing from path: ${from}`);
  const value = under(`error in copy for from: '${from}'`, () => source.container.get(source.key));
  const path = textOrThrow(operation, 'copy', 'path');
  const missed = `copy operation does not apply: doc is missing destination path: ${path}`;
  const target = containerAt(root, path, missed);
  root.copied += value === undefined ? 0 : jsonLength(value);
  if (root.copied > limits.patchCopies) {
    const exceeding = `is ${root.copied}, exceeding the limit ${limits.patchCopies}`;
    throw new PatchError(`Unable to complete the copy, the accumulated size increase of copy ${exceeding}`);
  }
  const copied = value === undefined ? undefined : copyOf(value);
  countMoves(root, target.container);
  under('error while adding value during copy', () => target.container.add(target.key, copied));
}

function test(root: Root, operation: PatchOperation): void {
  const path = textOrThrow(operation, 'test', 'path');
  const wanted = givenValue(operation);
  const failed = () => new PatchError(`testing value ${path} failed: test failed`);
  if (path === '') {
    if (!sameNode(root.node, wanted ?? panics())) throw failed();
    return;
  }
  const found = findContainer(root.node, path);
  if (found === undefined) {
    throw new PatchError(`test operation does not apply: is missing path: ${path}: ${missing}`);
  }
  const value = under(`error in test for path: '${path}'`, () => found.container.get(found.key));
  if (value === undefined) {
    if (isNull(wanted ?? (root.careful ? nothing : panics()))) return;
    throw failed();
  }
  if (wanted === undefined || !sameNode(value, wanted)) throw failed();
}

const nothing: PatchNode = nodeOf({ kind: 'null' });

const steps: Readonly<Record<string, (root: Root, operation: PatchOperation) => void>> = {
  add,
  remove,
  replace,
  move,
  test,
  copy,
};

/**
 * Applies a JSON patch as evanphx/json-patch v4 does, which differs from RFC 6902: replacing a missing member
 * adds it, indexes can be negative, and scalars are compared by their text. Throws `PatchError` with the
 * library's error, `PanicError` if the library panics, `PatchLimitExceeded` above the limits of this program.
 */
export function applyPatch(object: GoJson, operations: readonly PatchOperation[], server?: string): GoJson {
  const most = limits.patchOperations;
  if (operations.length > most) throw new PatchLimitExceeded(`its patch has more than ${most} operations`);
  const careful = behaves(server, 'patch-null');
  const root: Root = { node: nodeOf(object), careful, copied: 0, moved: 0 };
  for (const operation of operations) {
    const { op } = operation;
    const kind = op?.kind === 'string' ? op.value : 'unknown';
    const step = Object.hasOwn(steps, kind) ? steps[kind] : undefined;
    if (step === undefined) throw new PatchError(`Unexpected kind: ${kind}`);
    step(root, operation);
  }
  return plainOf(root.node);
}

/** Parses the operations of a patch, or returns the library's error (jsonpatch.DecodePatch). */
export function decodePatch(json: GoJson): readonly PatchOperation[] | { readonly fault: string } {
  if (json.kind === 'null') return [];
  if (json.kind !== 'array') return { fault: word(json.kind, 'jsonpatch.Patch') };
  const wrong = json.items.find(({ kind }) => kind !== 'object' && kind !== 'null');
  if (wrong !== undefined) return { fault: word(wrong.kind, 'jsonpatch.Operation') };
  return json.items.map((item) => (item.kind === 'object' ? Object.fromEntries(item.members) : {}));
}
