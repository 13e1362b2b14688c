import { type Lookup, nothingRead } from '../../src/facts/lookup.ts';

/** A lookup that nobody was allowed to read. */
export const forbidden = <V>(what = 'this'): Lookup<V> => nothingRead<V>({ what, why: 'forbidden' });
