import type { Plan, Touch } from '../change/plan.ts';
import { type Callout, calloutId } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { FactName, World } from '../facts/snapshot.ts';

/** What a remedy is asked about: a finding, in the facts' terms. */
export interface Problem {
  /** Check id. */
  readonly check: string;
  readonly subject: ObjectRef;
  /** The callout that the finding is about, where it is about one. */
  readonly callout?: Callout;
  /** The finding is why the callout's next call fails, for all or for some. */
  readonly breaks?: boolean;
  /** The namespace that the user is in trouble with, where one was named. */
  readonly namespace?: string;
}

/** `safe`: takes nothing away. `careful`: something works less well meanwhile. `dangerous`: something goes unchecked or away. */
export type Risk = 'safe' | 'careful' | 'dangerous';

/** All text of a remedy that a user can meet, once. */
export interface RemedyMeta {
  /** kebab-case, a verb first; also the file's name, the page's and the test's. */
  readonly id: string;
  readonly title: string;
  readonly risk: Risk;
  /** What it does, and what that costs meanwhile. */
  readonly does: string;
  /** What it does not cure. */
  readonly leaves: string;
  /** Ids of checks whose findings it answers. */
  readonly answers: readonly string[];
  /** Everything that its plans may change. */
  readonly touches: readonly Touch[];
  /**
   * It cures nothing, and helps at once, letting requests pass: it also answers any finding that breaks a call, whatever
   * its check.
   */
  readonly firstAid?: 'all-requests' | 'one-namespace';
}

/** A known cure that must not be used here, and why. */
export interface RemedyRefusal {
  readonly refused: string;
}

/** A plan as a remedy writes it: unless told, it is meant to mend the callout, and there is nothing to warn of. */
export type PlanDraft = Omit<Plan, 'remedy' | 'mends' | 'warnings'> &
  Partial<Pick<Plan, 'mends' | 'warnings'>>;

/** A remedy as its file writes it: what it may see, and what it makes of a problem. */
export interface RemedyDefinition<Required extends readonly FactName[]> {
  readonly meta: RemedyMeta;
  /** The facts that this remedy may see. */
  readonly requires: Required;
  /**
   * Pure. Undefined when it does not fit this problem; a refusal when it would, and would do harm. May throw NotKnown:
   * then what decides it could not be read, and it is not offered.
   */
  plan(problem: Problem, facts: World<Required[number]>): PlanDraft | RemedyRefusal | undefined;
}

/** Any remedy, as the catalogue holds it. */
export interface Remedy<Required extends readonly FactName[] = readonly FactName[]> {
  readonly meta: RemedyMeta;
  readonly requires: Required;
  plan(problem: Problem, facts: World<Required[number]>): Plan | RemedyRefusal | undefined;
}

/** Fills in what goes without saying. At compile time it keeps a remedy from reading a fact that it did not require. */
export const defineRemedy = <const Required extends readonly FactName[]>({
  plan,
  ...remedy
}: RemedyDefinition<Required>): Remedy<Required> => ({
  ...remedy,
  plan(problem, facts) {
    const draft = plan(problem, facts);
    if (draft === undefined || 'refused' in draft) return draft;
    const mends = problem.callout === undefined ? [] : [calloutId(problem.callout)];
    return { remedy: remedy.meta.id, mends, warnings: [], ...draft };
  },
});

/** What is changed where a webhook is. */
export const configurationKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** What is changed where Pods are. */
export const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] as const;
