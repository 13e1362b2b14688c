/** Whether one must have the other answer before its own Pods can serve. */
export type Needs = (one: string, other: string) => boolean;

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
 * The shortest ring of two or more through `one`: each needs the next, and the last needs the first. Undefined when it
 * is in none. Most rings are pairs, and those are found without a look at anything else.
 */
export function ringThrough(
  one: string,
  all: readonly string[],
  needs: Needs,
): readonly string[] | undefined {
  const others = all.filter((other) => other !== one);
  const pair = others.find((other) => needs(one, other) && needs(other, one));
  if (pair !== undefined) return [one, pair];
  const reachedFrom = new Map<string, string>();
  const queue = [one];
  for (const at of queue) {
    if (at !== one && needs(at, one)) return wayTo(at, one, reachedFrom);
    for (const other of others) {
      if (other === at || reachedFrom.has(other) || !needs(at, other)) continue;
      reachedFrom.set(other, at);
      queue.push(other);
    }
  }
  return undefined;
}
