import type { Fault } from '../../apiserver/connection/call-result.ts';
import { reportResponse } from '../../apiserver/connection/failing-servers.ts';
import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { derive } from '../../basics/derive.ts';
import { type Callout, calloutId, configurationKey } from '../../facts/callout.ts';
import type { World } from '../../facts/snapshot.ts';
import { notInDeletion } from '../../phrases/exempting-expressions.ts';
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

/** Configurations with a webhook that responds: their deletion would stop that one, too. */
const servedConfigurations = derive(
  probeFacts,
  (facts: ProbeFacts) =>
    new Set(
      probedCallouts(facts)
        .filter(
          (one) =>
            facts.probes.known(calloutId(one)) &&
            usableEndpoints(one, facts).some(({ callResult }) => callResult.outcome !== 'fails'),
        )
        .map(configurationKey),
    ),
);

/** Advice for refusals that do not depend on failurePolicy: only the scope of the webhook decides. */
export const admitMeanwhile = <const What extends string>(what: What) =>
  `[end] To admit the requests of a namespace until then: \`kubectl webhook fix {configuration} --remedy exclude-namespace -n {chosen}\`. [with] \`failurePolicy\` has no effect on ${what}.` as const;

/** Advice for a program whose template, or what it needs for it, is wrong or missing. */
export const correctTemplate =
  '[look] The template, or the values for it, are in a ConfigMap: `kubectl -n {namespace} get configmaps --sort-by=.metadata.creationTimestamp`. [end] Correct the template or its values, or apply the manifests of the program again (`helm upgrade`). [with] Then restart its Pods: `kubectl -n {namespace} rollout restart {workload}`.';

/** Advice for a webhook that keeps objects from being deleted. */
export const letDeletionPass =
  `[end] Correct the program or its policy: it must admit updates of objects that have a \`deletionTimestamp\`, unchanged. [end] Until then, exclude them by \`matchConditions\`, with the expression \`${notInDeletion}\`: \`kubectl edit {kind} {configuration}\`.` as const;

/** An error that shows what is wrong: its message and steps, in place of those of `all`. */
interface KnownDetail {
  readonly detail: RegExp;
  readonly text: string;
  readonly advice: string;
}
type KnownDetails = Readonly<Record<string, KnownDetail>>;

/** The id of the message for servers that all fail: that of a known error, else `all`. */
export const messageOfDetail = <Id extends string>(
  known: Readonly<Record<Id, KnownDetail>>,
  detail: string,
): Id | 'all' => (Object.keys(known) as Id[]).find((id) => known[id].detail.test(detail)) ?? 'all';

/** The messages for known errors, without the patterns that find them. */
export const knownMessages = <const Known extends KnownDetails>(known: Known) =>
  Object.fromEntries(Object.entries(known).map(([id, { text, advice }]) => [id, { text, advice }])) as {
    readonly [Id in keyof Known]: Pick<Known[Id], 'text' | 'advice'>;
  };

/** The specific parts of a check about one fault of responses. */
interface ResponseFaultCheck<A extends string, Known extends KnownDetails>
  extends Omit<CheckMeta<Messages, A>, 'severity' | 'consequence' | 'noRemedy' | 'messages'> {
  readonly fault: Fault;
  /** What the Pods returned: the message after `{replicas} returned`. */
  readonly returned: string;
  /** The error in plain words. */
  readonly shortened?: (detail: string) => string;
  /** The error adds no information. */
  readonly isPlain?: true;
  /** Errors that say more than the check. */
  readonly known?: Known;
  /** Other objects that explain the error of all, such as settings of the Pods: the messages, and what finds the one that applies. */
  readonly ofObjects?: {
    readonly messages: Readonly<Record<string, Pick<KnownDetail, 'text' | 'advice'>>>;
    readonly find: (
      callout: Callout,
      request: { readonly path: string; readonly port: number },
      facts: ProbeFacts & World<'logs'>,
    ) => { readonly id: string } | undefined;
  };
  /** The fact that `ofObjects` reads besides those of probes. */
  readonly alsoRequires?: readonly 'logs'[];
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
export const responseFaultCheck = <const A extends string, const Known extends KnownDetails>({
  fault,
  returned,
  shortened = (detail) => detail,
  isPlain,
  known,
  ofObjects,
  alsoRequires = [],
  follows = [],
  ...meta
}: ResponseFaultCheck<A, Known>) => {
  const error = isPlain === true ? '' : ': {detail}';
  return defineCheck({
    meta: {
      ...meta,
      consequence: 'failing',
      noRemedy: 'in-the-server',
      preventsReadiness: true,
      messages: {
        ...responseMessages(returned, error),
        ...knownMessages<KnownDetails>(known ?? {}),
        ...ofObjects?.messages,
      },
      follows: [...follows, ...checksBehindResponses],
    },
    requires: [...probeFacts, ...alsoRequires],
    subjects: probedCallouts,
    run: (callout, facts, find) =>
      reportResponse(fault)(callout, facts, (extent, data, ...[evidence, names, confidence]) => {
        const kept = servedConfigurations(facts).has(configurationKey(callout))
          ? { leftover: undefined }
          : {};
        const details = [evidence, { ...names, ...kept }, confidence] as const;
        const text = `${data.status} ${data.detail}`;
        const id = extent === 'all' ? messageOfDetail(known ?? {}, text) : extent;
        const cause = id === 'all' ? ofObjects?.find(callout, data, facts) : undefined;
        // The type of the messages does not have the ids of the known errors and settings.
        if (cause !== undefined) {
          const { id: ofCause, ...named } = cause;
          return find(ofCause as 'all', { ...data, ...named } as typeof data, ...details);
        }
        return find(id as 'all', { ...data, detail: shortened(data.detail) }, ...details);
      }),
  });
};
