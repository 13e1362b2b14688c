import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { Unread } from '../../facts/unread.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type MatchFacts, type MatchStep, matchRequest } from './match.ts';
import { resourceEntryCovers } from './rules.ts';

/** A request that the webhook is asked about, and the rule that makes it so. */
export interface MatchedRequest<R> {
  readonly about: R;
  readonly rule: RuleWithOperations;
}

/** A request of which nobody can tell whether the webhook is asked about it. */
export interface UndecidedRequest<R> {
  readonly about: R;
  readonly by: MatchStep;
  readonly unread?: Unread;
}

/** What a webhook is asked about, of some requests. */
export interface Impact<R> {
  readonly matched: readonly MatchedRequest<R>[];
  readonly undecided: readonly UndecidedRequest<R>[];
}

/** Only events are one resource in two groups; all else has its equivalents in its own group. */
const sameGroup = (group: string, request: AdmissionRequest): boolean =>
  group === '*' || group === request.group || request.resource === 'events';

/** Resource, group and operation fit a rule, in whatever version: most webhooks are passed over at once. */
export const mayCover = ({ rules }: AdmissionCallout, request: AdmissionRequest): boolean =>
  rules.some(
    ({ operations, apiGroups, resources }) =>
      (operations.includes('*') || operations.includes(request.operation)) &&
      apiGroups.some((group) => sameGroup(group, request)) &&
      resources.some((entry) => resourceEntryCovers(entry, request.resource, request.subresource ?? '')),
  );

/** Asks the model about each request. One that fails without any webhook being asked counts as not asked. */
export function impactOf<R extends { readonly request: AdmissionRequest }>(
  callout: AdmissionCallout,
  requests: readonly R[],
  facts: MatchFacts,
): Impact<R> {
  const matched: MatchedRequest<R>[] = [];
  const undecided: UndecidedRequest<R>[] = [];
  for (const about of requests) {
    if (!mayCover(callout, about.request)) continue;
    const match = matchRequest(callout, about.request, facts);
    if (match.outcome === 'called') matched.push({ about, rule: match.rule });
    if (match.outcome === 'unknown') {
      undecided.push({
        about,
        by: match.by,
        ...(match.unread === undefined ? {} : { unread: match.unread }),
      });
    }
  }
  return { matched, undecided };
}
