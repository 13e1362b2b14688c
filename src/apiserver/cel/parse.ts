import { Environment } from '@marcbachmann/cel-js';
import { CannotTell } from './value.ts';

/** A syntax tree of the library, before it expands macros: `op` names the operator, `args` depends on it. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
}

let environment: Environment | undefined;
const parsed = new Map<string, CelNode | undefined>();
const mostKept = 1000;

/** Throws {@link CannotTell} for what the library does not read; the API server compiled it, so that it is sound. */
export function parse(expression: string): CelNode {
  if (!parsed.has(expression)) {
    if (parsed.size >= mostKept) parsed.clear();
    parsed.set(expression, read(expression));
  }
  const node = parsed.get(expression);
  if (node === undefined) throw new CannotTell();
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
export function names({ op, args }: CelNode, variable: string): boolean {
  if (op === 'id') return args === variable;
  const within = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.some(within);
    return isNode(part) && names(part, variable);
  };
  return op !== 'value' && within(args);
}

const isNode = (part: unknown): part is CelNode =>
  typeof part === 'object' && part !== null && 'op' in part && 'args' in part;

/** Work that goes down a tree; {@link CannotTell} where the tree is deeper than the stack. */
export function unlessTooDeep<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new CannotTell();
    throw error;
  }
}
