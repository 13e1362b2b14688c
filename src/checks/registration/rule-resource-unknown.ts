import { coversResource } from '../../apiserver/admission/rule-resources.ts';
import { unmatchedBecause } from '../../apiserver/admission/served-operations.ts';
import { type UnknownResource, unknownResource } from '../../apiserver/admission/unknown-resource.ts';
import {
  type AdmissionCallout,
  isAdmission,
  type RuleWithOperations,
  webhookEvidence,
} from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { isProductGroup } from '../../facts/resource.ts';
import type { ServedResource, ServedResources } from '../../facts/served-resources.ts';
import { NotKnown } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck, type Find, type Finding, type Messages } from '../check.ts';

interface UnknownEntry {
  readonly entry: string;
  readonly rule: RuleWithOperations;
  readonly unknown: UnknownResource;
  readonly evidence: Evidence;
}

const groupText = (group: string): string => (group === '' ? '"" (core)' : group);
const groupsOf = ({ apiGroups }: RuleWithOperations): string =>
  listed(apiGroups.map(groupText), { word: 'or' });
const unique = (texts: readonly string[]): string => listed(new Set(texts));

/** True if another rule or entry matches the intended resource, so that no request is missed. */
const isCovered = ({ rules }: AdmissionCallout, { meant }: { readonly meant: ServedResource }): boolean =>
  rules.some((rule) => coversResource(rule, meant));

function unknownIn(callout: AdmissionCallout, served: ServedResources): readonly UnknownEntry[] {
  return callout.rules.flatMap((rule, index) =>
    rule.resources.flatMap((entry): readonly UnknownEntry[] => {
      const unknown = unknownResource(rule, entry, served);
      if (unknown === undefined || ('meant' in unknown && isCovered(callout, unknown))) return [];
      const evidence = webhookEvidence(callout, `rules[${index}].resources`, rule.resources.join(', '));
      return [{ entry, rule, unknown, evidence }];
    }),
  );
}

/** Entries of one kind that one finding reports. */
function together(all: readonly UnknownEntry[], why: UnknownResource['why']) {
  const some = all.filter(({ unknown }) => unknown.why === why);
  if (some.length === 0) return undefined;
  return {
    entry: unique(some.map(({ entry }) => entry)),
    groups: unique(some.map(({ rule }) => groupsOf(rule))),
    evidence: some.map(({ evidence }) => evidence),
  };
}

const correct = '[end] Correct the rule where it is declared: `kubectl edit {kind} {configuration}`.';
const advice = `[look] Compare the rule with the served resources (column NAME, and the group in APIVERSION): \`kubectl api-resources\`. ${correct}`;

const messages = {
  kind: {
    text: '{entry} is a Kind, so the rule matches no request; the resource is {served}',
    advice: correct,
  },
  singular: {
    text: '{entry} is the singular, so the rule matches no request; the resource is {served}',
    advice: correct,
  },
  misspelt: {
    text: '{entry} is not served; there is a resource with a similar name: {served}',
    advice: correct,
  },
  otherGroup: { text: '{entry} is not served in group {groups}; it is in group {served}', advice: correct },
  otherVersion: {
    text: '{entry} is not served in version {versions}; it is in version {served}',
    advice:
      '[end] Apply the CustomResourceDefinitions and the webhook configuration of one release: the program may need the version of the rule. [end] If only the rule is outdated, correct it where it is declared: `kubectl edit {kind} {configuration}`.',
  },
  subresource: '{entry} is not served; the resource has no such subresource',
  scope: {
    text: 'No request matches the rule for {entries}: its scope is {scope}, and these are {actual}',
    advice: correct,
  },
  operation: {
    text: 'No request matches the rule for {entries}: these have no operation {operations}',
    advice: correct,
  },
  notServed: {
    text: '{entry}: not served in group {groups}',
    advice:
      '[look] See whether the CRD was deleted, or never installed: `kubectl get crds`. [end] Install the CRD from the release of the program: `helm upgrade` does not add the CRDs of a chart. [end] If the rule is wrong, correct it where it is declared: `kubectl edit {kind} {configuration}`.',
  },
  notServedByKubernetes: {
    text: '{entry}: not served in group {groups}',
    advice:
      '[end] If a release of Kubernetes has removed the resource, remove it from the rule where that is declared: `kubectl edit {kind} {configuration}`. [look] The resources of the group: `kubectl api-resources`.',
  },
  nowhere: { text: '{entry}: not served in any group', severity: 'info' },
  groupNotServed: { text: 'Rules match API groups that are not served: {groups}', severity: 'info' },
} as const satisfies Messages;

type FindRule = Find<typeof messages, typeof advice>;

/** An entry that no request has, although the API server serves what was meant. */
function unknownEntry({ entry, rule, unknown, evidence }: UnknownEntry, find: FindRule): Finding | undefined {
  const groups = groupsOf(rule);
  switch (unknown.why) {
    case 'kind':
    case 'singular':
    case 'misspelt':
      return find(unknown.why, { entry, served: unknown.meant.resource }, [evidence]);
    case 'other-group': {
      const { resource, group } = unknown.meant;
      const meant = resource === entry ? entry : `${entry} (${resource})`;
      return find('otherGroup', { entry: meant, groups, served: groupText(group) }, [evidence]);
    }
    case 'other-version': {
      const data = { entry, versions: unique(rule.apiVersions), served: unknown.meant.version };
      return find('otherVersion', data, [evidence]);
    }
    case 'subresource':
      return find('subresource', { entry }, [evidence]);
    case 'not-served':
      return find(
        rule.apiGroups.some(isProductGroup) ? 'notServed' : 'notServedByKubernetes',
        { entry, groups },
        [evidence],
      );
    default:
      return undefined;
  }
}

/** A rule whose scope or operations no request for its resources has. */
function unmatchedRule(
  callout: AdmissionCallout,
  index: number,
  served: ServedResources,
  find: FindRule,
): Finding | undefined {
  const rule = callout.rules[index];
  const why = rule && unmatchedBecause(rule, served);
  if (rule === undefined || why === undefined) return undefined;
  const { scope = '*', operations, resources } = rule;
  const [field, value] = why === 'scope' ? ['scope', scope] : ['operations', operations.join(', ')];
  const data = {
    entries: listed(resources),
    operations: listed(operations, { word: 'or' }),
    scope,
    actual: scope === 'Namespaced' ? 'cluster-scoped' : 'namespaced',
  };
  return find(why, data, [webhookEvidence(callout, `rules[${index}].${field}`, value)]);
}

export const ruleResourceUnknown = defineCheck({
  meta: {
    id: 'rule-resource-unknown',
    title: 'Rule matches a resource that is not served',
    severity: 'warning',
    why: 'The API server compares a rule with the group, version and plural resource name of the request. A value that no request has matches nothing, and no error is reported.',
    advice,
    noRemedy: 'up-to-its-owner',
    messages,
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules',
    ],
  },
  requires: ['callouts', 'served'],
  subjects: ({ callouts }) => callouts.filter(isAdmission).filter(({ rules }) => rules.length > 0),
  run(callout, { served }, find) {
    const discovered = served.get('served');
    if (discovered === undefined) return;
    const all = unknownIn(callout, discovered);
    const nowhere = together(all, 'nowhere');
    const absent = together(all, 'group-not-served');
    const findings = [
      ...all.flatMap((one) => unknownEntry(one, find) ?? []),
      ...callout.rules.flatMap((_, index) => unmatchedRule(callout, index, discovered, find) ?? []),
      ...(nowhere === undefined ? [] : [find('nowhere', nowhere, nowhere.evidence)]),
      ...(absent === undefined ? [] : [find('groupNotServed', absent, absent.evidence)]),
    ];
    for (const { unknown } of findings.length > 0 ? [] : all) {
      if (unknown.why !== 'stale') continue;
      throw new NotKnown({ what: `resources of ${unknown.groupVersion}`, why: 'server-error' });
    }
    return findings;
  },
});
