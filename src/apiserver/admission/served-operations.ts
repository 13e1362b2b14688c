import type { RuleWithOperations } from '../../facts/callout.ts';
import type { ServedResource, ServedResources } from '../../facts/served-resources.ts';
import type { Operation } from './admission-request.ts';
import { coversResource, staleIn } from './rule-resources.ts';

/** Subresources of the core group with operation CONNECT, for any method (apiserver rest.Connecter). */
const connecters = ['exec', 'attach', 'portforward', 'proxy'];

const verbsOf: Readonly<Record<Operation, readonly string[]>> = {
  CREATE: ['create'],
  UPDATE: ['update', 'patch'],
  DELETE: ['delete'],
  CONNECT: ['get', 'create'],
};

/** Whether a resource has an operation, by the verbs that discovery lists for it. */
export function serves({ group, resource, verbs }: ServedResource, operation: Operation): boolean {
  const [, subresource = ''] = resource.split('/');
  if (group === '' && connecters.includes(subresource) !== (operation === 'CONNECT')) return false;
  if (operation === 'CONNECT' && subresource === '') return false;
  return verbs.some((verb) => verbsOf[operation].includes(verb));
}

/**
 * Why no request matches a rule, although the resources that it names are served: all of them are of the other
 * scope, or have none of its operations. Undefined if requests match it, or discovery does not show it.
 */
export function unmatchedBecause(
  rule: RuleWithOperations,
  { resources, stale }: ServedResources,
): 'scope' | 'operation' | undefined {
  if (staleIn(rule, stale) !== undefined) return undefined;
  const named = resources.filter((resource) => coversResource({ ...rule, scope: '*' }, resource));
  if (named.length === 0) return undefined;
  const inScope = named.filter((resource) => coversResource(rule, resource));
  if (inScope.length === 0) return 'scope';
  const { operations } = rule;
  if (operations.includes('*')) return undefined;
  const isMatched = inScope.some((resource) =>
    operations.some((operation) => serves(resource, operation as Operation)),
  );
  return isMatched ? undefined : 'operation';
}
