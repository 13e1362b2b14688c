import { defined } from '../basics/collections.ts';
import type { Plan, Touch } from '../change/plan.ts';
import {
  type AdmissionCallout,
  type Callout,
  calloutId,
  failsClosed,
  isAdmission,
  isServiceBacked,
  isUrlBacked,
  type ServiceBacked,
  type UrlBacked,
} from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { FactName, World } from '../facts/snapshot.ts';

/** The input of a remedy: a finding with its facts. */
export interface Problem {
  /** Check id. */
  readonly check: string;
  readonly subject: ObjectRef;
  /** The webhook or APIService that the finding is about, if any. */
  readonly callout?: Callout;
  /** The finding is the reason that the webhook's next call fails, to all Pods or to some. */
  readonly breaks?: boolean;
  /** The link of the chain that fails. */
  readonly link?: string;
  /** The call itself succeeds or ends in the API server: failurePolicy does not apply. */
  readonly refusedAnyway?: true;
  /** Its Pods wait for an update of Nodes that are not set up. */
  readonly waitsForNodes?: true;
  /** The namespace of the user's problem, if given. */
  readonly namespace?: string;
}

/**
 * `safe`: removes nothing. `careful`: something is degraded meanwhile. `dangerous`: requests are unchecked,
 * or something is deleted.
 */
export type Risk = 'safe' | 'careful' | 'dangerous';

/** The metadata of a remedy, with all of its fixed text. */
export interface RemedyMeta {
  /** kebab-case, starts with a verb; also the name of its file, page and test. */
  readonly id: string;
  readonly title: string;
  readonly risk: Risk;
  /** The change, and its side effects. */
  readonly does: string;
  /** What it does not fix. */
  readonly leaves: string;
  /** Ids of checks whose findings it is for. */
  readonly answers: readonly string[];
  /** Those of them whose cause remains: people must still do what the advice says. */
  readonly leavesCauseOf?: readonly string[];
  /** Every change that its plans may contain. */
  readonly touches: readonly Touch[];
  /** It only mitigates, by admitting requests at once: it is offered for any finding that breaks a call. */
  readonly firstAid?: 'all-requests' | 'one-namespace';
}

/** A known fix that must not be used here, and the reason. */
export interface RemedyRefusal {
  readonly refused: string;
}

/** A plan as a remedy writes it. By default it fixes the webhook of the problem, and has no warnings. */
export interface PlanDraft extends Omit<Plan, 'remedy' | 'fixes' | 'warnings' | 'unsure'> {
  readonly fixes?: Plan['fixes'];
  readonly warnings?: readonly (string | undefined)[];
  readonly unsure?: string | undefined;
}

/** A remedy as its file defines it. `Of` is the problem that it is for. */
export interface RemedyDefinition<Required extends readonly FactName[], Of = Problem> {
  readonly meta: RemedyMeta;
  /** The facts that this remedy may read. */
  readonly requires: Required;
  /**
   * Pure. Returns undefined if it does not apply to this problem; a sentence if it would apply, but do harm: why.
   * May throw NotKnown if facts that it needs could not be read: then it is not offered.
   */
  plan(problem: Of, facts: World<Required[number]>): PlanDraft | string | undefined;
}

/** A remedy in the catalogue. */
export interface Remedy<Required extends readonly FactName[] = readonly FactName[]> {
  readonly meta: RemedyMeta;
  readonly requires: Required;
  plan(problem: Problem, facts: World<Required[number]>): Plan | RemedyRefusal | undefined;
}

/** Adds the defaults of plans. Its type makes reading a fact outside of `requires` a compile error. */
export const defineGeneralRemedy = <const Required extends readonly FactName[]>({
  plan,
  ...remedy
}: RemedyDefinition<Required>): Remedy<Required> => ({
  ...remedy,
  plan(problem, facts) {
    const draft = plan(problem, facts);
    if (draft === undefined) return undefined;
    if (typeof draft === 'string') return { refused: draft };
    const { unsure, warnings = [], ...written } = draft;
    return {
      remedy: remedy.meta.id,
      fixes: problem.callout === undefined ? [] : [calloutId(problem.callout)],
      warnings: warnings.filter((warning) => warning !== undefined),
      ...written,
      ...defined({ unsure }),
    };
  },
});

/** The callouts that a remedy can be about. */
interface Subjects {
  readonly callout: Callout;
  readonly 'service-backed': ServiceBacked;
  readonly 'url-backed': UrlBacked;
  readonly admission: AdmissionCallout;
  readonly 'fails-closed': AdmissionCallout;
}

const isAbout: { readonly [S in keyof Subjects]: (callout: Callout) => callout is Subjects[S] } = {
  callout: (callout): callout is Callout => callout !== undefined,
  'service-backed': isServiceBacked,
  'url-backed': isUrlBacked,
  admission: isAdmission,
  'fails-closed': failsClosed,
};

/** A remedy for findings about callouts: it is offered for those of `about` only. */
export const defineRemedy = <const Required extends readonly FactName[], S extends keyof Subjects>({
  about,
  plan,
  ...remedy
}: RemedyDefinition<Required, Problem & { readonly callout: Subjects[S] }> & {
  readonly about: S;
}): Remedy<Required> =>
  defineGeneralRemedy({
    ...remedy,
    plan: ({ callout, ...problem }, facts) =>
      callout !== undefined && isAbout[about](callout) ? plan({ ...problem, callout }, facts) : undefined,
  });

/** Kinds that contain admission webhooks, for `touches`. */
export const configurationKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** Kinds that contain the client configuration of a webhook or APIService, for `touches`. */
export const clientConfigKinds = [...configurationKinds, 'CustomResourceDefinition', 'APIService'] as const;

/** Kinds of workloads, for `touches`. */
export const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] as const;
