import type { AdmissionCallout } from '../../facts/callout.ts';
import { derive, remembered } from '../../facts/derive.ts';
import { selects } from '../../facts/label-selector.ts';
import type { LabelSelector } from '../../facts/objects.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { named } from '../../phrases/lists.ts';

/** Caches the names per selector: many webhooks share a few selectors. */
const namesSelected = derive(
  ['namespaces'],
  ({ namespaces }: Pick<Facts, 'namespaces'>, selectorJson: string): readonly string[] => {
    const selector: LabelSelector = JSON.parse(selectorJson);
    const names: string[] = [];
    for (const { metadata } of namespaces.all()) {
      if (selects(selector, metadata.labels ?? {})) names.push(metadata.name);
    }
    return names;
  },
);

const asJson = remembered((selector: LabelSelector) => JSON.stringify(selector));

/** Names of the known namespaces that the namespaceSelector matches. */
export const selectedNamespaces = (
  { namespaceSelector }: AdmissionCallout,
  facts: Pick<Facts, 'namespaces'>,
): readonly string[] => namesSelected(facts, asJson(namespaceSelector));

/** True if these are all known namespaces, and more than one. */
export function areAllNamespaces(
  names: readonly string[],
  { namespaces }: Pick<Facts, 'namespaces'>,
): boolean {
  return names.length > 1 && names.length === namespaces.size;
}

/** `namespace a`, `namespaces a and b`, `all namespaces`, or, for more than four, `12 of 40 namespaces`. */
export function extentText(names: readonly string[], facts: Pick<Facts, 'namespaces'>): string {
  if (areAllNamespaces(names, facts)) return 'all namespaces';
  if (names.length <= 4) return named('namespace', names);
  return `${names.length} of ${facts.namespaces.size} namespaces`;
}
