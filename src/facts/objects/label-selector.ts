import type { Metadata } from './metadata.ts';
import type { Service } from './service.ts';

/** One of `matchExpressions` (meta/v1 types.go). */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** `metadata.labels` of an object, or of a Pod template. */
export type Labels = Readonly<Record<string, string>>;

/** All requirements must match (meta/v1 types.go); an empty selector matches every object. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

function meetsRequirement(labels: Labels, { key, operator, values = [] }: LabelSelectorRequirement): boolean {
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

/** True for `{}`, which matches everything. */
export const selectsEverything = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/**
 * True if labels match a selector, as in apimachinery's labels.Selector: all requirements must match; an
 * absent key matches NotIn and DoesNotExist.
 */
export function selects({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  for (const key in matchLabels) {
    if (!Object.hasOwn(labels, key) || labels[key] !== matchLabels[key]) return false;
  }
  return (matchExpressions ?? []).every((requirement) => meetsRequirement(labels, requirement));
}

/**
 * True if a Service's selector matches: every pair must be present. An empty selector matches nothing (its
 * endpoints are maintained manually).
 */
export const serviceSelects = (selector: Labels = {}, labels: Labels = {}): boolean =>
  Object.keys(selector).length > 0 && selects({ matchLabels: selector }, labels);

/** True if a Service selects the Pod, which must be in its namespace. */
export const selectsPod = (
  { metadata, spec }: Service,
  pod: { readonly [Field in 'namespace' | 'labels']?: Metadata[Field] | undefined },
): boolean => metadata.namespace === pod.namespace && serviceSelects(spec.selector, pod.labels);

/** The label keys that a selector tests; a key that several requirements test is repeated. */
export const selectorKeys = ({ matchLabels, matchExpressions }: LabelSelector): readonly string[] => [
  ...Object.keys(matchLabels ?? {}),
  ...(matchExpressions ?? []).map(({ key }) => key),
];

/**
 * The first label key whose requirements exclude each other, so that no labels match the selector; undefined if
 * some do.
 */
export function contradictoryKey(selector: LabelSelector): string | undefined {
  const exact = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In' as const,
    values: [value],
  }));
  const requirements = [...exact, ...(selector.matchExpressions ?? [])];
  return selectorKeys(selector).find((key) => {
    const own = requirements.filter((one) => one.key === key);
    const meets = (labels: Labels): boolean => own.every((one) => meetsRequirement(labels, one));
    // One value that no requirement names stands for all others.
    const values = own.flatMap((one) => one.values ?? []);
    const another = `not ${values.join(' ')}`;
    return !meets({}) && ![...values, another].some((value) => meets({ [key]: value }));
  });
}
