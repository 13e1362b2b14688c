import type { LabelSelector, LabelSelectorRequirement } from '../../facts/objects/label-selector.ts';

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

/** A selector in the syntax of `kubectl -l`: `a=b,c in (d,e),!f`. */
export const selectorText = ({ matchLabels, matchExpressions }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(matchExpressions ?? []).map(requirementText),
  ].join(',');
