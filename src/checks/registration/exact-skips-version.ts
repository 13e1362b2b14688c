import { coversResource } from '../../apiserver/admission/rule-resources.ts';
import { type AdmissionCallout, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const isMatched = ({ rules }: AdmissionCallout, served: ServedResource): boolean =>
  rules.some((rule) => coversResource(rule, served));

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
  run(callout, { served }, find) {
    const all = served.get('served')?.resources ?? [];
    const matched = all.filter((one) => isMatched(callout, one));
    const others = matched.flatMap((one) => {
      const alike = all.filter(({ group, resource }) => group === one.group && resource === one.resource);
      return alike.filter((other) => !isMatched(callout, other)).map((other) => ({ one, other }));
    });
    const [first] = others;
    if (first === undefined) return;
    const { webhook, matchPolicy } = callout;
    const versions = callout.rules.flatMap(({ apiVersions }) => apiVersions).join(', ');
    const evidence = [
      webhookEvidence(callout, 'matchPolicy', matchPolicy),
      webhookEvidence(callout, 'rules[*].apiVersions', versions),
    ];
    const text = ({ group, version, resource }: ServedResource): string =>
      `${resource} in ${group === '' ? '' : `${group}/`}${version}`;
    const skipped = listed(new Set(others.map(({ other }) => text(other))), { most: 2 });
    return find('skipped', { skipped, webhook, matched: first.one.version }, evidence);
  },
});
