import type { AdmissionCallout } from '../../facts/callout.ts';
import { unreadText } from '../../facts/unread.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { exclusionsOfPlatform } from '../admission/exempt.ts';
import type { Match } from '../admission/match.ts';
import { conditionOutcomes } from '../admission/match-conditions.ts';

/** The conditions with their results: `a` is true, `b` is false. */
function conditionsText(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  version: string | undefined,
  as?: AdmissionRequest,
): string {
  const outcomes = conditionOutcomes(callout, request, version, as);
  return callout.matchConditions
    .map(({ name }, at) => {
      const found = outcomes[at];
      const error = found?.outcome === 'error' ? ` (${found.because})` : '';
      return `\`${name}\` is ${found?.outcome === 'error' ? 'an error' : found?.outcome}${error}`;
    })
    .join(', ');
}

/** Why a webhook matches a request or does not, in one line. */
export function matchReason(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  match: Match,
  serverVersion: string | undefined,
): string {
  const { operation, group, resource, subresource = '', version, namespace = '' } = request;
  const named = `${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;
  switch (match.outcome) {
    case 'called': {
      const as = match.as === undefined ? '' : `, as version ${match.as.version} (matchPolicy Equivalent)`;
      const conditions = conditionsText(callout, request, serverVersion, match.as);
      return `\`rules[${callout.rules.indexOf(match.rule)}]\` matches ${operation} of ${named}${as}${conditions === '' ? '' : `; ${conditions}`}`;
    }
    case 'rejected':
      return `the API server refuses the request before: ${match.text}`;
    case 'unknown':
      if (match.by === 'platform')
        return `unknown: ${exclusionsOfPlatform.file} may exclude it from webhooks`;
      return `its ${match.by === 'rules' ? 'rules' : match.by} cannot be evaluated${match.unread === undefined ? '' : `: ${unreadText(match.unread)}`}`;
    case 'skipped':
      switch (match.by) {
        case 'rules':
          return `its \`rules\` do not match: none has ${operation} of ${named} in version ${version}`;
        case 'namespace-selector':
          return `its \`namespaceSelector\` does not match the labels of namespace ${namespace}`;
        case 'object-selector':
          return 'its `objectSelector` does not match the labels of the object';
        case 'match-conditions':
          return `its \`matchConditions\` do not match: ${conditionsText(callout, request, serverVersion)}`;
        default:
          return `the API server never sends ${named} to webhooks`;
      }
  }
}
