/** Who needs whom before its Pods can serve; nobody needs itself here. */
export type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** The way back, from where it was reached first. */
function wayTo(last: string, first: string, reachedFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [last];
  for (let at = last; at !== first; ) {
    at = reachedFrom.get(at) ?? first;
    way.push(at);
  }
  return way.reverse();
}

/**
 * The shortest ring through `one`: each needs the next, and the last needs the first. Undefined when it is in none.
 */
export function ringThrough(one: string, needs: Needs): readonly string[] | undefined {
  const reachedFrom = new Map<string, string>();
  const queue = [one];
  for (const at of queue) {
    const next = needs.get(at);
    if (next === undefined) continue;
    if (next.has(one)) return wayTo(at, one, reachedFrom);
    for (const other of next) {
      if (reachedFrom.has(other)) continue;
      reachedFrom.set(other, at);
      queue.push(other);
    }
  }
  return undefined;
}
