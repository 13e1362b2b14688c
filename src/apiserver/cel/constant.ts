import { remembered } from '../../basics/derive.ts';
import type { CelNode } from './parse.ts';

/** The operands of a node, or the items of a list. */
export const nodesOf = (args: unknown): readonly CelNode[] => args as readonly CelNode[];
/** One operand of a node. */
export const nodeAt = (args: unknown, at: number): CelNode => nodesOf(args)[at] as CelNode;

const conversions = new Set('bool double duration dyn int string timestamp type uint'.split(' '));

/** True if cel-go folds the node to a constant before evaluation: it then has no cost. */
export const isConstant: (of: CelNode) => boolean = remembered(
  ({ op, args }: CelNode): boolean =>
    op === 'value' ||
    (op === 'list' && nodesOf(args).every(isConstant)) ||
    (op === 'map' && (args as readonly (readonly CelNode[])[]).every((entry) => entry.every(isConstant))) ||
    (op === '-_' && (args as CelNode).op === 'value') ||
    (op === 'call' &&
      conversions.has(nodesOf(args)[0] as unknown as string) &&
      isConstant(nodeAt(nodesOf(args)[1], 0))),
);
