import type { AdmissionCallout } from '../../facts/callout.ts';
import { derive } from '../../facts/derive.ts';
import { selects } from '../../facts/label-selector.ts';
import type { LabelSelector } from '../../facts/objects/metadata.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { named } from '../../phrases/lists.ts';

/** Many webhooks share few selectors, and several checks ask for the same. */
const namesSelected = derive(
  ['namespaces'],
  ({ namespaces }: Pick<Facts, 'namespaces'>, asked: string): readonly string[] => {
    const selector: LabelSelector = JSON.parse(asked);
    const names: string[] = [];
    for (const { metadata } of namespaces.all()) {
      if (selects(selector, metadata.labels ?? {})) names.push(metadata.name);
    }
    return names;
  },
);

/** Names of the namespaces, of those that are known, whose objects the namespaceSelector lets through to the webhook. */
export const selectedNamespaces = (
  { namespaceSelector }: AdmissionCallout,
  facts: Pick<Facts, 'namespaces'>,
): readonly string[] => namesSelected(facts, JSON.stringify(namespaceSelector));

/** `namespace a`, `namespaces a and b`, or `every namespace`, `12 of 40 namespaces` where they are many. */
export function extentText(names: readonly string[], { namespaces }: Pick<Facts, 'namespaces'>): string {
  const total = [...namespaces.all()].length;
  if (names.length === total && total > 1) return 'every namespace';
  return names.length > 4 ? `${names.length} of ${total} namespaces` : named('namespace', names);
}
