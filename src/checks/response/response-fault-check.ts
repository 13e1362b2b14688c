import type { Fault } from '../../apiserver/connection/call-result.ts';
import { reportResponse } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { behind, type CheckMeta, defineCheck, type Messages, partial } from '../check.ts';

/** Checks whose findings explain why Pods respond incorrectly: some of them, or all at this path. */
export const checksBehindResponses = [
  'replicas-disagree',
  'leader-gated-answer',
  'leader-lease-stale',
  'selector-covers-other-workload',
  'path-trailing-slash',
  // Another process uses the port, and responds.
  'host-network-port-conflict',
  'only-dry-runs-fail',
] as const;

/** Advice for refusals that do not depend on failurePolicy: only the scope of the webhook decides. */
export const admitMeanwhile = <const What extends string>(what: What) =>
  `To admit the requests of a namespace until then: \`kubectl webhook fix {configuration} --remedy exclude-namespace -n {chosen}\`. \`failurePolicy\` has no effect on ${what}.` as const;

/** The specific parts of a check about one fault of responses. */
interface ResponseFaultCheck<A extends string>
  extends Omit<CheckMeta<Messages, A>, 'severity' | 'consequence' | 'noRemedy' | 'messages'> {
  readonly fault: Fault;
  /** What the Pods returned: the message after `{replicas} returned`. */
  readonly returned: string;
  /** The error adds no information. */
  readonly isPlain?: true;
}

/** The messages about Pods whose responses the API server rejects. `error`: the end of the sentence. */
export const responseMessages = <const Returned extends string, const Error extends string>(
  returned: Returned,
  error: Error,
) => ({
  all: `{replicas} returned ${returned}${error}` as const,
  some: partial(`{replicas} returned ${returned} ({bad} of {total} new connections)${error}`),
  behind: behind(`{replicas} returned ${returned}${error}`),
});

/** Defines a check that finds Pods whose responses the API server rejects for one kind of fault. */
export const responseFaultCheck = <const A extends string>({
  fault,
  returned,
  isPlain,
  follows = [],
  ...meta
}: ResponseFaultCheck<A>) => {
  const error = isPlain === true ? '' : ': {detail}';
  return defineCheck({
    meta: {
      ...meta,
      consequence: 'failing',
      noRemedy: 'in-the-server',
      messages: responseMessages(returned, error),
      follows: [...follows, ...checksBehindResponses],
    },
    requires: probeFacts,
    subjects: probedCallouts,
    run: reportResponse(fault),
  });
};
