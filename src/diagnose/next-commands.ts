import { groupBy } from '../facts/group-by.ts';
import type { DoctorReport, FindingReport, RemedyReport } from './report.ts';

/** The report with the next commands for whatever it tells in full: causes, and errors that break no call. */
export function withNextCommands(report: DoctorReport): DoctorReport {
  const causes = new Set(report.callouts.map(({ cause }) => cause));
  const consequences = groupBy(
    report.findings.filter(({ causedBy }) => causedBy !== undefined),
    ({ callout, causedBy }) => `${causedBy} ${callout}`,
  );
  const next = (finding: FindingReport): FindingReport => {
    const { id, severity, check, callout, remedies } = finding;
    if (severity !== 'error' && !causes.has(id)) return finding;
    // What cures only a consequence is better than nothing: an orphan's cause has no remedy, the orphan has.
    const following = consequences.get(`${check} ${callout}`) ?? [];
    const cures = [finding, ...following].flatMap((one) => one.remedies);
    const now = remedies.find(({ firstAid }) => firstAid);
    const fix = cures.find(({ firstAid }) => !firstAid);
    const as = (when: 'now' | 'fix', remedy: RemedyReport | undefined) =>
      remedy === undefined ? [] : [{ when, ...remedy }];
    const commands = [...as('now', now), ...as('fix', fix)];
    return commands.length === 0 ? finding : { ...finding, next: commands };
  };
  return { ...report, findings: report.findings.map(next) };
}
