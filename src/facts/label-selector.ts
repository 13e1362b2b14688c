import type { LabelSelector, LabelSelectorRequirement, Labels } from './objects/metadata.ts';

function meets(labels: Labels, { key, operator, values = [] }: LabelSelectorRequirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** `{}`: everything, without a look at any label. */
export const selectsEverything = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/**
 * Whether labels satisfy a selector, as apimachinery's labels.Selector does: all parts must hold; a key that is absent
 * satisfies NotIn and DoesNotExist.
 */
export function selects({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  for (const key of Object.keys(matchLabels ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== matchLabels?.[key]) return false;
  }
  return (matchExpressions ?? []).every((requirement) => meets(labels, requirement));
}

/** A Service's selector: every pair must be there. An empty one selects nothing (its endpoints are made by hand). */
export const serviceSelects = (selector: Labels = {}, labels: Labels = {}): boolean =>
  Object.keys(selector).length > 0 && selects({ matchLabels: selector }, labels);

/** Every label key that a selector looks at. */
export const selectorKeys = ({ matchLabels, matchExpressions }: LabelSelector): readonly string[] => [
  ...Object.keys(matchLabels ?? {}),
  ...(matchExpressions ?? []).map(({ key }) => key),
];
