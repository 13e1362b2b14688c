import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';

/** What stops the damage and cures nothing. */
const firstAid = new Set(['flip-failure-policy']);

/** More would be a list to read at night; -o json has them all. */
const most = 3;

type Line = readonly [label: string, text: string];

/** Each text once, at most a few. */
const few = (texts: readonly string[]): readonly string[] => [...new Set(texts)].slice(0, most);

/**
 * The commands that help, for each callout that shares the finding: what stops the damage now, and the best remedy
 * there is. Nothing where no remedy plans anything.
 */
export function remedyLines(
  cause: FindingReport,
  callouts: readonly Pick<CalloutReport, 'kind' | 'configuration' | 'webhook'>[],
  findings: readonly FindingReport[],
): readonly Line[] {
  const about = new Set(callouts.map(calloutId));
  const shared = findings.filter(
    ({ check, callout }) => check === cause.check && callout !== undefined && about.has(callout),
  );
  const all = shared.length === 0 ? [cause] : shared;
  const now = all.flatMap(({ remedies }) => remedies.find(({ id }) => firstAid.has(id)) ?? []);
  // What cures only a consequence is better than nothing: an orphan's cause has no remedy, the orphan has.
  const withConsequences = (one: FindingReport): readonly FindingReport[] => [
    one,
    ...findings.filter(({ callout, causedBy }) => causedBy === one.check && callout === one.callout),
  ];
  const fix = all.flatMap(
    (one) =>
      withConsequences(one)
        .flatMap(({ remedies }) => remedies)
        .find(({ id }) => !firstAid.has(id)) ?? [],
  );
  return [
    ...few(now.map(({ command }) => command)).map((command): Line => ['Now', command]),
    ...few(fix.map(({ command, title }) => `${command}\n(${title})`)).map((text): Line => ['Fix', text]),
  ];
}
