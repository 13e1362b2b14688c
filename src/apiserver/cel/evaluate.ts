import { behaves } from '../server-version.ts';
import { access, present } from './access.ts';
import { attempt, type CelAnswer, conditionValue, logical, thrown } from './answer.ts';
import {
  aList,
  comprehended,
  hasTwoVariables,
  isComprehension,
  itemsOf,
  type RangeItem,
} from './comprehension.ts';
import { isConstant, nodeAt, nodesOf } from './constant.ts';
import {
  CostExceeded,
  charge,
  chargeCall,
  chargedSoFar,
  chargeOperator,
  costLimits,
  evaluatingVersion,
  renewBudget,
  spend,
} from './cost.ts';
import { type CelFunction, functions, methods, namespaced } from './functions.ts';
import { isBuiltIn } from './object-fields.ts';
import { binary, unary } from './operators.ts';
import { type CelNode, unlessTooDeep } from './parse.ts';
import {
  CelError,
  type CelKey,
  type CelMap,
  type CelValue,
  celMap,
  isList,
  isMap,
  isOptional,
  NotEvaluable,
  unknownValue,
} from './value.ts';

/** The variables of an expression. */
export type Variables = ReadonlyMap<string, CelValue | typeof unknownValue>;

const types = new Set([
  ...['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'],
  ...['google.protobuf.Duration', 'google.protobuf.Timestamp', 'net.IP', 'net.CIDR'],
]);

function literal(value: unknown): CelValue {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    const unsigned = (value as { readonly value?: unknown }).value;
    if (typeof unsigned === 'bigint') return { is: 'uint', value: unsigned };
    throw new NotEvaluable();
  }
  return value as CelValue;
}

function variable(name: string, variables: Variables): CelValue {
  const value = variables.get(name);
  if (value === unknownValue) throw new NotEvaluable();
  if (value !== undefined) return value;
  if (types.has(name)) return { is: 'type', name };
  throw new NotEvaluable();
}

const withVariable = (variables: Variables, name: CelNode | undefined, value: CelValue): Variables => {
  if (name?.op !== 'id') throw new NotEvaluable();
  return new Map([...variables, [name.args as string, value]]);
};

const accesses = new Set(['.', '.?', '[]', '[?]']);
/** True for a cel-go attribute: a variable, a field selection from it, or a conditional of attributes. */
const isAttribute = ({ op }: CelNode): boolean => op === 'id' || op === '?:' || accesses.has(op);

/** Cost of creating a map. */
const aMap = 30;

function comprehension(
  name: string,
  over: CelNode,
  args: readonly CelNode[],
  variables: Variables,
): CelValue {
  const [bound, ...others] = args;
  const second = hasTwoVariables(name, args) ? others.shift() : undefined;
  const [first, last] = others;
  if (first === undefined) throw new NotEvaluable();
  const container = evaluate(over, variables);
  const items = itemsOf(container, second === undefined ? 1 : 2);
  const inside = (body: CelNode, [key, value]: RangeItem): CelValue =>
    second === undefined
      ? evaluate(body, withVariable(variables, bound, isList(container) ? value : key))
      : evaluate(body, withVariable(withVariable(variables, bound, key), second, value));
  return comprehended({ name, range: container, items, first, last, inside });
}

function has(argument: CelNode | undefined, variables: Variables): boolean {
  if (argument?.op !== '.' && argument?.op !== '.?') throw new NotEvaluable();
  const [of, field] = argument.args as readonly [CelNode, string];
  const container = attempt(() => attribute(of, variables));
  if ('value' in container) return present(container.value, field);
  charge(-1);
  return thrown(container);
}

/** The operand of a field selection. `resolved`: part of an attribute that is charged elsewhere. */
function attribute(of: CelNode, variables: Variables, resolved = false): CelValue {
  if (!isAttribute(of) && !resolved) charge(1);
  return evaluate(of, variables, resolved);
}

/** optMap and optFlatMap bind a name to an optional, evaluated for presence, then for its value. */
function mapped(name: string, over: CelNode, args: readonly CelNode[], variables: Variables): CelValue {
  const before = chargedSoFar();
  const optional = evaluate(over, variables);
  const after = chargedSoFar();
  const [bound, body] = args;
  if (!isOptional(optional) || body === undefined) throw new NotEvaluable();
  charge(name === 'optMap' || optional.value === undefined ? 2 : 1);
  if (optional.value === undefined) return optional;
  charge(1 + after.least - before.least, 1 + after.most - before.most);
  const value = evaluate(body, withVariable(variables, bound, optional.value));
  return name === 'optMap' ? { is: 'optional', value } : value;
}

function method(name: string, over: CelNode, args: readonly CelNode[], variables: Variables): CelValue {
  if (isComprehension(name, args)) return comprehension(name, over, args, variables);
  if (name === 'optMap' || name === 'optFlatMap') return mapped(name, over, args, variables);
  if (name === 'orValue' || name === 'or') {
    const optional = evaluate(over, variables);
    const [other] = args;
    if (!isOptional(optional) || other === undefined) throw new NotEvaluable();
    if (optional.value === undefined) return evaluate(other, variables);
    return name === 'or' ? optional : optional.value;
  }
  if (over.op === 'id' && !variables.has(over.args as string)) {
    const full = `${over.args as string}.${name}`;
    return call(full, namespaced.get(full), args, variables);
  }
  return call(name, methods.get(name), [over, ...args], variables);
}

/** Maximum cost of a call with an operand that is an error: the function is not evaluated. */
const ofErrors = 1000;

function call(
  name: string,
  called: CelFunction | undefined,
  args: readonly CelNode[],
  variables: Variables,
): CelValue {
  if (called === undefined) throw new NotEvaluable();
  const values: CelValue[] = [];
  let failed: Exclude<CelAnswer, { readonly value: CelValue }> | undefined;
  for (const argument of args) {
    const answer = attempt(() => evaluate(argument, variables));
    if ('value' in answer) values.push(answer.value);
    else failed ??= answer;
    if (failed !== undefined && args.length > 2) break;
  }
  if (failed === undefined) {
    chargeCall(name, values);
    return called(...values);
  }
  charge(0, ofErrors);
  return thrown(failed);
}

function mapLiteral(entries: readonly (readonly [CelNode, CelNode])[], variables: Variables): CelValue {
  const made = new Map<CelKey, CelValue>();
  for (const [keyNode, valueNode] of entries) {
    const key = evaluate(keyNode, variables);
    if (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean')
      throw new NotEvaluable();
    if (made.has(key)) throw new NotEvaluable();
    made.set(key, evaluate(valueNode, variables));
  }
  return celMap(made);
}

const nodeSteps = 20;

/**
 * The value of a complete expression: see {@link evaluate}. Throws cel-go's error if the API server ends the
 * evaluation because of its cost. Throws {@link NotEvaluable} if the evaluation takes too long here, or can
 * cost too much there. {@link chargedSoFar} returns the charged cost.
 *
 * @param version of the API server.
 */
export function resultOf(expression: CelNode, variables: Variables, version?: string): CelValue {
  renewBudget(version);
  try {
    const answer = attempt(() => unlessTooDeep(() => evaluate(expression, variables)));
    if (chargedSoFar().most > costLimits.expression) throw new NotEvaluable('may-end');
    return 'value' in answer ? answer.value : thrown(answer);
  } catch (error) {
    if (error instanceof CostExceeded) throw new CelError('operation cancelled: actual cost limit exceeded');
    throw error;
  }
}

/**
 * The value of an expression by cel-go's rules. Throws {@link CelError} if cel-go returns that error, and
 * {@link NotEvaluable} if the value depends on an unknown fact. `resolved`: an attribute that is part of
 * another one.
 */
function evaluate(of: CelNode, variables: Variables, resolved = false): CelValue {
  spend(nodeSteps);
  const { op, args } = of;
  switch (op) {
    case 'value':
      return literal(args);
    case 'id':
      if (!resolved && variables.has(args as string)) charge(1);
      return variable(args as string, variables);
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return selected(of, variables, resolved);
    case '&&':
    case '||':
      return logical(op === '||', operands(args, variables));
    case '?:': {
      const condition = conditionValue(evaluate(nodeAt(args, 0), variables));
      const chosen = nodeAt(args, condition ? 1 : 2);
      return evaluate(chosen, variables, isAttribute(chosen));
    }
    case '!_':
    case '-_': {
      const operand = attempt(() => evaluate(args as CelNode, variables));
      if (!isConstant(of)) charge(1);
      return 'value' in operand ? unary(op, operand.value) : thrown(operand);
    }
    case 'list':
      if (!isConstant(of)) charge(aList);
      return nodesOf(args).map((item) => evaluate(item, variables));
    case 'map':
      if (!isConstant(of)) charge(aMap);
      return mapLiteral(args as readonly (readonly [CelNode, CelNode])[], variables);
    case 'call':
      return globalCall(of, variables);
    case 'rcall': {
      const [name, over, list] = args as readonly [string, CelNode, readonly CelNode[]];
      return method(name, over, list, variables);
    }
    default:
      return operation(of, variables);
  }
}

/** A type by its qualified name, `net.IP`; undefined for a field of a variable. */
function qualifiedType(of: CelNode, variables: Variables): CelValue | undefined {
  let [root, name] = [of, ''];
  while (root.op === '.') {
    const [from, field] = root.args as readonly [CelNode, string];
    [root, name] = [from, `.${field}${name}`];
  }
  if (root.op !== 'id' || variables.has(root.args as string)) return undefined;
  const full = `${root.args as string}${name}`;
  return types.has(full) ? { is: 'type', name: full } : undefined;
}

/** A field or an item of a container, perhaps optional. */
function selected(of: CelNode, variables: Variables, resolved: boolean): CelValue {
  const { op, args } = of;
  const type = qualifiedType(of, variables);
  if (type !== undefined) return type;
  const [from, at] = nodesOf(args) as readonly [CelNode, CelNode];
  const container = attribute(from, variables, resolved);
  const key = op.startsWith('.') ? (at as unknown as string) : evaluate(at, variables, isAttribute(at));
  const optionally = op.includes('?');
  if (!optionally && !isOptional(container)) charge(1);
  const found = access(container, key, optionally);
  if ((optionally || isOptional(container)) && isOptional(found) && found.value !== undefined) charge(1);
  return found;
}

/** Both operands of `&&` and `||`; the second is evaluated only if it is needed. */
function* operands(args: unknown, variables: Variables): Generator<CelAnswer> {
  yield attempt(() => evaluate(nodeAt(args, 0), variables));
  yield attempt(() => evaluate(nodeAt(args, 1), variables));
}

function globalCall(of: CelNode, variables: Variables): CelValue {
  const [name, list] = of.args as readonly [string, readonly CelNode[]];
  if (name === 'has') return has(list[0], variables);
  const called = functions.get(name);
  if (called === undefined) throw new NotEvaluable();
  return isConstant(of)
    ? called(...list.map((item) => evaluate(item, variables)))
    : call(name, called, list, variables);
}

/** A binary operator. An unknown operand takes precedence over one that is an error. */
function operation({ op, args }: CelNode, variables: Variables): CelValue {
  const right = nodeAt(args, 1);
  const a = attempt(() => evaluate(nodeAt(args, 0), variables));
  const b = attempt(() => evaluate(right, variables));
  if ('unknown' in a) throw a.unknown;
  if ('unknown' in b) throw b.unknown;
  const isSet = op === 'in' && right.op === 'list' && isConstant(right) && nodesOf(right.args).every(isPlain);
  if (!isSet) chargeOperator(op, 'value' in a ? a.value : undefined, 'value' in b ? b.value : undefined);
  if ('error' in a) throw a.error;
  if ('error' in b) throw b.error;
  const key = { bigint: 'Int', boolean: 'Bool' }[typeof a.value as string] as 'Int' | 'Bool' | undefined;
  if (op === 'in' && isMap(b.value) && key !== undefined) requireUntyped(key, right, variables);
  return binary(op, a.value, b.value);
}

/**
 * From 1.37 on, built-in objects are typed, and have no keys but strings: throws the error of the API server (apiserver
 * pkg/cel/common/valuesschemalesstyped.go). Custom resources are untyped. A subresource can have an object of another kind.
 */
function requireUntyped(key: 'Int' | 'Bool', of: CelNode, variables: Variables): void {
  if (of.op === 'map' || !behaves(evaluatingVersion(), 'typed-objects')) return;
  let root = of;
  while (accesses.has(root.op)) root = nodeAt(root.args, 0);
  const request = (variables.get('request') as CelMap | undefined)?.entries;
  const where = (request?.get('requestResource') as CelMap | undefined)?.entries;
  const isObject = root.op === 'id' && (root.args === 'object' || root.args === 'oldObject');
  const isWhole = isObject && (request?.get('subResource') ?? 'status') === 'status';
  const isTyped = isWhole ? isBuiltIn(where?.get('group'), where?.get('resource')) : undefined;
  if (isTyped === undefined) throw new NotEvaluable();
  if (isTyped) throw new CelError(`unsupported map key type: types.${key}`);
}

/** A literal that cel-go puts into a set. */
const isPlain = ({ op, args }: CelNode): boolean =>
  op === '-_' || (op === 'value' && !(args instanceof Uint8Array));
