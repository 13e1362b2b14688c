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

/** True if the webhook injects into Pods of namespaces with this label: others exclude on purpose. */
const injects = (callout: AdmissionCallout, key: string): boolean =>
  injectorOf(callout) !== undefined || /inject|sidecar/i.test(`${key} ${callout.webhook}`);

/** Webhooks that may change Pods in namespaces with a certain value of the label, and these values. */
interface Injection {
  readonly webhooks: readonly AdmissionCallout[];
  readonly selected: ReadonlySet<string>;
  /** Other values that selectors name. */
  readonly excluded: ReadonlySet<string>;
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
  const keys = new Set(
    mutating.flatMap((callout) => [
      ...valuesOf(callout, 'In').flatMap(([key]) => (injects(callout, key) ? [key] : [])),
      // Injectors of a revision exclude the label that requests the default one.
      ...valuesOf(callout, 'DoesNotExist').flatMap(([key]) => (/inject/i.test(key) ? [key] : [])),
    ]),
  );
  keys.delete(nameLabel);
  const named = (key: string, operator: 'In' | 'NotIn') =>
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
        selected: named(key, 'In'),
        excluded: named(key, 'NotIn'),
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
    return isKnown || isServed ? [] : [{ key, value, injection }];
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
    const { key, value, injection } = unknown;
    const { name } = namespace.metadata;
    const wanted = new Set(
      injection.webhooks.flatMap((webhook) =>
        valuesOf(webhook, 'In').flatMap(([one, values]) => values.map((value) => `${one}=${value}`)),
      ),
    );
    const data = {
      namespace: name,
      label: `${key}=${value}`,
      webhooks: listed([...new Set(injection.webhooks.map(({ webhook }) => webhook))], { most: 2 }),
      values: listed(wanted, { most: 3 }),
    };
    const evidence = [{ object: ref, field: `metadata.labels[${key}]`, value: value ?? '' }];
    const concerns = injection.webhooks.map((callout) => callout.ref);
    const [label = '', ...others] = wanted;
    const isOther = !label.startsWith(`${key}=`);
    const found =
      others.length > 0 || label === ''
        ? find('unknown', data, evidence, { place: name })
        : find(isOther ? 'otherKey' : 'oneValue', data, evidence, { place: name, label, key });
    return { ...found, concerns };
  },
});
