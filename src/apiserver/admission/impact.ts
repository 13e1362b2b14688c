import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { Unread } from '../../facts/unread.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type MatchFacts, matchRequest, type UndecidedStep } from './match.ts';
import { isListed, resourceEntryCovers } from './rules.ts';

/** A request that the webhook is called for, and the rule that matches it. */
export interface MatchedRequest<R> {
  readonly about: R;
  readonly rule: RuleWithOperations;
}

/** A request for which it is unknown whether the webhook is called. */
export interface UndecidedRequest<R> {
  readonly about: R;
  readonly by: UndecidedStep;
  readonly unread?: Unread;
}

/** The requests that a webhook is called for. */
export interface Impact<R> {
  readonly matched: readonly MatchedRequest<R>[];
  readonly undecided: readonly UndecidedRequest<R>[];
}

/** The creation of a Pod. */
export const anyPodCreation = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods' } as const;

/** The admission plugin ResourceQuota writes the usage at each creation in a namespace that has a quota. */
export const quotaUpdate = {
  operation: 'UPDATE',
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  subresource: 'status',
} as const;

/**
 * Quickly excludes most webhooks: true if a rule matches resource, group and operation, in any version. Events
 * are the only resource that is served in two groups.
 */
export function mayCover({ rules }: AdmissionCallout, request: AdmissionRequest): boolean {
  const { operation, group, resource, subresource = '' } = request;
  // Called for each webhook and each request that a cluster depends on: no function is created.
  for (const { operations, apiGroups, resources } of rules) {
    if (!isListed(operations, operation) || !(resource === 'events' || isListed(apiGroups, group))) continue;
    for (const entry of resources) if (resourceEntryCovers(entry, resource, subresource)) return true;
  }
  return false;
}

/** Matches each request. A request that is refused before any webhook is called is not in the result. */
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
