import type { Right } from '../facts/right.ts';
import type { Resource } from './resource.ts';

/** The right to read a resource, as its collector declares it. */
export const toRead = (
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  verbs: readonly ('get' | 'list')[],
  scope: Right['scope'],
  use: string,
): Right => ({ group, resource: plural, verbs, scope, use });
