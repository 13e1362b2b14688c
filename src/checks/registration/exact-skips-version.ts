import { coversResource } from '../../apiserver/admission/rule-resources.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, isAdmission, isServiceBacked, webhookEvidence } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const isMatched = ({ rules }: AdmissionCallout, served: ServedResource): boolean =>
  rules.some((rule) => coversResource(rule, served));

const ofConfiguration = ({ kind, configuration }: AdmissionCallout): string => `${kind} ${configuration}`;
const ofBackend = (callout: AdmissionCallout): string =>
  isServiceBacked(callout) ? `${callout.kind} ${keyOf(callout.client.service)}` : '';

/** Webhooks by their configuration and by their backend: each may be that of one more version of a resource. */
const groups = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) => ({
  configurations: groupBy(callouts.filter(isAdmission), ofConfiguration),
  backends: groupBy(callouts.filter(isAdmission).filter(isServiceBacked), ofBackend),
}));

/** The served versions of each resource that has several. */
const resources = derive(['served'], ({ served }: Pick<Facts, 'served'>) =>
  [
    ...groupBy(
      served.get('served')?.resources ?? [],
      ({ group, resource }) => `${resource}.${group}`,
    ).values(),
  ].filter(({ length }) => length > 1),
);

export const exactSkipsVersion = defineCheck({
  meta: {
    id: 'exact-skips-version',
    title: 'matchPolicy Exact skips a served version',
    severity: 'warning',
    why: 'With `matchPolicy: Exact`, a request matches a rule only in the version of its URL. The same object, created through another served version, is not sent to the webhook.',
    advice:
      '[end] Set `matchPolicy` to Equivalent: the API server converts the object to a version in the rules. [end] Or add the versions to the rules, if the program decodes them: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'up-to-its-owner',
    messages: {
      skipped:
        'matchPolicy Exact: requests for {skipped} are not sent to {webhook}, whose rules match only {matched}',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchpolicy',
    ],
  },
  requires: ['callouts', 'served'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter(({ matchPolicy, rules }) => matchPolicy === 'Exact' && rules.length > 0),
  run(callout, facts, find) {
    const { configurations, backends } = groups(facts);
    const beside = [
      ...(configurations.get(ofConfiguration(callout)) ?? []),
      ...(backends.get(ofBackend(callout)) ?? []),
    ];
    const found = resources(facts).flatMap((versions) => {
      const matched = versions.filter((one) => isMatched(callout, one)).map(({ version }) => version);
      if (matched.length === 0 || matched.length === versions.length) return [];
      const skipped = versions.filter((one) => !beside.some((other) => isMatched(other, one)));
      return skipped.length === 0 ? [] : [{ matched: listed(matched), skipped }];
    });
    const { webhook, matchPolicy } = callout;
    const versions = callout.rules.flatMap(({ apiVersions }) => apiVersions).join(', ');
    const evidence = [
      webhookEvidence(callout, 'matchPolicy', matchPolicy),
      webhookEvidence(callout, 'rules[*].apiVersions', versions),
    ];
    const text = ({ group, version, resource }: ServedResource): string =>
      `${resource} in ${group === '' ? '' : `${group}/`}${version}`;
    return [...groupBy(found, ({ matched }) => matched)].map(([matched, alike]) => {
      const skipped = listed(new Set(alike.flatMap((one) => one.skipped.map(text))), { most: 2 });
      return find('skipped', { skipped, webhook, matched }, evidence);
    });
  },
});
