import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive, remembered } from '../../basics/derive.ts';
import { type AdmissionCallout, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { fieldWriter } from '../../facts/objects/field-writer.ts';
import { type LabelSelector, selectorKeys, selects } from '../../facts/objects/label-selector.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed, namedList } from '../../phrases/lists.ts';
import { injectorOf } from '../../products/injectors.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { defineCheck, note } from '../check.ts';

/** The label that excludes namespaces by name is not set by the owner of the namespace. */
const nameLabel = 'kubernetes.io/metadata.name';

/** The label that excludes the namespace: without it the namespace would be selected. */
function excludingLabel(
  { namespaceSelector }: AdmissionCallout,
  keys: readonly string[],
  { metadata }: Namespace,
): string | undefined {
  const { labels = {} } = metadata;
  if (selects(namespaceSelector, labels)) return undefined;
  return keys.find((key) => {
    if (!Object.hasOwn(labels, key)) return false;
    // A namespace can have many labels.
    const others = selectorKeys(namespaceSelector).filter((one) => one !== key && Object.hasOwn(labels, one));
    return selects(namespaceSelector, Object.fromEntries(others.map((one) => [one, labels[one] ?? ''])));
  });
}

/** What is the same for the webhooks of a configuration that share its requests, each with other labels. */
const sharedCall = ({ kind, configuration, client, rules }: AdmissionCallout): string =>
  JSON.stringify([kind, configuration, client.service ?? client.url, rules]);

/**
 * The webhooks of a configuration that send the same requests to the same path: Istio has one for each combination of its
 * labels, so that the label which excludes a namespace from one of them selects it for another.
 */
const sharingCalls = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(callouts.filter(isAdmission), sharedCall),
);

/** The requirements of a selector that an object without labels does not meet, as text: what it must opt in with. */
const optInOf = remembered(({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string => {
  const optIn = matchExpressions.filter(({ operator }) => operator === 'In' || operator === 'Exists');
  return selectorKeys({ matchLabels, matchExpressions: optIn }).length === 0
    ? ''
    : selectorText({ matchLabels, matchExpressions: optIn });
});

/** With what objects of a namespace must opt in to one of these webhooks; empty if one of them needs nothing. */
const optInsIn = remembered((sharing: readonly AdmissionCallout[]) =>
  remembered(
    ({ metadata: { labels = {} } }: Namespace): ReadonlySet<string> =>
      new Set(
        sharing.flatMap(({ namespaceSelector, objectSelector }) =>
          selects(namespaceSelector, labels) ? [optInOf(objectSelector)] : [],
        ),
      ),
  ),
);

/** The keys of labels that exclude an object. */
const optOutOf = ({ matchExpressions = [] }: LabelSelector): readonly string[] =>
  matchExpressions
    .filter(({ operator }) => operator === 'NotIn' || operator === 'DoesNotExist')
    .map(({ key }) => key);

/** The labels of a namespace that the namespaceSelector requires, as `key=value`; empty if it requires none. */
function requestIn(
  { namespaceSelector: { matchLabels = {}, matchExpressions = [] } }: AdmissionCallout,
  { metadata: { labels = {} } }: Namespace,
): string {
  const required = matchExpressions.flatMap(({ key, operator }) =>
    operator === 'In' || operator === 'Exists' ? [key] : [],
  );
  const keys = [...Object.keys(matchLabels), ...required].filter((key) => key !== nameLabel);
  return listed(keys.map((key) => `${key}=${labels[key] ?? ''}`));
}

/** Selects one webhook per product, as its webhooks use the same labels, else one per configuration. */
function subjects({ callouts }: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] {
  const bySelector = new Map<string, AdmissionCallout>();
  for (const callout of callouts.filter(isAdmission)) {
    if (callout.rules.length === 0) continue;
    const { product = callout.configuration } = enforcedBy(callout.webhook) ?? {};
    const { namespaceSelector, objectSelector } = callout;
    const key = `${product} ${selectorText(namespaceSelector)} ${selectorText(objectSelector)}`;
    if (!bySelector.has(key)) bySelector.set(key, callout);
  }
  return [...bySelector.values()];
}

/** The label of each namespace, and who set it. */
const evidenceOf = (namespaces: readonly Namespace[], key: string): readonly Evidence[] =>
  namespaces.map(({ metadata }) => {
    const writer = fieldWriter(metadata, ['metadata', 'labels', key]);
    const by = writer?.manager === undefined ? '' : `, by ${writer.manager} at ${writer.time ?? 'some time'}`;
    return {
      object: { kind: 'Namespace', name: metadata.name },
      field: `metadata.labels[${key}]`,
      value: `${metadata.labels?.[key] ?? ''}${by}`,
    };
  });

export const namespaceOptedOut = defineCheck({
  meta: {
    id: 'namespace-opted-out',
    title: 'Label excludes namespaces or objects from a webhook',
    severity: 'warning',
    why: 'The namespaceSelector or objectSelector of the webhook excludes everything with this label. A user who may set it on a Namespace or an object can bypass the webhook, and no error is reported.',
    advice:
      '[look] Check who set the label, and whether it is still needed: `kubectl get namespace {place} --show-managed-fields -o yaml`. [end] To remove the label: `kubectl label namespace {place} {key}-`. [prevent] Restrict by policy who may set it.',
    noRemedy: 'a-decision',
    messages: {
      inUse: '{what} of {product} are not enforced in {namespaces}, excluded by label {label}',
      empty: note(
        '{what} of {product} are not enforced in {namespaces} (no Services), excluded by label {label}',
      ),
      requested: {
        text: 'Label {label} excludes {namespaces} from {webhook}, although label {request} requests it: {consequence}',
        advice:
          '[look] Check who set the label, and whether it is still needed: `kubectl get namespace {place} --show-managed-fields -o yaml`. [end] If the label is not needed, remove it: `kubectl label namespace {place} {key}-`. [with] Pods that exist are injected only when they are recreated.',
      },
      skipped: note('{webhook} is not called in {namespaces}, excluded by label {label}'),
      objects: note(
        '{what} of {product} are not enforced for objects with label {label}, which any user who writes them can set',
      ),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-namespaceselector',
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-objectselector',
    ],
  },
  requires: ['callouts', 'namespaces', 'services'],
  subjects,
  run(callout, facts, find) {
    const enforced = enforcedBy(callout.webhook);
    const excluded = namespacesByLabel(callout, facts);
    const { injects } = injectorOf(callout) ?? {};
    // Without an injector, another product of the namespace may need the label.
    const isRequested = (one: Namespace): boolean => injects !== undefined && requestIn(callout, one) !== '';
    const byLabel = new Map(
      [...excluded].flatMap(([label, all]) => {
        const others = all.filter((one) => !isRequested(one));
        return others.length === 0 ? [] : [[label, others] as const];
      }),
    );
    const contradicted = [...excluded].flatMap(([label, all]) =>
      [...groupBy(all.filter(isRequested), (one) => requestIn(callout, one))].map(([request, some]) => {
        const consequence = `new Pods get no ${injects?.what}`;
        const data = { label, namespaces: namesOf(some), webhook: callout.webhook, request, consequence };
        return find('requested', data, evidenceOf(some, label), {
          place: some[0]?.metadata.name,
          key: label,
        });
      }),
    );
    if (enforced === undefined) {
      const skipped = [...byLabel].map(([label, all]) => {
        const data = { webhook: callout.webhook, namespaces: namesOf(all), label };
        return find('skipped', data, evidenceOf(all, label), { place: all[0]?.metadata.name, key: label });
      });
      return [...contradicted, ...skipped];
    }
    const { product } = enforced;
    const what = `The ${enforced.rules}`;
    const inUse = new Set(
      byLabel.size === 0 ? [] : facts.services.all().map(({ metadata }) => metadata.namespace),
    );
    const ofNamespaces = [...byLabel].flatMap(([label, all]) =>
      (['inUse', 'empty'] as const).flatMap((how) => {
        const some = all.filter(({ metadata }) => inUse.has(metadata.name) === (how === 'inUse'));
        if (some.length === 0) return [];
        const data = { product, what, namespaces: namesOf(some), label };
        return [find(how, data, evidenceOf(some, label), { place: some[0]?.metadata.name, key: label })];
      }),
    );
    // Injection is a choice of the owner of the Pod.
    const optOut = callout.kind === 'validating' ? optOutOf(callout.objectSelector) : [];
    const evidence = [webhookEvidence(callout, 'objectSelector', selectorText(callout.objectSelector))];
    const ofObjects = optOut.map((label) =>
      find('objects', { product, what, label }, evidence, { place: undefined, key: label }),
    );
    return [...contradicted, ...ofNamespaces, ...ofObjects];
  },
});

/** The namespaces that a label excludes, by the label's key; without the webhook's own and system ones. */
function namespacesByLabel(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'callouts' | 'namespaces'>,
): ReadonlyMap<string, readonly Namespace[]> {
  const byLabel = new Map<string, Namespace[]>();
  const keys = optOutOf(callout.namespaceSelector).filter((key) => key !== nameLabel);
  const sharing = keys.length === 0 ? [] : (sharingCalls(facts).get(sharedCall(callout)) ?? []);
  const optIns = optInsIn(sharing);
  for (const namespace of keys.length === 0 ? [] : facts.namespaces.all()) {
    const { name } = namespace.metadata;
    if (name === callout.client.service?.namespace || systemNamespaces(facts).includes(name)) continue;
    const key = excludingLabel(callout, keys, namespace);
    if (key === undefined) continue;
    const calling = optIns(namespace);
    // Another one that only objects of a choice are sent to does not replace this one.
    if (calling.has('') || calling.has(optInOf(callout.objectSelector))) continue;
    const found = byLabel.get(key);
    if (found === undefined) byLabel.set(key, [namespace]);
    else found.push(namespace);
  }
  return byLabel;
}

const namesOf = (namespaces: readonly Namespace[]): string =>
  namedList(
    'namespace',
    namespaces.map(({ metadata }) => metadata.name),
  );
