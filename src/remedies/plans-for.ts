import { byRank } from '../basics/collections.ts';
import { remembered } from '../basics/derive.ts';
import type { Plan } from '../change/plan.ts';
import type { Facts } from '../facts/snapshot.ts';
import { NotKnown, type Unread } from '../facts/unread.ts';
import type { Problem, Remedy, RemedyMeta, Risk } from './remedy.ts';

/** The result of a remedy for a problem. */
export type Offer = { readonly meta: RemedyMeta } & (
  | { readonly plan: Plan }
  | { readonly refused: string }
  /** The facts that decide whether it would help could not be read. */
  | { readonly unread: Unread }
);

/** The remedies for a check, cached: thousands of findings belong to few checks. */
const answering = remembered((remedies: readonly Remedy[], check: string, breaks: boolean | undefined) =>
  remedies.filter(
    ({ meta }) => meta.answers.includes(check) || (meta.firstAid !== undefined && breaks === true),
  ),
);

function offerOf(remedy: Remedy, problem: Problem, facts: Facts): Offer | undefined {
  const { meta } = remedy;
  try {
    const found = remedy.plan(problem, facts);
    if (found === undefined) return undefined;
    return 'refused' in found ? { meta, refused: found.refused } : { meta, plan: found };
  } catch (error) {
    if (error instanceof NotKnown) return { meta, unread: error.unread };
    throw error;
  }
}

const risks: readonly Risk[] = ['safe', 'careful', 'dangerous'];
const isUnsure = (offer: Offer): boolean => 'plan' in offer && offer.plan.unsure !== undefined;
const rank = (offer: Offer): readonly number[] => [
  Number(isUnsure(offer)),
  Number(offer.meta.firstAid !== undefined),
  risks.indexOf(offer.meta.risk),
];

/** The results of all remedies for a problem: fixes, mitigations, uncertain ones; the safest first. */
export const offersFor = (problem: Problem, facts: Facts, remedies: readonly Remedy[]): readonly Offer[] =>
  answering(remedies, problem.check, problem.breaks)
    .flatMap((remedy) => offerOf(remedy, problem, facts) ?? [])
    .sort(byRank(rank));
