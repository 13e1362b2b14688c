import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { andMore } from '../../phrases/lists.ts';
import { CannotStart } from '../with-cluster.ts';

const severities = ['error', 'warning', 'info'];
const mostShown = 15;

/** What was typed, in the terms of doctor. */
export interface FixTarget {
  /** Callouts to look at; empty for all. */
  readonly callouts: readonly string[];
  /** Check id that narrows the findings. */
  readonly check?: string;
  /** A finding's id. */
  readonly id?: string;
}

/**
 * FINDING is a finding's id (`check:callout`) or a check's id; anything else names a callout.
 *
 * @param checks ids of all checks, former ones too, with the ids that they have.
 */
export function fixTarget(typed: string | undefined, checks: ReadonlyMap<string, string>): FixTarget {
  if (typed === undefined) return { callouts: [] };
  const [named = '', ...rest] = typed.split(':');
  const check = checks.get(named);
  if (check === undefined) return { callouts: [typed] };
  if (rest.length === 0) return { callouts: [], check };
  const about = rest.join(':');
  // A second finding of one check about one callout is told apart by its number.
  const callout = about.replace(/#\d+$/, '');
  return callout === '' ? { callouts: [typed] } : { callouts: [callout], check, id: `${check}:${about}` };
}

const order = (a: FindingReport, b: FindingReport): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity);

/** Findings that the target may mean: those that cause something before those that only follow, errors first. */
export function candidates({ findings }: DoctorReport, { check, id }: FixTarget): readonly FindingReport[] {
  const meant = findings.filter(
    (finding) => (id === undefined || finding.id === id) && (check === undefined || finding.check === check),
  );
  const causes = meant.filter(({ causedBy }) => causedBy === undefined).sort(order);
  const follows = meant.filter(({ causedBy }) => causedBy !== undefined).sort(order);
  return [...causes, ...follows];
}

/** The findings by name, for somebody who has to choose one on the command line. */
export function chooseOne(found: readonly FindingReport[]): CannotStart {
  const shown = found.slice(0, mostShown).map(({ id, severity }) => `${id} (${severity})`);
  const more = found.length > mostShown ? [andMore(found.length - mostShown)] : [];
  return new CannotStart(
    `there are ${found.length} findings; name one: kubectl webhook fix FINDING --remedy ID`,
    [...shown, ...more].join('\n'),
  );
}
