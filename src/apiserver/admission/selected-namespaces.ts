import { groupBy } from '../../basics/collections.ts';
import { derive, remembered } from '../../basics/derive.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { type LabelSelector, selects } from '../../facts/objects/label-selector.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { namedList } from '../../phrases/lists.ts';

/** The namespaces with each label, `key=value`. */
const byLabel = derive(['namespaces'], ({ namespaces }: Pick<Facts, 'namespaces'>) =>
  groupBy(
    namespaces
      .all()
      .flatMap(({ metadata }) =>
        Object.entries(metadata.labels ?? {}).map((pair) => ({ label: pair.join('='), metadata })),
      ),
    ({ label }) => label,
  ),
);

/** Caches the names per selector: many webhooks share a few selectors. */
const namesSelected = derive(
  ['namespaces'],
  (facts: Pick<Facts, 'namespaces'>, selectorJson: string): readonly string[] => {
    const selector: LabelSelector = JSON.parse(selectorJson);
    const [label] = Object.entries(selector.matchLabels ?? {});
    const candidates =
      label === undefined ? facts.namespaces.all() : (byLabel(facts).get(label.join('=')) ?? []);
    return candidates
      .map(({ metadata }) => metadata)
      .filter(({ labels = {} }) => selects(selector, labels))
      .map(({ name }) => name);
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
  if (names.length <= 4) return namedList('namespace', names);
  return `${names.length} of ${facts.namespaces.size} namespaces`;
}
