import { anyPodCreation, mayCover } from '../../apiserver/admission/impact.ts';
import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import { type LabelSelectorRequirement, selects } from '../../facts/objects/label-selector.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { injectorOf } from '../../products/injectors.ts';
import { defineCheck } from '../check.ts';

const nameLabel = 'kubernetes.io/metadata.name';
/** Label values that disable injection in a namespace. */
const off = /^(?:disabled?|false|off|no|none|0|skip|ignored?)?$/i;

/** Label values that clearly request injection. */
const on = /^(?:enabled?|true|on|yes|1)$/i;

/** True if the webhook injects into Pods. */
const injects = (callout: AdmissionCallout): boolean =>
  injectorOf(callout) !== undefined || /inject|sidecar/i.test(callout.webhook);

/** True if a label requests injection by its name; others, as `environment`, exclude on purpose. */
const namesInjection = (key: string, callout: AdmissionCallout): boolean => {
  const product = injectorOf(callout);
  const { asked, refused } = product?.injects ?? {};
  const isOfProduct = key === asked?.key || key === refused || /[./-]rev(?:ision)?$/i.test(key);
  return /inject|sidecar/i.test(key) || (product !== undefined && isOfProduct);
};

/** A value without what spelling mistakes change: the case of letters, spaces and punctuation. */
const letters = (value: string): string => value.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Webhooks that may change Pods in namespaces with a certain value of the label, and these values. */
interface Injection {
  readonly webhooks: readonly AdmissionCallout[];
  readonly selected: ReadonlySet<string>;
  /** Other values that selectors name. */
  readonly excluded: ReadonlySet<string>;
  /** True if the name of the label is about injection: {@link namesInjection}. */
  readonly isNamed: boolean;
}

const valuesOf = (
  { namespaceSelector: { matchLabels = {}, matchExpressions = [] } }: AdmissionCallout,
  operator: LabelSelectorRequirement['operator'],
): readonly (readonly [key: string, values: readonly string[]])[] => [
  ...(operator === 'In' ? Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const) : []),
  ...matchExpressions
    .filter((one) => one.operator === operator)
    .map(({ key, values = [] }) => [key, values] as const),
];

/** Labels with which namespaces opt in to a mutating webhook for Pods. */
function injections({ callouts }: Pick<Facts, 'callouts'>): ReadonlyMap<string, Injection> {
  const mutating = callouts
    .filter(isAdmission)
    .filter((callout) => callout.kind === 'mutating' && mayCover(callout, anyPodCreation));
  const named = new Set(
    mutating.flatMap((callout) => {
      const keysOf = (operator: 'In' | 'DoesNotExist') =>
        valuesOf(callout, operator).flatMap(([key]) => (namesInjection(key, callout) ? [key] : []));
      const selected = keysOf('In');
      // Injectors of a revision exclude the label that requests the default one; alone, it opts out.
      return selected.length === 0 ? [] : [...selected, ...keysOf('DoesNotExist')];
    }),
  );
  const keys = new Set([
    ...named,
    ...mutating.filter(injects).flatMap((callout) => valuesOf(callout, 'In').map(([key]) => key)),
  ]);
  keys.delete(nameLabel);
  const valuesIn = (key: string, operator: 'In' | 'NotIn') =>
    new Set(
      mutating.flatMap((callout) =>
        valuesOf(callout, operator).flatMap(([one, values]) => (one === key ? values : [])),
      ),
    );
  return new Map(
    [...keys].map((key) => [
      key,
      {
        webhooks: mutating.filter((callout) =>
          [...valuesOf(callout, 'In'), ...valuesOf(callout, 'DoesNotExist')].some(([one]) => one === key),
        ),
        selected: valuesIn(key, 'In'),
        excluded: valuesIn(key, 'NotIn'),
        isNamed: named.has(key),
      },
    ]),
  );
}

/** A label of the namespace that requests injection, with a value that no webhook selects. */
function unknownLabel(namespace: Namespace, known: ReadonlyMap<string, Injection>) {
  const { labels = {} } = namespace.metadata;
  const isServed = [...known.values()].some(({ webhooks }) =>
    webhooks.some(({ namespaceSelector }) => selects(namespaceSelector, labels)),
  );
  return [...known].flatMap(([key, injection]) => {
    const value = labels[key];
    const isKnown =
      value === undefined ||
      off.test(value) ||
      injection.selected.has(value) ||
      injection.excluded.has(value);
    if (isKnown || isServed) return [];
    const isMisspelt = [...injection.selected].some((one) => letters(one) === letters(value));
    const isClear = injection.isNamed && (isMisspelt || on.test(value));
    return injection.isNamed || isMisspelt ? [{ key, value, injection, isClear }] : [];
  })[0];
}

const unselected =
  'Pods in namespace {namespace} are created without injection: no webhook selects its label {label}; selected by {webhooks}: {values}';

export const injectionLabelUnknown = defineCheck({
  meta: {
    id: 'injection-label-unknown',
    title: 'Namespace label selects no injector',
    severity: 'warning',
    why: 'A sidecar injector changes only Pods in namespaces whose labels match its namespaceSelector. With a value that no webhook selects, Pods are created without the sidecar, and no error is reported. Examples are a removed revision and a spelling mistake.',
    advice:
      '[end] Set a value that a webhook selects: `kubectl label namespace {place} {label} --overwrite`. [end] Then recreate the Pods: `kubectl -n {place} rollout restart deployment`.',
    noRemedy: 'up-to-its-owner',
    messages: {
      oneValue: {
        text: unselected,
        advice:
          '[safe] Set the value that the webhook selects: `kubectl label namespace {place} {label} --overwrite`. [end] Then recreate the Pods: `kubectl -n {place} rollout restart deployment`.',
      },
      otherKey: {
        text: unselected,
        advice:
          '[safe] Replace the label: `kubectl label namespace {place} {label} {key}- --overwrite`. [end] Then recreate the Pods: `kubectl -n {place} rollout restart deployment`.',
      },
      unknown: unselected,
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-namespaceselector',
    ],
  },
  requires: ['callouts', 'namespaces'],
  subjects: (facts) => {
    const known = injections(facts);
    if (known.size === 0) return [];
    return facts.namespaces.all().map((namespace) => ({
      ref: { kind: 'Namespace', name: namespace.metadata.name },
      namespace,
      known,
    }));
  },
  run({ ref, namespace, known }, _facts, find) {
    const unknown = unknownLabel(namespace, known);
    if (unknown === undefined) return undefined;
    const { key, value, injection, isClear } = unknown;
    const { name } = namespace.metadata;
    const wanted = new Set(
      injection.webhooks.flatMap((webhook) =>
        valuesOf(webhook, 'In').flatMap(([one, values]) =>
          one === nameLabel ? [] : values.map((value) => `${one}=${value}`),
        ),
      ),
    );
    const data = {
      namespace: name,
      label: `${key}=${value}`,
      webhooks: listed([...new Set(injection.webhooks.map(({ webhook }) => webhook))], { most: 2 }),
      values: listed(wanted, { most: 3 }),
    };
    const evidence = [{ object: ref, field: `metadata.labels[${key}]`, value }];
    const concerns = injection.webhooks.map((callout) => callout.ref);
    const [label = '', ...others] = wanted;
    const isOther = !label.startsWith(`${key}=`);
    const names = { place: name, key, ...(others.length > 0 || label === '' ? {} : { label }) };
    if (names.label !== undefined && isClear)
      return { ...find(isOther ? 'otherKey' : 'oneValue', data, evidence, names), concerns };
    return { ...find('unknown', data, evidence, isOther ? { place: name } : names), concerns };
  },
});
