import { type AdmissionCallout, failsOpen } from '../../facts/callout.ts';
import {
  type Impact,
  impactOf,
  type MatchedRequest,
  mayCover,
  type UndecidedRequest,
} from '../admission/impact.ts';
import { type MatchFacts, type MatchStep, matchRequest } from '../admission/match.ts';
import { type ForeseenPod, type PathRequest, pathRequests, podCreation } from './admission-path.ts';

/** Whether Pods can start to serve while a webhook does not respond. */
export type Bootstrap =
  /** They cannot: these requests are refused. */
  | { readonly outcome: 'blocked'; readonly matched: readonly MatchedRequest<PathRequest>[] }
  /** They can; `by` is the reason why the creation of the Pod is not blocked. */
  | { readonly outcome: 'free'; readonly by: MatchStep | 'fails-open' }
  | { readonly outcome: 'unknown'; readonly undecided: readonly UndecidedRequest<PathRequest>[] };

const vital = ({ needed }: PathRequest): boolean => needed === 'always';

/** The kinds of requests that any Pod needs, to exclude most webhooks quickly. */
const anyPath = pathRequests({ namespace: '', labels: {}, from: 'template', service: { name: '' } });

function passes(callout: AdmissionCallout, pod: ForeseenPod, facts: MatchFacts): MatchStep {
  const match = matchRequest(callout, podCreation(pod, callout).request, facts);
  return match.outcome === 'skipped' ? match.by : 'rules';
}

/**
 * Predicts whether this Pod can start to serve if the webhook has no replica. For the webhook that the Pod
 * itself serves, `blocked` is a bootstrap deadlock.
 *
 * @param fromZero the workload must be scaled up first.
 */
export function bootstrapOf(
  callout: AdmissionCallout,
  pod: ForeseenPod,
  facts: MatchFacts,
  fromZero = false,
): Bootstrap {
  if (failsOpen(callout)) return { outcome: 'free', by: 'fails-open' };
  if (!anyPath.some(({ request }) => mayCover(callout, request))) {
    return { outcome: 'free', by: passes(callout, pod, facts) };
  }
  const wanted = pathRequests(pod, callout).filter(
    (one) => vital(one) || (fromZero && one.needed === 'from-zero'),
  );
  const { matched, undecided }: Impact<PathRequest> = impactOf(callout, wanted, facts);
  if (matched.length > 0) return { outcome: 'blocked', matched };
  if (undecided.length > 0) return { outcome: 'unknown', undecided };
  return { outcome: 'free', by: passes(callout, pod, facts) };
}

/** True if the webhook may match the Pods of its own backend; only their workload shows whether it does. */
export const mayBlockOwnPods = (callout: AdmissionCallout, pod: ForeseenPod, facts: MatchFacts): boolean => {
  if (failsOpen(callout)) return false;
  const { matched, undecided } = impactOf(callout, [podCreation(pod, callout)], facts);
  return matched.length > 0 || undecided.length > 0;
};
