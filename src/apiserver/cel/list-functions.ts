import { chargeJoined, mayGrowTo, spend } from './cost.ts';
import { compareNumbers, equal } from './equal.ts';
import { compareText } from './operators.ts';
import { type Overload, overload } from './overload.ts';
import { CelError, type CelValue, isList, NotEvaluable } from './value.ts';

type List = readonly CelValue[];

/** Compares items of one orderable type. The API server's compiler rejects others, except dynamic ones. */
function order(a: CelValue, b: CelValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const found = typeof a === typeof b ? compareNumbers(a, b) : undefined;
  if (found === undefined) throw new NotEvaluable();
  return found;
}

function extreme(name: string, list: List, sign: number): CelValue {
  const [first, ...others] = list;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return others.reduce((best, item) => (order(item, best) * sign > 0 ? item : best), first);
}

function sum(list: List): CelValue {
  if (list.length === 0) return 0n;
  if (list.every((item) => typeof item === 'bigint')) {
    const total = list.reduce((all, item) => all + item, 0n);
    if (total !== BigInt.asIntN(64, total)) throw new CelError('integer overflow');
    return total;
  }
  if (list.every((item) => typeof item === 'number')) return list.reduce((all, item) => all + item, 0);
  throw new NotEvaluable();
}

function join(list: List, separator: string): string {
  if (!list.every((item) => typeof item === 'string')) throw new NotEvaluable();
  mayGrowTo(list.reduce((length, item) => length + item.length + separator.length, 0));
  const joined = list.join(separator);
  chargeJoined(joined);
  return joined;
}

const position = (at: number): bigint => BigInt(at);

function distinct(list: List): List {
  spend(list.length ** 2);
  return list.filter((item, at) => list.findIndex((earlier) => equal(earlier, item)) === at);
}

function sort(list: List): List {
  spend(list.length * Math.log2(list.length + 1));
  return list.toSorted(order);
}

/** `list.sortBy(item, key)`: the items sorted by their keys. */
export function sortedBy(list: List, keys: List): List {
  spend(list.length * Math.log2(list.length + 1));
  const positions = list.map((_, at) => at);
  const keyOf = (at: number) => keys[at] as CelValue;
  return positions.toSorted((a, b) => order(keyOf(a), keyOf(b))).map((at) => list[at] as CelValue);
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end > BigInt(list.length) || start > end) throw new NotEvaluable();
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new NotEvaluable();
  spend(list.length);
  return list.flatMap((item) => (depth > 0n && isList(item) ? flatten(item, depth - 1n) : [item]));
}

function upTo(end: bigint): List {
  const length = Math.max(0, Number(end));
  mayGrowTo(length);
  return Array.from({ length }, (_, at) => BigInt(at));
}

/** `lists.range` of cel-go ext/lists.go. */
export const listFunctions: readonly Overload[] = [overload('lists.range', ['int'], upTo)];

/**
 * Methods of lists: those of Kubernetes (pkg/cel/library/lists.go), and of cel-go `join` (ext/strings.go) and
 * others (ext/lists.go).
 */
export const listMethods: readonly Overload[] = [
  overload('isSorted', ['list'], (list: List) =>
    list.every((item, at) => at === 0 || order(list[at - 1] as CelValue, item) <= 0),
  ),
  overload('sum', ['list'], sum),
  overload('min', ['list'], (list: List) => extreme('min', list, -1)),
  overload('max', ['list'], (list: List) => extreme('max', list, 1)),
  overload('indexOf', ['list', 'dyn'], (list: List, wanted: CelValue) =>
    position(list.findIndex((item) => equal(item, wanted))),
  ),
  overload('lastIndexOf', ['list', 'dyn'], (list: List, wanted: CelValue) =>
    position(list.findLastIndex((item) => equal(item, wanted))),
  ),
  overload('join', ['list'], (list: List) => join(list, '')),
  overload('join', ['list', 'string'], join),
  overload('distinct', ['list'], distinct),
  overload('reverse', ['list'], (list: List) => list.toReversed()),
  overload('sort', ['list'], sort),
  overload('slice', ['list', 'int', 'int'], slice),
  overload('flatten', ['list'], (list: List) => flatten(list, 1n)),
  overload('flatten', ['list', 'int'], flatten),
];
