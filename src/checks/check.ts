import type { KnownText } from '../apiserver/sentences/component-texts.ts';
import type { Names, OwnNames } from '../facts/advice.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { FactName, Facts, World } from '../facts/snapshot.ts';

/** Worst first. */
export const severities = ['error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** The links of the chain, in the order in which a call passes them; a cause lies in exactly one. */
export const chainLinks = [
  'registration',
  'routing',
  'backend',
  'replica',
  'tls',
  'response',
  'network',
  'scope',
  'failure-policy',
  'effect',
  'ownership',
  'practice',
] as const;
export type ChainLink = (typeof chainLinks)[number];

/**
 * What a finding means for the next call over a new connection: it fails whichever replica it meets; it fails for some
 * replicas or some requests; or it cannot be told. Absent: the call does not suffer.
 */
export type Consequence = 'failing' | 'degraded' | 'unknown';

/**
 * What a finding says about its callout as a whole: no request reaches it; requests end in an error whatever its
 * failurePolicy; once its Pods are gone, none can come back; one Pod stands between requests and refusal.
 */
export type Implication = 'never-called' | 'refused-anyway' | 'no-way-back' | 'one-pod-left';

/** One message of a check: a text with `{placeholders}`, and what it means when it differs from the check's own. */
export interface Message {
  readonly text: string;
  readonly severity?: Severity;
  readonly consequence?: Consequence | 'none';
  readonly implies?: Implication | 'nothing';
  /** False: a finding with this message explains no other, although other checks follow this one. */
  readonly explains?: false;
  /** Checks that explain a finding with this message, beside those that the check follows. */
  readonly follows?: readonly string[];
}

/** The message of a fault that no call meets now: a warning. */
export const latent = <const Text extends string>(text: Text) =>
  ({ text, severity: 'warning', consequence: 'none' }) as const;

/** The message of a fault that every call meets: an error. */
export const fatal = <const Text extends string>(text: Text) =>
  ({ text, severity: 'error', consequence: 'failing' }) as const;

/** The message of a fault that only some calls meet: a warning. */
export const partial = <const Text extends string>(text: Text) =>
  ({ text, severity: 'warning', consequence: 'degraded' }) as const;

/** The message of a fault of which it is unknown whether calls meet it: a warning. */
export const undecided = <const Text extends string>(text: Text) =>
  ({ text, severity: 'warning', consequence: 'unknown' }) as const;

/** The message of a fault that calls meet once an earlier one is fixed: named after it, and the reason of nothing. */
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

/** The data that a message needs, read from its text: `'{service} is gone'` needs `{service}`. */
export type MessageData<M> = { readonly [Name in Placeholder<TextOf<M>>]: string | number };

/** A "no" about one subject. Plain data. */
export interface Finding {
  readonly checkId: string;
  readonly link: ChainLink;
  readonly severity: Severity;
  readonly consequence?: Consequence;
  readonly implies?: Implication;
  readonly confidence: Confidence;
  /** The callout (or object) that the finding is about. */
  readonly subject: ObjectRef;
  /** Callouts that it may be the matter of, where the subject is none: whoever asks about one of them is told. */
  readonly concerns?: readonly ObjectRef[];
  readonly messageId: string;
  readonly data: Readonly<Record<string, string | number>>;
  readonly evidence: readonly Evidence[];
  /** What the commands of the check's advice name. */
  readonly names?: Names;
  /** The API server's words for it, after `Post "…": `, where they are foreseen. */
  readonly words?: string;
  /** What the API server says to a request that meets it, whole, where the call itself succeeds: a denial. */
  readonly sentence?: string;
  /** Place among several causes at one link, in the API server's order; the one that it meets first is 0. */
  readonly place?: number;
}

export type Messages = Readonly<Record<string, string | Message>>;

/** Why nothing here can cure what several checks find: the end of a sentence that begins "There is no remedy:". */
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

/** All text of a check that a user can meet, once. */
export interface CheckMeta<M extends Messages = Messages, A extends string = string> {
  /** kebab-case; the failing state in API nouns. Also the file's name, the page's and the test's. */
  readonly id: string;
  readonly link: ChainLink;
  /** One line, no full stop. */
  readonly title: string;
  readonly severity: Severity;
  /** Absent: no message of this check touches the next call, unless the message says so. */
  readonly consequence?: Consequence;
  readonly implies?: Implication;
  /** Texts (ends of a call, lines of a log) that it may explain, and its place among the checks that do: the likeliest is 1. */
  readonly explains?: Readonly<Partial<Record<KnownText, number>>>;
  /** True: cert-check runs it, too, as it does all of the link tls. */
  readonly aboutCertificates?: true;
  /** What the API server does about it. */
  readonly why: string;
  /** What to do: imperative steps, their commands in backticks with `{names}` that the finding fills in. */
  readonly advice: A;
  readonly messages: M;
  /**
   * Checks that explain this one, or every check whose findings say why calls fail. When one of them has a finding about
   * the same subject, this finding only follows from it and is folded under it.
   */
  readonly follows?: readonly string[] | 'every-break';
  /** True: its findings say why calls fail, although they leave it to others to say that calls do. */
  readonly breaksCalls?: true;
  /** Absent: a remedy answers it. */
  readonly noRemedy?: keyof typeof noRemedyReasons | { readonly because: string };
  /** True: said only where no other finding about the subject says as much about the next call. */
  readonly lastResort?: true;
  /** True: the same words about several callouts of one object are told once, of the first. */
  readonly oncePerObject?: true;
  /** Pages about its subject; a path is one of kubernetes.io. Without such a path, that of its link is added (`linkPages`). */
  readonly references?: readonly string[];
  /** Former ids. */
  readonly aliases?: readonly string[];
}

/**
 * Makes a finding with one of the check's messages; its data is what that message's text names. Where the commands of the
 * advice name more than the callout, the finding says what; `undefined` is what it does not know.
 */
export type Find<M extends Messages, A extends string = string> = <Id extends keyof M & string>(
  messageId: Id,
  data: MessageData<M[Id]>,
  ...more: [OwnNames<A>] extends [never]
    ?
        | [evidence?: readonly Evidence[], confidence?: Confidence]
        | [evidence: readonly Evidence[], names: Names, confidence?: Confidence]
    : [
        evidence: readonly Evidence[],
        names: Names & { readonly [N in OwnNames<A>]: string | undefined },
        confidence?: Confidence,
      ]
) => Finding;

/** A check as its file writes it: all its text, and how it chooses and judges. */
export interface CheckDefinition<
  Required extends readonly FactName[],
  Subject extends { readonly ref: ObjectRef },
  M extends Messages,
  A extends string,
> {
  readonly meta: CheckMeta<M, A>;
  /** The facts that this check may see. Reading another does not compile. */
  readonly requires: Required;
  /** Chooses what to judge; none means not applicable. */
  subjects(facts: World<Required[number]>): readonly Subject[];
  /** Judges one subject. May throw NotKnown (a lookup does it): the outcome is then `unknown` for this subject. */
  run(
    subject: Subject,
    facts: World<Required[number]>,
    find: Find<M, A>,
  ): Finding | readonly Finding[] | undefined;
}

/** Identity at run time; at compile time it stops a check from reading a fact that it did not require. */
export function defineCheck<
  const Required extends readonly FactName[],
  Subject extends { readonly ref: ObjectRef },
  const M extends Messages,
  const A extends string,
>(check: CheckDefinition<Required, Subject, M, A>): CheckDefinition<Required, Subject, M, A> {
  return check;
}

/** Any check, as the runner and the catalogue hold it. */
export interface Check {
  readonly meta: CheckMeta;
  readonly requires: readonly FactName[];
  subjects(facts: Facts): readonly { readonly ref: ObjectRef }[];
  run(subject: never, facts: Facts, find: never): Finding | readonly Finding[] | undefined;
}

const breaks = ({ consequence }: { readonly consequence?: Consequence | 'none' }): boolean =>
  consequence === 'failing' || consequence === 'degraded';

/** Whether findings of a check say why calls fail. What an outage comes to, or how near it is, is told under these. */
const breaksCalls = ({ meta }: Check): boolean =>
  meta.breaksCalls === true ||
  meta.implies === 'no-way-back' ||
  [meta, ...Object.values(meta.messages)].some((one) => typeof one === 'object' && breaks(one));

/** Whether a finding of one check, with this message or any, only follows from a finding of another one. */
export function isExplainedBy({ meta }: Check, cause: Check, messageId?: string): boolean {
  const { id, follows = [], messages } = meta;
  const ofMessages = Object.entries(messages).flatMap(([name, message]) =>
    typeof message === 'object' && name === (messageId ?? name) ? (message.follows ?? []) : [],
  );
  if (id === cause.meta.id) return false;
  return follows === 'every-break' ? breaksCalls(cause) : [...follows, ...ofMessages].includes(cause.meta.id);
}

/** Whether findings of checks that follow this one only follow from a finding with this message. */
export function explainsOthers({ meta }: Check, messageId: string): boolean {
  const message = meta.messages[messageId];
  return typeof message !== 'object' || message.explains !== false;
}

const touchesCalls = ({ meta }: Check): boolean =>
  [meta, ...Object.values(meta.messages)].some(
    (one) =>
      typeof one === 'object' &&
      ((one.consequence ?? 'none') !== 'none' || (one.implies ?? 'nothing') !== 'nothing'),
  );

/** The checks whose findings can change a verdict: they touch calls, or explain findings that do. */
export function decidingVerdicts(checks: readonly Check[]): readonly Check[] {
  const deciding = new Set(checks.filter(touchesCalls));
  // What is added while it is iterated is visited, too.
  for (const decided of deciding)
    for (const check of checks) if (isExplainedBy(decided, check)) deciding.add(check);
  return checks.filter((check) => deciding.has(check));
}

/** Ids of the checks that may explain a text, likeliest first. */
export const checksExplaining = (text: KnownText, checks: readonly Check[]): readonly string[] =>
  checks
    .flatMap(({ meta: { id, explains = {} } }) =>
      explains[text] === undefined ? [] : [{ id, at: explains[text] }],
    )
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);

/** Why nothing cures what a check finds; undefined where a remedy may. */
export function whyNoRemedy(id: string, checks: readonly Check[]): string | undefined {
  const reason = checks.find(({ meta }) => meta.id === id)?.meta.noRemedy;
  return typeof reason === 'string' ? noRemedyReasons[reason] : reason?.because;
}

/** The plain text of a message, without its grading. */
export const messageText = (message: string | Message): string =>
  typeof message === 'string' ? message : message.text;
