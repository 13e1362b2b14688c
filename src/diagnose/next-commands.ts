import { shellWord } from '../facts/advice.ts';
import { shortNames } from '../facts/callout.ts';
import { groupBy } from '../facts/group-by.ts';
import type { DoctorReport, FindingReport, NextReport, RemedyReport } from './report.ts';

/** The report with the next commands for whatever it tells in full: causes, and errors that break no call. */
export function withNextCommands(report: DoctorReport, flags = ''): DoctorReport {
  const causes = new Set(report.callouts.map(({ cause }) => cause));
  const consequences = groupBy(
    report.findings.filter(({ causedBy }) => causedBy !== undefined),
    ({ callout, causedBy }) => `${causedBy} ${callout}`,
  );
  const next = (finding: FindingReport): FindingReport => {
    const { id, severity, check, callout, remedies } = finding;
    if (severity !== 'error' && !causes.has(id)) return finding;
    // What cures only a consequence is better than nothing.
    const following = consequences.get(`${check} ${callout}`) ?? [];
    const cures = [finding, ...following].flatMap((one) => one.remedies);
    const now = remedies.find(({ firstAid }) => firstAid);
    const fix = cures.find(({ firstAid }) => !firstAid);
    const as = (when: 'now' | 'fix', remedy: RemedyReport | undefined) =>
      remedy === undefined ? [] : [{ when, ...remedy }];
    const commands = [...as('now', now), ...as('fix', fix)];
    return commands.length === 0 ? finding : { ...finding, next: commands };
  };
  const findings = report.findings.map(next);
  const one = nextOf(new Map(findings.map((finding) => [finding.id, finding])), flags, report);
  return { ...report, ...(one === undefined ? {} : { next: one }), findings };
}

/** What to type first: of the worst break what cures it, unless that deletes something; else what stops the damage. */
function nextOf(
  findings: ReadonlyMap<string, FindingReport>,
  flags: string,
  { stories, callouts, notLookedAt }: DoctorReport,
): NextReport | undefined {
  const [worst, ...others] = stories;
  if (worst === undefined) return undefined;
  const commands = findings.get(worst.cause ?? '')?.next ?? [];
  const known =
    commands.find(({ when, deletes }) => when === 'fix' && deletes !== true) ??
    commands.find(({ when }) => when === 'now');
  if (known !== undefined) return { command: known.command, title: known.title };
  const [id = ''] = worst.callouts;
  const check = findings.get(worst.cause ?? '')?.check;
  // The only one is told as a whole already.
  const [text, title] =
    worst.state === 'unknown' && notLookedAt.some(({ allow }) => allow !== undefined)
      ? ['kubectl webhook rbac doctor --probe connect', 'The rights that doctor needs']
      : others.length === 0 && check !== undefined
        ? [`kubectl webhook checks ${check}`, 'What to do about it']
        : [`kubectl webhook doctor ${shellWord(shortNames(callouts)(id))}${flags}`, 'All details'];
  return { command: { text, runnable: true, placeholders: [] }, title };
}
