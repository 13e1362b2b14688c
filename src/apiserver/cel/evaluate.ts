import { access, present } from './access.ts';
import { attempt, collected, conditionValue, logical } from './answer.ts';
import { type CelFunction, functions, methods, namespaced } from './functions.ts';
import { binary, unary } from './operators.ts';
import { type CelNode, unlessTooDeep } from './parse.ts';
import {
  allOf,
  CannotTell,
  type CelKey,
  type CelValue,
  celMap,
  isList,
  isMap,
  isOptional,
  renewBudget,
  spend,
  unforeseen,
} from './value.ts';

/** What an expression can name. */
export type Variables = ReadonlyMap<string, CelValue | typeof unforeseen>;

const types = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type']);

const nodes = (args: unknown): readonly CelNode[] => args as readonly CelNode[];
const node = (args: unknown, at: number): CelNode => nodes(args)[at] as CelNode;

function literal(value: unknown): CelValue {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    const unsigned = (value as { readonly value?: unknown }).value;
    if (typeof unsigned === 'bigint') return { is: 'uint', value: unsigned };
    throw new CannotTell();
  }
  return value as CelValue;
}

function variable(name: string, variables: Variables): CelValue {
  const value = variables.get(name);
  if (value === unforeseen) throw new CannotTell();
  if (value !== undefined) return value;
  if (types.has(name)) return { is: 'type', name };
  throw new CannotTell();
}

/** What a comprehension runs over: the items of a list, the keys of a map. */
function range(value: CelValue): readonly CelValue[] {
  if (isList(value)) return value;
  if (isMap(value)) return allOf(value).map(([key]) => key);
  throw new CannotTell();
}

const withVariable = (variables: Variables, name: CelNode | undefined, value: CelValue): Variables => {
  if (name?.op !== 'id') throw new CannotTell();
  return new Map([...variables, [name.args as string, value]]);
};

function comprehension(
  name: string,
  over: CelNode,
  args: readonly CelNode[],
  variables: Variables,
): CelValue {
  const [bound, first, second] = args;
  if (first === undefined) throw new CannotTell();
  const items = range(evaluate(over, variables));
  const inside = (body: CelNode) => (item: CelValue) => evaluate(body, withVariable(variables, bound, item));
  const answers = function* () {
    for (const item of items) yield attempt(() => inside(first)(item));
  };
  switch (name) {
    case 'all':
      return logical(false, answers());
    case 'exists':
      return logical(true, answers());
    case 'exists_one':
      return (
        collected(
          items,
          (item) => conditionValue(inside(first)(item)),
          (item) => item,
        ).length === 1
      );
    case 'filter':
      return collected(
        items,
        (item) => conditionValue(inside(first)(item)),
        (item) => item,
      );
    default:
      return second === undefined
        ? collected(items, () => true, inside(first))
        : collected(items, (item) => conditionValue(inside(first)(item)), inside(second));
  }
}

const comprehensions: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2, 3],
};

function has(argument: CelNode | undefined, variables: Variables): boolean {
  if (argument?.op !== '.' && argument?.op !== '.?') throw new CannotTell();
  const [of, field] = argument.args as readonly [CelNode, string];
  return present(evaluate(of, variables), field);
}

/** optMap and optFlatMap bind a name to what an optional holds. */
function mapped(name: string, over: CelNode, args: readonly CelNode[], variables: Variables): CelValue {
  const optional = evaluate(over, variables);
  const [bound, body] = args;
  if (!isOptional(optional) || body === undefined) throw new CannotTell();
  if (optional.value === undefined) return optional;
  const value = evaluate(body, withVariable(variables, bound, optional.value));
  return name === 'optMap' ? { is: 'optional', value } : value;
}

function method(name: string, over: CelNode, args: readonly CelNode[], variables: Variables): CelValue {
  if (comprehensions[name]?.includes(args.length)) return comprehension(name, over, args, variables);
  if (name === 'optMap' || name === 'optFlatMap') return mapped(name, over, args, variables);
  if (name === 'orValue' || name === 'or') {
    const optional = evaluate(over, variables);
    const [other] = args;
    if (!isOptional(optional) || other === undefined) throw new CannotTell();
    if (optional.value === undefined) return evaluate(other, variables);
    return name === 'or' ? optional : optional.value;
  }
  if (over.op === 'id' && !variables.has(over.args as string)) {
    const called = namespaced.get(`${over.args as string}.${name}`);
    if (called === undefined) throw new CannotTell();
    return call(called, args, variables);
  }
  const called = methods.get(name);
  if (called === undefined) throw new CannotTell();
  return call(called, [over, ...args], variables);
}

const call = (called: CelFunction, args: readonly CelNode[], variables: Variables): CelValue =>
  called(...args.map((argument) => evaluate(argument, variables)));

function mapLiteral(entries: readonly (readonly [CelNode, CelNode])[], variables: Variables): CelValue {
  const made = new Map<CelKey, CelValue>();
  for (const [keyNode, valueNode] of entries) {
    const key = evaluate(keyNode, variables);
    if (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean')
      throw new CannotTell();
    if (made.has(key)) throw new CannotTell();
    made.set(key, evaluate(valueNode, variables));
  }
  return celMap(made);
}

/** What a node costs of the budget. */
const nodeSteps = 300;

/** The value of a whole expression: see {@link evaluate}. Ends in {@link CannotTell} where it takes too long. */
export function resultOf(expression: CelNode, variables: Variables): CelValue {
  renewBudget();
  return unlessTooDeep(() => evaluate(expression, variables));
}

/**
 * The value of an expression, by cel-go's rules. Throws {@link CelError} where cel-go ends in that error, and
 * {@link CannotTell} where the value hangs on what is not known.
 */
function evaluate({ op, args }: CelNode, variables: Variables): CelValue {
  spend(nodeSteps);
  const value = (at: number): CelValue => evaluate(node(args, at), variables);
  switch (op) {
    case 'value':
      return literal(args);
    case 'id':
      return variable(args as string, variables);
    case '.':
    case '.?':
      return access(value(0), nodes(args)[1] as unknown as string, op === '.?');
    case '[]':
    case '[?]':
      return access(value(0), value(1), op === '[?]');
    case '&&':
    case '||':
      return logical(
        op === '||',
        (function* () {
          yield attempt(() => value(0));
          yield attempt(() => value(1));
        })(),
      );
    case '?:':
      return conditionValue(value(0)) ? value(1) : value(2);
    case '!_':
    case '-_':
      return unary(op, evaluate(args as CelNode, variables));
    case 'list':
      return nodes(args).map((item) => evaluate(item, variables));
    case 'map':
      return mapLiteral(args as readonly (readonly [CelNode, CelNode])[], variables);
    case 'call': {
      const [name, list] = args as readonly [string, readonly CelNode[]];
      if (name === 'has') return has(list[0], variables);
      const called = functions.get(name);
      if (called === undefined) throw new CannotTell();
      return call(called, list, variables);
    }
    case 'rcall': {
      const [name, over, list] = args as readonly [string, CelNode, readonly CelNode[]];
      return method(name, over, list, variables);
    }
    default: {
      const [a, b] = [attempt(() => value(0)), attempt(() => value(1))];
      if ('unknown' in a) throw a.unknown;
      if ('unknown' in b) throw b.unknown;
      if ('error' in a) throw a.error;
      if ('error' in b) throw b.error;
      return binary(op, a.value, b.value);
    }
  }
}
