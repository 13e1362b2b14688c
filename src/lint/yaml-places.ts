import { isMap, isSeq, type LineCounter, type Node } from 'yaml';

/** A range of indices: the descendants of a document, a key or an item. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A document, a key or an item. */
export interface Place {
  /** Line, starting at 1. */
  readonly line: number;
  readonly below: Part;
}

/** Positions of the keys and items of a text, without the parsed nodes, which need much memory. */
export interface Places {
  /** Adds everything below a node. `again` is called for a duplicate key. */
  add(node: unknown, again: (key: Node) => never): Part;
  /** The keys of a map, or the items of a list. */
  children(part: Part): readonly Place[];
  /** The last existing step of a path of names and indices; undefined if the first one does not exist. */
  find(part: Part, path: readonly (string | number)[]): Place | undefined;
}

const rangeOf = (node: unknown): Node['range'] => (node as Node | null)?.range;

const isName = (text: string, name: string): boolean =>
  text === name || text === `"${name}"` || text === `'${name}'`;

/**
 * The positions in a text, none at first: the caller adds each document of it.
 *
 * @param lines the line numbers that the parser has collected for the text.
 */
export function placesIn(text: string, lines: LineCounter): Places {
  /** For each, in text order: its start, the end of its name (0: an item), and the next entry not below. */
  const [starts, ends, nexts]: [number[], number[], number[]] = [[], [], []];
  const note = (place: unknown, end: number, below: unknown, again: (key: Node) => never): void => {
    const at = starts.push(rangeOf(place)?.[0] ?? 0) - 1;
    ends.push(end);
    nexts.push(0);
    nexts[at] = add(below, again).to;
  };
  const add: Places['add'] = (node, again) => {
    const from = starts.length;
    if (isMap<Node>(node)) {
      const keys = new Set<string>();
      for (const { key, value } of node.items) {
        if (keys.has(String(key))) again(key);
        keys.add(String(key));
        note(key, rangeOf(key)?.[1] ?? 0, value, again);
      }
    } else if (isSeq(node)) for (const item of node.items) note(item, 0, item, again);
    return { from, to: starts.length };
  };
  const within = ({ from, to }: Part): readonly number[] => {
    const found: number[] = [];
    for (let at = from; at < to; at = nexts[at] ?? to) found.push(at);
    return found;
  };
  const placeAt = (at: number): Place => ({
    line: lines.linePos(starts[at] ?? 0).line,
    below: { from: at + 1, to: nexts[at] ?? 0 },
  });
  const step = (part: Part, wanted: string | number): number | undefined =>
    within(part).find((at, nth) => {
      const end = ends[at] ?? 0;
      return typeof wanted === 'number'
        ? end === 0 && nth === wanted
        : end > 0 && isName(text.slice(starts[at], end), wanted);
    });
  return {
    add,
    children: (part) => within(part).map(placeAt),
    find(part, path) {
      let found: Place | undefined;
      for (const wanted of path) {
        const at = step(found?.below ?? part, wanted);
        if (at === undefined) break;
        found = placeAt(at);
      }
      return found;
    },
  };
}
