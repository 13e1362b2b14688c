import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';
import { defined, firstResult } from '../basics/collections.ts';
import { remembered } from '../basics/derive.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { FactName, Facts, World } from '../facts/snapshot.ts';
import type { Names, OwnNames } from '../phrases/advice.ts';
import type { ChainLink, Severity } from './chain.ts';

/**
 * The effect of a finding on the next call over a new connection: it fails at every replica; it fails for
 * some replicas or requests; or it is unknown. Absent: none.
 */
export type Consequence = 'failing' | 'degraded' | 'unknown';

/**
 * The implication of a finding for its webhook: its own configuration excludes every call; no existing
 * namespace causes a call; requests are refused, or admitted unchecked, whatever its failurePolicy; its Pods
 * cannot be created again; only one Pod is left.
 */
export type Implication =
  | 'never-called'
  | 'not-called-now'
  | 'refused-anyway'
  | 'admitted-anyway'
  | 'no-way-back'
  | 'one-pod-left';

/** One message of a check: a text with `{placeholders}`, and values that replace those of the check. */
export interface Message {
  readonly text: string;
  readonly severity?: Severity;
  readonly consequence?: Consequence | 'none';
  readonly implies?: Implication | 'nothing';
  /** False: a finding with this message is the cause of no other, although other checks follow this one. */
  readonly explains?: false;
  /** The failing state, where that of the check is too general. */
  readonly title?: string;
  /** As in {@link CheckMeta}; or the sentence about several backends, if more than their names differs. */
  readonly sharedCause?: true | string;
  /** Checks that explain a finding with this message, besides those that the check follows. */
  readonly follows?: readonly string[];
  /** The steps for a finding with this message, instead of those of the check. */
  readonly advice?: string;
}

/** The type of a message with a grade, a text and perhaps steps of its own. */
type Graded<Grade, Text extends string, Steps extends string> = Grade & { readonly text: Text } & ([
    Steps,
  ] extends [never]
    ? unknown
    : { readonly advice: Steps });

/** Creates messages with this severity and consequence, from a text and perhaps from an advice of its own. */
const graded =
  <const Grade extends Omit<Message, 'text' | 'advice'>>(grade: Grade) =>
  <const Text extends string, const Steps extends string = never>(text: Text, advice?: Steps) =>
    ({ ...grade, text, ...defined({ advice }) }) as Graded<Grade, Text, Steps>;

/** The message of a fault that affects no call now: a warning. */
export const latent = graded({ severity: 'warning', consequence: 'none' });

/** The message of a state that affects no call, and may be intended: information. */
export const note = graded({ severity: 'info', consequence: 'none' });

/** The message of a fault that affects every call: an error. */
export const fatal = graded({ severity: 'error', consequence: 'failing' });

/** The message of a fault that affects some calls: a warning. */
export const partial = graded({ severity: 'warning', consequence: 'degraded' });

/** The message of a fault for which some calls fail in any case: an error. */
export const fatalForSome = graded({ severity: 'error', consequence: 'degraded' });

/** The message of a fault whose effect on calls is unknown: a warning. */
export const undecided = graded({ severity: 'warning', consequence: 'unknown' });

/**
 * The message of a fault that affects calls after an earlier one is fixed: listed after that, and never a
 * cause.
 */
export const behind = <const Text extends string>(text: Text) =>
  ({
    text: `Fixing the first failure is not enough: ${text}`,
    severity: 'warning',
    consequence: 'failing',
    explains: false,
  }) as const;

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;
type TextOf<M> = M extends string ? M : M extends { readonly text: infer T extends string } ? T : never;

/** The advice for a message of a check: its own, else that of the check. */
export type AdviceOf<M, A extends string> = M extends { readonly advice: infer Own extends string } ? Own : A;

/** The data that a message needs, derived from its text: `'{service} does not exist'` needs `{service}`. */
export type MessageData<M> = { readonly [Name in Placeholder<TextOf<M>>]: string | number };

/** A problem that a check found at one subject. Plain data. */
export interface Finding {
  readonly checkId: string;
  readonly link: ChainLink;
  readonly severity: Severity;
  readonly consequence?: Consequence;
  readonly implies?: Implication;
  readonly confidence: Confidence;
  /** The webhook, APIService or other object that the finding is about. */
  readonly subject: ObjectRef;
  /** Callouts that it may affect, if the subject is another object: reported if one of them is examined. */
  readonly concerns?: readonly ObjectRef[];
  readonly messageId: string;
  readonly data: Readonly<Record<string, string | number>>;
  readonly evidence: readonly Evidence[];
  /** Values for the placeholders in the commands of the advice. */
  readonly names?: Names;
  /** The predicted error of the API server, after `Post "…": `. */
  readonly predictedError?: string;
  /** The full error message of the API server for a request, if the call itself succeeds: a denial. */
  readonly sentence?: string;
  /** Position among several causes at one link, in the order of the API server, from 0. */
  readonly place?: number;
  /** RFC 3339: the reported state has existed since then, or longer; absent if no object records it. */
  readonly since?: string | undefined;
}

/** The messages of a check by their id; a text alone has the severity and the consequence of the check. */
export type Messages = Readonly<Record<string, string | Message>>;

/** Reasons why checks have no remedy: the end of a sentence that starts with "There is no remedy:". */
export const noRemedyReasons = {
  'up-to-its-owner': 'only the owner of the configuration knows which requests it must cover',
  'a-decision': 'it is a decision, not a fault',
  'in-the-server': 'the webhook server must be changed',
  'needs-its-authority':
    'only its CA can issue a new certificate, and cert-manager is not known to issue this one',
  'in-the-node': 'the node, its runtime or the scheduler must be checked',
  'in-the-pod': 'the Pod template or the image must be changed, where it is declared',
  'in-the-network': 'the network must be changed, and it is configured outside of these objects',
  'only-follows': 'it is a consequence: fix its cause',
  'is-past': 'it reports past failures',
  'needs-its-owners-figures': 'only the owner of the workload knows the values that it needs',
} as const;

/** All texts of a check for users, each once. */
export interface CheckMeta<M extends Messages = Messages, A extends string = string> {
  /** kebab-case; the failing state in API nouns. Also the file's name, the page's and the test's. */
  readonly id: string;
  /** One line, no full stop. */
  readonly title: string;
  /** Absent: `error`, for a fault of every call. */
  readonly severity?: Severity;
  /** Absent: the check does not affect the next call, unless a message says so. */
  readonly consequence?: Consequence;
  /**
   * `observed`: its findings report what a probe, a log or the API server said. Absent: they are concluded from
   * objects. A finding may say otherwise.
   */
  readonly confidence?: Confidence;
  readonly implies?: Implication;
  /** Steps for texts that show more than the check concludes: explain prints them instead of the advice. */
  readonly textAdvice?: Readonly<Partial<Record<KnownText, string>>>;
  /** The message of a finding that would quote this error: explain prints its steps. Undefined: those of the check. */
  readonly messageFor?: (error: string) => string | undefined;
  /** True: cert-check runs it as well, in addition to those of the link tls. */
  readonly aboutCertificates?: true;
  /** The mechanism in the API server, and the consequence. */
  readonly why: string;
  /** Imperative steps, each with its `[role]` and with commands in backticks. The finding provides their `{names}`. */
  readonly advice: A;
  readonly messages: M;
  /**
   * Checks that explain this one; or every check whose findings are causes of failing calls, or of missing endpoints
   * ({@link preventsReadiness}). If one of them has a finding about the same subject, this finding is its consequence.
   */
  readonly follows?: readonly string[] | 'every-break' | 'every-unreadiness';
  /** True: its findings explain why Pods are not created, not selected or not Ready, so that there is no endpoint. */
  readonly preventsReadiness?: true;
  /** True: its findings are causes of failing calls, although they have no consequence of their own. */
  readonly breaksCalls?: true;
  /** Absent: it has a remedy. */
  readonly noRemedy?: keyof typeof noRemedyReasons | { readonly because: string };
  /** True: reported only if no other finding about the subject has the same or a worse consequence. */
  readonly lastResort?: true;
  /** True: `list` runs it, although it requires facts that `list` does not read: they only add evidence. */
  readonly quick?: true;
  /**
   * True: the cause is outside of the backend, as a node or the network. Findings about several backends that
   * differ only in the names of their Pods or workloads are one problem.
   */
  readonly sharedCause?: true;
  /** True: a message that several webhooks of one object share is reported once, for the first. */
  readonly oncePerObject?: true;
  /** Pages about its subject; a path is one of kubernetes.io. Without one, that of its link is added. */
  readonly references?: readonly string[];
  /** Former ids. */
  readonly aliases?: readonly string[];
}

/**
 * Creates a finding with one of the check's messages and the data of its placeholders. If the commands of the
 * advice have placeholders beyond those of the subject, the finding provides their values; `undefined` if
 * unknown.
 */
export type Find<M extends Messages, A extends string = string> = <Id extends keyof M & string>(
  messageId: Id,
  data: MessageData<M[Id]>,
  ...more: [OwnNames<AdviceOf<M[Id], A>>] extends [never]
    ?
        | [evidence?: readonly Evidence[], confidence?: Confidence]
        | [evidence: readonly Evidence[], names: Names, confidence?: Confidence]
    : [
        evidence: readonly Evidence[],
        names: Names & { readonly [N in OwnNames<AdviceOf<M[Id], A>>]: string | undefined },
        confidence?: Confidence,
      ]
) => Finding;

/** A step of a check: reports one kind of fault, or nothing. */
export type CheckStep<Subject, Required extends readonly FactName[], M extends Messages, A extends string> = (
  subject: Subject,
  facts: World<Required[number]>,
  find: Find<M, A>,
) => Finding | undefined;

/** The `run` of a check in steps: what the first one reports that reports something. */
export const firstReported =
  <Args extends readonly unknown[], Found>(...steps: readonly ((...args: Args) => Found | undefined)[]) =>
  (...args: Args): Found | undefined =>
    firstResult(steps, (step) => step(...args));

/** A check as its file defines it: its texts, its subjects and its logic. */
export interface CheckDefinition<
  Required extends readonly FactName[],
  Subject extends { readonly ref: ObjectRef },
  M extends Messages,
  A extends string,
> {
  readonly meta: CheckMeta<M, A>;
  /** The facts that this check can read. Reading another one does not compile. */
  readonly requires: Required;
  /** Selects the subjects to check; none means not applicable. */
  subjects(facts: World<Required[number]>): readonly Subject[];
  /** Checks one subject. May throw NotKnown (lookups do): the result for this subject is then `unknown`. */
  run(
    subject: Subject,
    facts: World<Required[number]>,
    find: Find<M, A>,
  ): Finding | readonly Finding[] | undefined;
}

/** Returns the check unchanged. Its types prevent a check from reading a fact that it does not require. */
export function defineCheck<
  const Required extends readonly FactName[],
  Subject extends { readonly ref: ObjectRef },
  const M extends Messages,
  const A extends string,
>(check: CheckDefinition<Required, Subject, M, A>): CheckDefinition<Required, Subject, M, A> {
  return check;
}

/** A check of any subject and messages. */
export interface DefinedCheck {
  readonly meta: CheckMeta;
  readonly requires: readonly FactName[];
  subjects(facts: Facts): readonly { readonly ref: ObjectRef }[];
  run(subject: never, facts: Facts, find: never): Finding | readonly Finding[] | undefined;
}

/** A check at its link of the chain, which the catalogue knows: that of its folder. */
export interface Check extends DefinedCheck {
  readonly meta: CheckMeta & { readonly link: ChainLink; readonly severity: Severity };
}

const breaks = ({ consequence }: { readonly consequence?: Consequence | 'none' }): boolean =>
  consequence === 'failing' || consequence === 'degraded';

/** True if findings of a check are causes of failing calls. Those about effects and risks follow them. */
const breaksCalls = remembered(
  ({ meta }: Check): boolean =>
    meta.breaksCalls === true ||
    meta.implies === 'no-way-back' ||
    [meta, ...Object.values(meta.messages)].some((one) => typeof one === 'object' && breaks(one)),
);

/** The ids of the checks that explain this one, with this message or any. */
const explanationsOf = remembered(
  (
    { meta }: Check,
    messageId: string | undefined,
  ): ReadonlySet<string> | 'every-break' | 'every-unreadiness' => {
    const { follows = [], messages } = meta;
    if (typeof follows === 'string') return follows;
    const ofMessages = Object.entries(messages).flatMap(([name, message]) =>
      typeof message === 'object' && name === (messageId ?? name) ? (message.follows ?? []) : [],
    );
    return new Set([...follows, ...ofMessages]);
  },
);

function isAmong(explanations: ReturnType<typeof explanationsOf>, cause: Check): boolean {
  if (explanations === 'every-break') return breaksCalls(cause);
  if (explanations === 'every-unreadiness') return cause.meta.preventsReadiness === true;
  return explanations.has(cause.meta.id);
}

/** True if a finding of one check, with this message or any, is a consequence of a finding of another one. */
export const isExplainedBy = (check: Check, cause: Check, messageId?: string): boolean =>
  check.meta.id !== cause.meta.id && isAmong(explanationsOf(check, messageId), cause);

/** True if a finding with this message can be the cause of findings of checks that follow this one. */
export function explainsOthers({ meta }: Check, messageId: string): boolean {
  const message = meta.messages[messageId];
  return typeof message !== 'object' || message.explains !== false;
}

const affectsCalls = ({ meta }: Check): boolean =>
  [meta, ...Object.values(meta.messages)].some(
    (one) =>
      typeof one === 'object' &&
      ((one.consequence ?? 'none') !== 'none' || (one.implies ?? 'nothing') !== 'nothing'),
  );

/** The checks whose findings can change a verdict: they affect calls, or explain findings that do. */
export function decidingVerdicts(checks: readonly Check[]): readonly Check[] {
  const deciding = new Set(checks.filter(affectsCalls));
  // Iterating a Set includes items that are added during the iteration.
  for (const decided of deciding) {
    const explanations = explanationsOf(decided, undefined);
    for (const check of checks) if (isAmong(explanations, check)) deciding.add(check);
  }
  return checks.filter((check) => deciding.has(check));
}

/** The reason why a check has no remedy; undefined if it has one. */
export function whyNoRemedy(id: string, checks: readonly Check[]): string | undefined {
  const reason = checks.find(({ meta }) => meta.id === id)?.meta.noRemedy;
  return typeof reason === 'string' ? noRemedyReasons[reason] : reason?.because;
}

/** The advice for findings with this message. */
export function adviceFor({ advice, messages }: CheckMeta, messageId: string): string {
  const message = messages[messageId];
  return (typeof message === 'object' ? message.advice : undefined) ?? advice;
}

/** The advice for an error with one of these texts: that of the text, of the message that would quote it, or of the check. */
export const adviceForText = (meta: CheckMeta, error: string, texts: readonly KnownText[]): string =>
  texts.flatMap((text) => meta.textAdvice?.[text] ?? [])[0] ??
  adviceFor(meta, meta.messageFor?.(error) ?? '');

/** The title of findings with this message. */
export function titleFor({ title, messages }: CheckMeta, messageId: string): string {
  const message = messages[messageId];
  return (typeof message === 'object' ? message.title : undefined) ?? title;
}

/** The message of findings about several backends that can have one cause outside of them; undefined if they cannot. */
export function sharedText({ sharedCause, messages }: CheckMeta, messageId: string): string | undefined {
  const message = messages[messageId] ?? '';
  const shared = (typeof message === 'object' ? message.sharedCause : undefined) ?? sharedCause;
  return shared === true ? messageText(message) : shared;
}

/** The text of a message, without its severity and consequence. */
export const messageText = (message: string | Message): string =>
  typeof message === 'string' ? message : message.text;
