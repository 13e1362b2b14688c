/** Random numbers from a seed (mulberry32). */
export interface Random {
  /** 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    shuffle(list) {
      const left = [...list];
      return list.map(() => left.splice(below(left.length), 1)[0] as (typeof list)[number]);
    },
  };
}
