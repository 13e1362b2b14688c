import { type AdmissionCallout, type RuleWithOperations, webhookEvidence } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { selectsEverything } from '../../facts/objects/label-selector.ts';
import { groupVersionOf, pluralOf } from '../../facts/resource.ts';
import { listed } from '../../phrases/lists.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { MatchedRequest } from './impact.ts';
import { selectorText } from './selector-text.ts';

/** A rule in a line: `CREATE,UPDATE of pods in v1`. */
function ruleText({ operations, apiGroups, apiVersions, resources }: RuleWithOperations): string {
  const groups = apiGroups.flatMap((group) =>
    apiVersions.map((version) => groupVersionOf({ group, version })),
  );
  return `${operations.join(',')} of ${resources.join(',')} in ${groups.join(',')}`;
}

type WithRequest = { readonly request: AdmissionRequest };

/** The rules that match the requests, and the namespaceSelector. */
export function matchEvidence(
  callout: AdmissionCallout,
  matched: readonly MatchedRequest<WithRequest>[],
): readonly Evidence[] {
  const { rules, namespaceSelector } = callout;
  const covering = [...new Set(matched.map(({ rule }) => rule))];
  return [
    ...covering.map((rule) => webhookEvidence(callout, `rules[${rules.indexOf(rule)}]`, ruleText(rule))),
    webhookEvidence(
      callout,
      'namespaceSelector',
      selectsEverything(namespaceSelector) ? 'every namespace' : selectorText(namespaceSelector),
    ),
  ];
}

const operationTexts: Readonly<Record<AdmissionRequest['operation'], string>> = {
  CREATE: 'creation of',
  UPDATE: 'updates of',
  DELETE: 'deletion of',
  CONNECT: 'connections to',
};

function requestPhrase({ operation, resource, subresource }: AdmissionRequest): string {
  const what = subresource ? `${resource}/${subresource}` : pluralOf(resource);
  return operation === 'CREATE' && !subresource ? `new ${what}` : `${operationTexts[operation]} ${what}`;
}

/** `new Pods and updates of pods/status`: each once, the first two by name. */
export const requestsText = (abouts: readonly WithRequest[]): string =>
  listed([...new Set(abouts.map(({ request }) => requestPhrase(request)))], { most: 2 });
