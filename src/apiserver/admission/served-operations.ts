import { remembered } from '../../basics/derive.ts';
import type { RuleWithOperations } from '../../facts/callout.ts';
import { type ServedResource, type ServedResources, servedByGroup } from '../../facts/served-resources.ts';
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
export function unmatchedBecause(rule: RuleWithOperations, served: ServedResources): Reason | undefined {
  const known = reasonsFor(served);
  // Webhooks often have the same rules.
  const key = [rule.apiGroups, rule.apiVersions, rule.resources, rule.operations, rule.scope].join(' ');
  if (!known.has(key)) known.set(key, reasonOf(rule, served));
  return known.get(key);
}

type Reason = 'scope' | 'operation';

const reasonsFor = remembered((_: ServedResources) => new Map<string, Reason | undefined>());

function reasonOf(rule: RuleWithOperations, served: ServedResources): Reason | undefined {
  const { apiGroups, operations } = rule;
  const inGroups = apiGroups.includes('*')
    ? served.resources
    : apiGroups.flatMap((group) => servedByGroup(served).get(group) ?? []);
  const hasOperation = (resource: ServedResource): boolean =>
    operations.includes('*') || operations.some((operation) => serves(resource, operation as Operation));
  const isMatched = inGroups.some((resource) => coversResource(rule, resource) && hasOperation(resource));
  if (isMatched || staleIn(rule, served.stale) !== undefined) return undefined;
  const inAnyScope = { ...rule, scope: '*' } as const;
  const named = inGroups.filter((resource) => coversResource(inAnyScope, resource));
  if (named.length === 0) return undefined;
  return named.some((resource) => coversResource(rule, resource)) ? 'operation' : 'scope';
}
