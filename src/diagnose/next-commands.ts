import { commandsOf, shellWord } from '../facts/advice.ts';
import { shortNames } from '../facts/callout.ts';
import { groupBy } from '../facts/group-by.ts';
import { isPassed } from './chain.ts';
import {
  type DoctorReport,
  type FindingReport,
  type NextReport,
  type RemedyReport,
  severities,
} from './report.ts';

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
    // What cures only a consequence is better than nothing; what makes the next break less likely ends no break.
    const following = (consequences.get(`${check} ${callout}`) ?? []).filter(
      ({ severity: grade, link }) => grade === 'error' || isPassed(link),
    );
    const cures = [finding, ...following].flatMap((one) => one.remedies);
    const now = remedies.find(({ firstAid }) => firstAid);
    const fix = cures.find(({ firstAid }) => !firstAid);
    const as = (when: 'now' | 'fix', remedy: RemedyReport | undefined) =>
      remedy === undefined ? [] : [{ when, ...remedy }];
    const commands = [...as('now', now), ...as('fix', fix)];
    return commands.length === 0 ? finding : { ...finding, next: commands };
  };
  const findings = report.findings.map(next);
  const one = whatNext(new Map(findings.map((finding) => [finding.id, finding])), flags, report);
  return { ...report, ...(one === undefined ? {} : { next: one }), findings };
}

/** What reads, or shows what it would change before it does. */
const harmless = /^kubectl (-n \S+ )?(get|describe|logs|top|edit) /;

/**
 * The first step of an advice that anyone can paste: it changes nothing, or opens an editor. What is to be edited where
 * nothing fails is not told on the first screen.
 */
const firstStep = ({ advice, check, severity }: FindingReport): NextReport => {
  const step = commandsOf(advice).find(
    ({ text, runnable }) =>
      runnable && harmless.test(text) && (severity !== 'warning' || !/ edit /.test(text)),
  );
  return step === undefined
    ? nextOf(`kubectl webhook checks ${check}`, 'What to do about it')
    : { command: step, title: 'The first step of the manual fix' };
};

const nextOf = (text: string, title: string): NextReport => ({
  command: { text, runnable: true, placeholders: [] },
  title,
});

/**
 * What to type first: of the worst break what cures it, unless that deletes something; else what stops the damage; else
 * the first step by hand. Where nothing breaks: that of the first error or warning.
 */
function whatNext(
  findings: ReadonlyMap<string, FindingReport>,
  flags: string,
  { stories, callouts, notLookedAt }: DoctorReport,
): NextReport | undefined {
  const [worst, ...others] = stories;
  if (worst === undefined) {
    const [beside] = severities.flatMap((one) =>
      [...findings.values()].filter(({ severity }) => severity === one),
    );
    if (beside === undefined || beside.severity === 'info') return undefined;
    // An error is told with its fix.
    const [known] = (beside.next ?? []).filter(({ deletes }) => deletes !== true);
    if (known !== undefined) return { command: known.command, title: known.title };
    return firstStep(beside);
  }
  const cause = findings.get(worst.cause ?? '');
  const commands = cause?.next ?? [];
  const known =
    commands.find(({ when, deletes, unsure }) => when === 'fix' && deletes !== true && unsure !== true) ??
    commands.find(({ when }) => when === 'now');
  if (known !== undefined) return { command: known.command, title: known.title };
  const [id = ''] = worst.callouts;
  if (worst.state === 'unknown' && notLookedAt.some(({ allow }) => allow !== undefined))
    return nextOf('kubectl webhook rbac doctor --probe connect', 'The rights that doctor needs');
  // The only one is told as a whole already.
  if (others.length === 0 && cause !== undefined) return firstStep(cause);
  return nextOf(`kubectl webhook doctor ${shellWord(shortNames(callouts)(id))}${flags}`, 'All details');
}
