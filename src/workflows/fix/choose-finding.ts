import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { agreeing, andMore, counted } from '../../phrases/lists.ts';
import { CannotStart } from '../with-cluster.ts';

const severities = ['error', 'warning', 'info'];
const mostShown = 15;

/** The parsed argument of `fix`. */
export interface FixTarget {
  /** Names of webhooks to examine; empty for all. */
  readonly callouts: readonly string[];
  /** Check id to select findings by. */
  readonly check?: string;
  /** `CHECK:WEBHOOK`: a finding's id, or one with another name of the webhook. */
  readonly id?: string;
}

/**
 * Parses FINDING: the id of a finding (`CHECK:WEBHOOK`), the id of a check, or the name of a webhook.
 *
 * @param checks current ids by all ids, including former ones.
 */
export function fixTarget(typed: string | undefined, checks: ReadonlyMap<string, string>): FixTarget {
  if (typed === undefined) return { callouts: [] };
  const [named = '', ...rest] = typed.split(':');
  const check = checks.get(named);
  if (check === undefined) return { callouts: [typed] };
  if (rest.length === 0) return { callouts: [], check };
  const about = rest.join(':');
  // Several findings of one check about one webhook are distinguished by a number.
  const callout = about.replace(/#\d+$/, '');
  return callout === '' ? { callouts: [typed] } : { callouts: [callout], check, id: `${check}:${about}` };
}

const order = (a: FindingReport, b: FindingReport): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity);

/** Findings that match the target: causes before consequences, errors first. */
export function candidates({ findings }: DoctorReport, { check, id }: FixTarget): readonly FindingReport[] {
  const ofCheck = findings.filter((finding) => check === undefined || finding.check === check);
  const named = ofCheck.filter((finding) => finding.id === id);
  // Only the named webhooks were examined.
  const ofWebhook = id?.includes('#') ? [] : ofCheck.filter(({ callout }) => callout !== undefined);
  const meant = id === undefined ? ofCheck : named.length > 0 ? named : ofWebhook;
  const causes = meant.filter(({ causedBy }) => causedBy === undefined).sort(order);
  const follows = meant.filter(({ causedBy }) => causedBy !== undefined).sort(order);
  return [...causes, ...follows];
}

/** The findings by name, from which the user can choose one on the command line. */
export function chooseOne(found: readonly FindingReport[]): CannotStart {
  const shown = found
    .slice(0, mostShown)
    .map(({ id, severity, causedBy }) =>
      causedBy === undefined ? `${id} (${severity})` : `${id} (${severity}, a consequence of ${causedBy})`,
    );
  const more = found.length > mostShown ? [andMore(found.length - mostShown)] : [];
  return new CannotStart(
    `there ${agreeing(found.length, 'is', 'are')} ${counted(found.length, 'finding')}; name one: kubectl webhook fix FINDING --remedy ID`,
    [...shown, ...more].join('\n'),
  );
}
