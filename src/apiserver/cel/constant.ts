import { remembered } from '../../facts/derive.ts';
import type { CelNode } from './parse.ts';

/** The operands of a node, or the items of a list. */
export const nodes = (args: unknown): readonly CelNode[] => args as readonly CelNode[];
/** One operand of a node. */
export const node = (args: unknown, at: number): CelNode => nodes(args)[at] as CelNode;

const conversions = new Set('bool double duration dyn int string timestamp type uint'.split(' '));

/** True if cel-go folds the node to a constant before evaluation: it then has no cost. */
export const isConstant: (of: CelNode) => boolean = remembered(
  ({ op, args }: CelNode): boolean =>
    op === 'value' ||
    (op === 'list' && nodes(args).every(isConstant)) ||
    (op === 'map' && (args as readonly (readonly CelNode[])[]).every((entry) => entry.every(isConstant))) ||
    (op === '-_' && (args as CelNode).op === 'value') ||
    (op === 'call' &&
      conversions.has(nodes(args)[0] as unknown as string) &&
      isConstant(node(nodes(args)[1], 0))),
);
