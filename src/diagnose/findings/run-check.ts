import { derive, remembered } from '../../basics/derive.ts';
import type { Check, Finding, Messages } from '../../checks/check.ts';
import type { Confidence, Evidence } from '../../facts/evidence.ts';
import type { ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown, type Unread } from '../../facts/unread.ts';
import type { Names } from '../../phrases/advice.ts';

/** `not-applicable`: no subject. `unknown`: a required fact was not read. `error`: the check threw. */
export type CheckOutcome = 'pass' | 'fail' | 'not-applicable' | 'unknown' | 'error';

/** The result of one check for one subject, or for all subjects if `subject` is absent. */
export interface CheckResult {
  readonly checkId: string;
  readonly subject?: ObjectRef;
  readonly outcome: CheckOutcome;
  readonly findings: readonly Finding[];
  /** Only for `unknown`: the read that failed. */
  readonly unread?: Unread;
  /** Only for `error`: a crash of this program's code. It affects one subject, not the run. */
  readonly error?: string;
}

/** The results of all checks, and the checks that were stopped. */
export interface CheckResults {
  readonly results: readonly CheckResult[];
  readonly stopped: readonly Unread[];
}

/** Results of checks that have already run, and the time limit of the run. */
export interface CheckRun {
  /** Results for the same facts, if the checks have already run. */
  readonly checkResults?: CheckResults | undefined;
  /** Once it returns true, no further subjects are checked. */
  readonly isOver?: (() => boolean) | undefined;
}

/** Returns only the facts that a check requires: reading another one throws. */
function narrowed({ requires }: Check, facts: Partial<Facts>): Facts {
  const names = ['takenAt', ...requires] as const;
  return Object.fromEntries(names.map((name) => [name, facts[name]])) as unknown as Facts;
}

const finder =
  (check: Check, subject: ObjectRef) =>
  (
    messageId: string,
    data: Finding['data'],
    evidence: readonly Evidence[] = [],
    ...more: readonly (Names | Confidence | undefined)[]
  ): Finding => {
    const names = more.find((one) => typeof one === 'object');
    const { meta } = check;
    const confidence = more.find((one) => typeof one === 'string') ?? meta.confidence ?? 'derived';
    const message = (meta.messages as Messages)[messageId];
    if (message === undefined) throw new Error(`${meta.id} has no message ${messageId}`);
    const graded = typeof message === 'string' ? undefined : message;
    const { consequence = meta.consequence, implies = meta.implies } = graded ?? {};
    return {
      checkId: meta.id,
      link: meta.link,
      severity: graded?.severity ?? meta.severity,
      ...(consequence === undefined || consequence === 'none' ? {} : { consequence }),
      ...(implies === undefined || implies === 'nothing' ? {} : { implies }),
      confidence,
      subject,
      messageId,
      data,
      evidence,
      ...(names === undefined ? {} : { names }),
    };
  };

/** Converts NotKnown to `unknown`, and every other exception to `error`: a crash of this program's code. */
function failure(checkId: string, thrown: unknown, subject?: ObjectRef): CheckResult {
  const about = subject === undefined ? {} : { subject };
  if (thrown instanceof NotKnown)
    return { checkId, ...about, outcome: 'unknown', findings: [], unread: thrown.unread };
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  return { checkId, ...about, outcome: 'error', findings: [], error };
}

const passed: readonly CheckResult[] = [];

function evaluated(check: Check, facts: Facts): readonly CheckResult[] {
  const checkId = check.meta.id;
  try {
    const subjects = check.subjects(facts);
    if (subjects.length === 0) return [{ checkId, outcome: 'not-applicable', findings: [] }];
    const results = subjects.flatMap((subject): CheckResult | readonly CheckResult[] => {
      try {
        const found = check.run(subject as never, facts, finder(check, subject.ref) as never);
        const findings = found === undefined ? [] : [found].flat();
        return findings.length > 0 ? { checkId, subject: subject.ref, outcome: 'fail', findings } : passed;
      } catch (thrown) {
        return failure(checkId, thrown, subject.ref);
      }
    });
    return results.length > 0 ? results : [{ checkId, outcome: 'pass', findings: [] }];
  } catch (thrown) {
    return [failure(checkId, thrown)];
  }
}

/** Caches results by the facts that a check requires: a check is a pure function of them. */
const resultsOf = remembered((check: Check) =>
  derive([...check.requires, 'takenAt'], (known: Partial<Facts>) => evaluated(check, narrowed(check, known))),
);

/**
 * Runs one check. Returns a result for each subject that does not pass, or one `pass` for all. Never throws.
 *
 * @param known at least the facts that the check requires.
 */
export const runCheck = (check: Check, known: Partial<Facts>): readonly CheckResult[] =>
  resultsOf(check)(known);

/** Runs all checks on complete facts. */
export const runChecks = (checks: readonly Check[], facts: Facts): CheckResults => ({
  results: checks.flatMap((check) => runCheck(check, facts)),
  stopped: [],
});
