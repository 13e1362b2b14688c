import { type Lookup, nothingRead } from '../../src/facts/lookup.ts';
import type { ApiRead } from '../../src/facts/unread.ts';

/** A lookup whose reads are all forbidden. */
export const forbidden = <V>(what = 'this'): Lookup<V> => nothingRead<V>({ what, why: 'forbidden' });

/** A read of a list, as an {@link Unread} names it. */
export const listing = (resource: string, namespace?: string): ApiRead => ({
  resource,
  verb: 'list',
  ...(namespace === undefined ? {} : { namespaces: [namespace] }),
});
