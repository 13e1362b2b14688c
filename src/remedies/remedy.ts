import type { Plan, Touch } from '../change/plan.ts';
import type { Callout } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { FactName, Facts } from '../facts/snapshot.ts';

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
export interface Refusal {
  readonly refused: string;
}

/** A remedy as its file writes it: what it may see, and what it makes of a problem. */
export interface RemedyDefinition<Required extends readonly FactName[]> {
  readonly meta: RemedyMeta;
  /** The facts that this remedy may see. */
  readonly requires: Required;
  /**
   * Pure. Undefined when it does not fit this problem; a refusal when it would, and would do harm. May throw NotKnown:
   * then what decides it could not be read, and it is not offered.
   */
  plan(problem: Problem, facts: Pick<Facts, Required[number]>, takenAt: string): Plan | Refusal | undefined;
}

/** Any remedy, as the catalogue holds it. */
export interface Remedy {
  readonly meta: RemedyMeta;
  readonly requires: readonly FactName[];
  plan(problem: Problem, facts: Facts, takenAt: string): Plan | Refusal | undefined;
}

/** Identity at run time; at compile time it keeps a remedy from reading a fact that it did not require. */
export const defineRemedy = <const Required extends readonly FactName[]>(
  remedy: RemedyDefinition<Required>,
): RemedyDefinition<Required> => remedy;
