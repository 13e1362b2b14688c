import { type Backend, examinedBackends } from '../../apiserver/routing/backends.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { FactName, World } from '../../facts/snapshot.ts';
import type { Names, OwnNames } from '../../phrases/advice.ts';
import {
  type BadReplicas,
  backendPodFacts,
  badReplicas,
  type PodWithState,
  podEvidence,
} from '../../pods/bad-replicas.ts';
import {
  type AdviceOf,
  type CheckMeta,
  defineCheck,
  type Find,
  type Finding,
  type MessageData,
  type Messages,
} from '../check.ts';

/** The data that a message needs besides `{pods}`. */
type OwnData<M> = Omit<MessageData<M>, 'pods'>;
/** The names in the commands of an advice that are not those of the first bad Pod. */
type OwnWords<Text extends string> = Exclude<OwnNames<Text>, keyof BadReplicas['names']>;

/**
 * Creates a finding about bad Pods: with their text as `{pods}`, the evidence for their states, and the names of the
 * first one for commands. It needs only what the message has besides.
 */
export type ReportBadPods<M extends Messages, A extends string> = <Id extends keyof M & string>(
  messageId: Id,
  ...own: [OwnWords<AdviceOf<M[Id], A>>] extends [never]
    ? [keyof OwnData<M[Id]>] extends [never]
      ? [data?: OwnData<M[Id]>, names?: Names]
      : [data: OwnData<M[Id]>, names?: Names]
    : [
        data: OwnData<M[Id]>,
        names: Names & { readonly [N in OwnWords<AdviceOf<M[Id], A>>]: string | undefined },
      ]
) => Finding;

/** Reports these Pods with the messages of a check. */
export const reportBadPods = <M extends Messages, A extends string>(
  { pods, each, names }: BadReplicas,
  find: Find<M, A>,
  about: { readonly evidence?: readonly Evidence[]; readonly names?: Names } = {},
): ReportBadPods<M, A> => {
  const report = find as unknown as Find<Messages>;
  const { evidence = podEvidence(each) } = about;
  return (messageId, ...[data, own]) =>
    report(messageId, { pods, ...data } as never, evidence, { ...names, ...about.names, ...own });
};

/** A step of such a check: reports one reason for the state, or nothing. */
export type BadPodsStep<Also extends FactName, M extends Messages, A extends string> = (
  bad: BadReplicas & { readonly backend: Backend },
  facts: World<(typeof backendPodFacts)[number] | Also>,
  report: ReportBadPods<M, A>,
) => Finding | undefined;

/** The specific parts of a check about Pods in a failing state. */
interface BadPodsCheck<Also extends FactName, M extends Messages, A extends string>
  extends Omit<CheckMeta<M, A>, 'severity' | 'consequence'> {
  /** Facts besides those that decide the states of Pods. */
  readonly alsoRequires?: readonly Also[];
  isBad(one: PodWithState, facts: World<(typeof backendPodFacts)[number] | Also>): boolean;
  /** What all findings about these Pods have, if it is not the state of each Pod, and the names of the first one. */
  about?(
    bad: BadReplicas,
    facts: World<(typeof backendPodFacts)[number] | Also>,
  ): { readonly evidence?: readonly Evidence[]; readonly names?: Names };
  readonly run: BadPodsStep<Also, M, A>;
  /** What to report about a backend without such Pods. */
  otherwise?(
    backend: Backend,
    facts: World<(typeof backendPodFacts)[number] | Also>,
    find: Find<M, A>,
  ): Finding | undefined;
}

/** Defines a check that finds backends with Pods in a failing state. */
export const badPodsCheck = <
  const M extends Messages,
  const A extends string,
  const Also extends FactName = never,
>({
  alsoRequires = [],
  isBad,
  about,
  run,
  otherwise,
  ...meta
}: BadPodsCheck<Also, M, A>) =>
  defineCheck({
    meta: { ...meta, severity: 'error', consequence: 'failing', preventsReadiness: true } as CheckMeta<M, A>,
    requires: [...backendPodFacts, ...alsoRequires],
    subjects: examinedBackends,
    run(backend, facts, find: Find<M, A>) {
      const known = facts as World<(typeof backendPodFacts)[number] | Also>;
      const bad = badReplicas(backend, known, (one) => isBad(one, known));
      return bad === undefined
        ? otherwise?.(backend, known, find)
        : run({ ...bad, backend }, known, reportBadPods(bad, find, about?.(bad, known)));
    },
  });
