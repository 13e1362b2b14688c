import { Environment } from '@marcbachmann/cel-js';
import { NotEvaluable } from './value.ts';

/** A syntax tree of the library before macro expansion: the type of `args` depends on the operator `op`. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
}

let environment: Environment | undefined;
const parsed = new Map<string, CelNode | undefined>();
const cacheLimit = 1000;

/**
 * Parses an expression. Throws {@link NotEvaluable} if the library cannot parse it: it is valid, because the
 * API server compiled it.
 */
export function parse(expression: string): CelNode {
  if (!parsed.has(expression)) {
    if (parsed.size >= cacheLimit) parsed.clear();
    parsed.set(expression, read(expression));
  }
  const node = parsed.get(expression);
  if (node === undefined) throw new NotEvaluable();
  return node;
}

function read(expression: string): CelNode | undefined {
  environment ??= new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  try {
    return environment.parse(expression).ast as unknown as CelNode;
  } catch {
    return undefined;
  }
}

/** Whether a tree names a variable. */
export function namesVariable({ op, args }: CelNode, variable: string): boolean {
  if (op === 'id') return args === variable;
  const within = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.some(within);
    return isNode(part) && namesVariable(part, variable);
  };
  return op !== 'value' && within(args);
}

const isNode = (part: unknown): part is CelNode =>
  typeof part === 'object' && part !== null && 'op' in part && 'args' in part;

/** Runs a recursive function on a tree. Throws {@link NotEvaluable} if the tree is too deep for the stack. */
export function unlessTooDeep<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new NotEvaluable();
    throw error;
  }
}
