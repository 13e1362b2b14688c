import type { AdmissionCallout } from '../../facts/callout.ts';
import type { Lookup } from '../../facts/lookup.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { selects } from './selectors.ts';

/** Many webhooks share few selectors, and several checks ask for the same. */
const asked = new WeakMap<Lookup<Namespace>, Map<string, readonly string[]>>();

const namesSelected = (
  { namespaceSelector: selector }: AdmissionCallout,
  namespaces: Lookup<Namespace>,
): readonly string[] => {
  const names: string[] = [];
  for (const { metadata } of namespaces.all()) {
    if (selects(selector, metadata.labels ?? {})) names.push(metadata.name);
  }
  return names;
};

/** Names of the namespaces, of those that are known, whose objects the namespaceSelector lets through to the webhook. */
export function selectedNamespaces(
  callout: AdmissionCallout,
  { namespaces }: Pick<Facts, 'namespaces'>,
): readonly string[] {
  const known = asked.get(namespaces) ?? new Map<string, readonly string[]>();
  asked.set(namespaces, known);
  const key = JSON.stringify(callout.namespaceSelector);
  const before = known.get(key);
  if (before !== undefined) return before;
  const names = namesSelected(callout, namespaces);
  known.set(key, names);
  return names;
}

/** `namespace a`, `namespaces a, b and c`. */
export const namespacesText = (names: readonly string[]): string =>
  names.length > 1
    ? `namespaces ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
    : `namespace ${names[0] ?? ''}`;

/** The same, or `every namespace`, `12 of 40 namespaces` where they are many. */
export function extentText(names: readonly string[], { namespaces }: Pick<Facts, 'namespaces'>): string {
  const total = [...namespaces.all()].length;
  if (names.length === total && total > 1) return 'every namespace';
  return names.length > 4 ? `${names.length} of ${total} namespaces` : namespacesText(names);
}
