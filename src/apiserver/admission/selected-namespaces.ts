import type { AdmissionCallout } from '../../facts/callout.ts';
import { derive } from '../../facts/derive.ts';
import { selects } from '../../facts/label-selector.ts';
import type { LabelSelector } from '../../facts/objects/metadata.ts';
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

/** Names of the known namespaces that the namespaceSelector matches. */
export const selectedNamespaces = (
  { namespaceSelector }: AdmissionCallout,
  facts: Pick<Facts, 'namespaces'>,
): readonly string[] => namesSelected(facts, JSON.stringify(namespaceSelector));

/** The extent of all namespaces. */
export const everyNamespace = 'all namespaces';

/** `namespace a`, `namespaces a and b`, `all namespaces`, or, for more than four, `12 of 40 namespaces`. */
export function extentText(names: readonly string[], { namespaces }: Pick<Facts, 'namespaces'>): string {
  const total = [...namespaces.all()].length;
  if (names.length === total && total > 1) return everyNamespace;
  return names.length > 4 ? `${names.length} of ${total} namespaces` : named('namespace', names);
}
