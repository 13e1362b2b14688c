import type { Check, Finding, Messages } from '../checks/check.ts';
import type { Names } from '../facts/advice.ts';
import { derive, remembered } from '../facts/derive.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import { NotKnown, type Unread } from '../facts/unread.ts';

export type Outcome = 'pass' | 'fail' | 'not-applicable' | 'unknown' | 'error';

/** What one check said about one subject; about the whole when `subject` is absent. */
export interface CheckResult {
  readonly checkId: string;
  readonly subject?: ObjectRef;
  readonly outcome: Outcome;
  readonly findings: readonly Finding[];
  /** Only for `unknown`: what nobody could read. */
  readonly unread?: Unread;
  /** Only for `error`: the crash of our own code. It costs one subject, not the run. */
  readonly error?: string;
}

/** What checks said, and which of them did not come to an end. */
export interface CheckResults {
  readonly results: readonly CheckResult[];
  readonly stopped: readonly Unread[];
}

/** How far judging has come. */
export interface Judging {
  /** What the checks said of these very facts, where they ran already. */
  readonly judged?: CheckResults | undefined;
  /** No more callouts are judged from then on. */
  readonly isOver?: (() => boolean) | undefined;
}

/** The facts a check asked for, and no others: reading another is a programming error, told at once. */
function narrowed({ requires }: Check, facts: Partial<Facts>): Facts {
  const names = ['takenAt', ...requires] as const;
  return Object.fromEntries(names.map((name) => [name, facts[name]])) as unknown as Facts;
}

/** @param subject what is judged at the moment. */
const finder =
  (check: Check, subject: () => ObjectRef) =>
  (
    messageId: string,
    data: Finding['data'],
    evidence: readonly Evidence[] = [],
    ...more: readonly (Names | Confidence | undefined)[]
  ): Finding => {
    const names = more.find((one) => typeof one === 'object');
    const confidence = more.find((one) => typeof one === 'string') ?? 'derived';
    const { meta } = check;
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
      subject: subject(),
      messageId,
      data,
      evidence,
      ...(names === undefined ? {} : { names }),
    };
  };

/** Not knowing is an outcome; anything else that is thrown is our own fault and said so. */
function failure(checkId: string, thrown: unknown, subject?: ObjectRef): CheckResult {
  const about = subject === undefined ? {} : { subject };
  if (thrown instanceof NotKnown)
    return { checkId, ...about, outcome: 'unknown', findings: [], unread: thrown.unread };
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  return { checkId, ...about, outcome: 'error', findings: [], error };
}

const passed: readonly CheckResult[] = [];

function judged(check: Check, facts: Facts): readonly CheckResult[] {
  const checkId = check.meta.id;
  try {
    const subjects = check.subjects(facts);
    if (subjects.length === 0) return [{ checkId, outcome: 'not-applicable', findings: [] }];
    let about = subjects[0]?.ref as ObjectRef;
    const find = finder(check, () => about);
    const results = subjects.flatMap((subject): CheckResult | readonly CheckResult[] => {
      about = subject.ref;
      try {
        const found = check.run(subject as never, facts, find as never);
        const findings = found === undefined ? [] : [found].flat();
        return findings.length > 0 ? { checkId, subject: about, outcome: 'fail', findings } : passed;
      } catch (thrown) {
        return failure(checkId, thrown, about);
      }
    });
    return results.length > 0 ? results : [{ checkId, outcome: 'pass', findings: [] }];
  } catch (thrown) {
    return [failure(checkId, thrown)];
  }
}

/** A check is a pure function of the facts that it requires: of the very same ones it says the same. */
const judgement = remembered((check: Check) =>
  derive([...check.requires, 'takenAt'], (known: Partial<Facts>) => judged(check, narrowed(check, known))),
);

/**
 * Runs one check: what it says of each subject that does not pass, else that all do. Never throws.
 *
 * @param known as many facts as the check requires.
 */
export const runCheck = (check: Check, known: Partial<Facts>): readonly CheckResult[] =>
  judgement(check)(known);

export const runChecks = (checks: readonly Check[], facts: Facts): CheckResults => ({
  results: checks.flatMap((check) => runCheck(check, facts)),
  stopped: [],
});
