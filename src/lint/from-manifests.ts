import { isLookup, lookup } from '../facts/lookup.ts';
import type { FactName, Facts, Snapshot } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';

/** Facts that manifests may contain. All others are unknown before they are applied. */
export const writtenFacts = [
  'configurations',
  'services',
  'namespaces',
  'workloads',
  'secrets',
  'configMaps',
  'networkPolicies',
  'disruptionBudgets',
  'autoscalers',
  'certificates',
  'issuers',
] as const satisfies readonly FactName[];
const written: ReadonlySet<string> = new Set(writtenFacts);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const notThere: Unread = { what: 'objects that the manifests do not contain', why: 'not-requested' };
/** The same for the kinds that manifests may contain. */
const notWritten: Unread = { ...notThere, why: 'not-written' };

/**
 * The facts in manifests alone: everything else is unknown, since it may exist in a cluster.
 *
 * @param namespaces those of Namespace manifests; the labels of others are unknown.
 */
export function fromManifests(snapshot: Snapshot, namespaces: ReadonlySet<string>): Snapshot {
  const facts = Object.entries(snapshot.facts).map(([name, fact]) => {
    if (!isLookup(fact)) return [name, fact];
    const entries = written.has(name)
      ? [...fact.entries()].filter(
          ([key, value]) => !isEmptyList(value) && (name !== 'namespaces' || namespaces.has(key)),
        )
      : [];
    return [name, lookup(new Map(entries), { others: written.has(name) ? notWritten : notThere })];
  });
  return {
    ...snapshot,
    notLookedAt: [],
    facts: { ...(Object.fromEntries(facts) as Facts), clock: undefined, routing: { mode: undefined } },
  };
}
