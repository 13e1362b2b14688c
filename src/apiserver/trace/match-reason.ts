import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { Labels } from '../../facts/objects/metadata.ts';
import { unreadText } from '../../facts/unread.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { Match, MatchFacts } from '../admission/match.ts';
import { conditionOutcomes } from '../admission/match-conditions.ts';
import { ruleCovers } from '../admission/rules.ts';
import { selectorText } from '../admission/selector-text.ts';

const labelsText = (labels: Labels): string => {
  const entries = Object.entries(labels);
  return entries.length === 0 ? 'no labels' : entries.map(([key, value]) => `${key}=${value}`).join(',');
};

const resourceText = ({ group, version, resource, subresource = '' }: AdmissionRequest): string =>
  `${resource}${subresource === '' ? '' : `/${subresource}`} (${group === '' ? version : `${group}/${version}`})`;

/** The nearest rule: all but one of its parts cover the request. */
function ruleMiss(rules: readonly RuleWithOperations[], request: AdmissionRequest): string {
  const passes = (loose: (rule: RuleWithOperations) => RuleWithOperations) =>
    rules.find((rule) => ruleCovers(loose(rule), request));
  const otherwise = passes((rule) => ({ ...rule, operations: ['*'] }));
  if (otherwise !== undefined)
    return `rules match ${otherwise.operations.join(', ')} of ${resourceText(request)}, not ${request.operation}`;
  const elsewhere = passes((rule) => ({ ...rule, scope: '*' }));
  if (elsewhere !== undefined)
    return `rules match ${resourceText(request)} in scope ${elsewhere.scope ?? '*'} only`;
  return `no rule matches ${request.operation} of ${resourceText(request)}`;
}

/** The conditions with what each comes to: `a is true, b is false`. */
function conditionsText(callout: AdmissionCallout, request: AdmissionRequest, as?: AdmissionRequest): string {
  const outcomes = conditionOutcomes(callout, request, as);
  return callout.matchConditions
    .map(({ name }, at) => {
      const found = outcomes[at];
      return found?.outcome === 'error'
        ? `${name} fails (${found.because})`
        : `${name} is ${found?.outcome ?? 'unknown'}`;
    })
    .join(', ');
}

const quotedLabels = (request: AdmissionRequest): string =>
  labelsText(request.operation === 'DELETE' ? (request.oldLabels ?? {}) : (request.labels ?? {}));

/** Why a webhook matches a request or not, in one line. */
export function matchReason(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  match: Match,
  { namespaces }: MatchFacts,
): string {
  const { namespace = '' } = request;
  switch (match.outcome) {
    case 'rejected':
      return 'matching fails before the webhook is called';
    case 'called': {
      const rule = `rules[${callout.rules.indexOf(match.rule)}] matches ${request.operation} of ${resourceText(match.as ?? request)}`;
      const equivalent = match.as === undefined ? '' : ', which matchPolicy Equivalent makes the same';
      const conditions = conditionsText(callout, request, match.as);
      return `${rule}${equivalent}${conditions === '' ? '' : `; matchConditions: ${conditions}`}`;
    }
    case 'unknown':
    case 'skipped':
      break;
  }
  const unread = match.outcome === 'unknown' && match.unread ? `: ${unreadText(match.unread)}` : '';
  const unknown = match.outcome === 'unknown' ? `unknown${unread}: ` : '';
  switch (match.by) {
    case 'virtual-resource':
      return `${request.resource} are sent to no webhook: nothing is stored`;
    case 'admission-configuration':
      return `${request.resource} are sent to no webhook`;
    case 'namespace-selector': {
      const labels =
        request.resource === 'namespaces'
          ? request.labels
          : namespaces.getIfKnown(namespace)?.metadata.labels;
      const selector = selectorText(callout.namespaceSelector);
      return `${unknown}namespaceSelector "${selector}" does not select namespace ${namespace} (${labelsText(labels ?? {})})`;
    }
    case 'object-selector':
      return `${unknown}objectSelector "${selectorText(callout.objectSelector)}" does not select the object (${quotedLabels(request)})`;
    case 'rules':
      return `${unknown}${ruleMiss(callout.rules, request)}`;
    case 'match-conditions':
      return `${unknown}matchConditions: ${conditionsText(callout, request)}`;
  }
}
