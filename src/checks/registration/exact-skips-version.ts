import { coversResource } from '../../apiserver/admission/rule-resources.ts';
import { groupBy } from '../../basics/collections.ts';
import { type AdmissionCallout, isAdmission, isServiceBacked, webhookEvidence } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const isMatched = ({ rules }: AdmissionCallout, served: ServedResource): boolean =>
  rules.some((rule) => coversResource(rule, served));

/** True for a webhook of the same configuration or backend, as that of one more version of the resource. */
const isBeside = (callout: AdmissionCallout, other: AdmissionCallout): boolean =>
  other.kind === callout.kind &&
  (other.configuration === callout.configuration ||
    (isServiceBacked(other) &&
      isServiceBacked(callout) &&
      keyOf(other.client.service) === keyOf(callout.client.service)));

export const exactSkipsVersion = defineCheck({
  meta: {
    id: 'exact-skips-version',
    title: 'matchPolicy Exact skips a served version',
    severity: 'warning',
    why: 'With `matchPolicy: Exact`, a request matches a rule only in the version of its URL. The same object, created through another served version, is not sent to the webhook.',
    advice:
      'Set `matchPolicy` to Equivalent: the API server converts the object to a version in the rules. Or add the versions to the rules, if the program decodes them: `kubectl edit {kind} {configuration}`.',
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
  run(callout, { callouts, served }, find) {
    const all = served.get('served')?.resources ?? [];
    const beside = callouts.filter(isAdmission).filter((other) => isBeside(callout, other));
    const resources = groupBy(all, ({ group, resource }) => `${resource}.${group}`);
    const found = [...resources.values()].flatMap((versions) => {
      const matched = versions.filter((one) => isMatched(callout, one)).map(({ version }) => version);
      const skipped = versions.filter((one) => !beside.some((other) => isMatched(other, one)));
      return matched.length === 0 || skipped.length === 0 ? [] : [{ matched: listed(matched), skipped }];
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
