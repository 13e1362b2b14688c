import { groupBy } from '../../basics/collections.ts';
import type { DoctorReport, FindingReport, RemedyReport } from '../../diagnose/report.ts';
import { agreeing, andMore, counted } from '../../phrases/lists.ts';
import { CannotStart } from '../cluster/cannot-start.ts';

const severities = ['error', 'warning', 'info'];
const mostShown = 15;
const mostNow = 3;

/** The parsed argument of `fix`. */
export interface FixTarget {
  /** Names of webhooks to examine; empty for all. */
  readonly callouts: readonly string[];
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
  const withId = named.length > 0 ? named : ofWebhook;
  const meant = id === undefined ? ofCheck : withId;
  const causes = meant.filter(({ causedBy }) => causedBy === undefined).sort(order);
  const follows = meant.filter(({ causedBy }) => causedBy !== undefined).sort(order);
  return [...causes, ...follows];
}

/** The commands of a remedy, or of all, each once: those that only mitigate are last. */
function remediesOf(found: readonly FindingReport[], remedy: string | undefined): readonly RemedyReport[] {
  const all = found.flatMap(({ remedies }) => remedies);
  const named = all.filter(({ id }) => id === remedy);
  const byCommand = new Map((named.length === 0 ? all : named).map((one) => [one.command.text, one]));
  return [...byCommand.values()].sort((a, b) => Number(a.firstAid ?? false) - Number(b.firstAid ?? false));
}

/** Commands on their own lines, below the title that they share. */
const commandLines = (remedies: readonly RemedyReport[]): readonly string[] =>
  [...groupBy(remedies, ({ title }) => title)].flatMap(([title, alike]) => [
    `${title}:`,
    ...alike.map(({ command }) => `  ${command.text}`),
  ]);

const nameOf = ({ id, severity, causedBy }: FindingReport): string =>
  `${id} (${severity}${causedBy === undefined ? '' : `, a consequence of ${causedBy}`})`;

/**
 * The commands or, without remedies, the findings from which the user can choose one on the command line.
 *
 * @param attached the report with remedies; its problems have an order.
 * @param remedy the remedy that the user named.
 */
export function chooseOne(
  meant: readonly FindingReport[],
  attached: DoctorReport,
  remedy?: string,
): CannotStart {
  const byId = new Map(attached.findings.map((finding) => [finding.id, finding]));
  const ordered = attached.stories.flatMap(({ findings }) => findings);
  const ids = new Set(meant.map(({ id }) => id));
  const inOrder = new Set([...ordered.filter((id) => ids.has(id)), ...ids]);
  const found = [...inOrder].flatMap((id) => byId.get(id) ?? []);
  const remedies = remediesOf(found, remedy);
  const hasNoRemedy = remedies.length === 0;
  const rest = (hasNoRemedy ? found : remedies).length - mostShown;
  const lines = hasNoRemedy
    ? found.slice(0, mostShown).map(nameOf)
    : commandLines(remedies.slice(0, mostShown));
  return new CannotStart(
    `there ${agreeing(found.length, 'is', 'are')} ${counted(found.length, 'finding')}; ${hasNoRemedy ? 'name one: kubectl webhook fix FINDING --remedy ID' : 'run one of these commands'}`,
    [...lines, ...(rest > 0 ? [andMore(rest)] : [])].join('\n'),
  );
}

/**
 * The error if doctor has not found what the user typed, because it does not exist or has become another finding: the
 * findings now, and the commands that fix them.
 *
 * @param attached the report with remedies.
 * @param unread lines about failed reads.
 */
export function notFound(typed: string, attached: DoctorReport, unread: readonly string[]): CannotStart {
  const causes = attached.findings
    .filter(({ severity, causedBy }) => severity !== 'info' && causedBy === undefined)
    .sort(order);
  const shown = causes.slice(0, mostNow);
  const found = shown.map((finding) => `It finds ${nameOf(finding)}`);
  const rest = causes.length > mostNow ? [andMore(causes.length - mostNow)] : [];
  const lines = [...found, ...rest, ...commandLines(remediesOf(shown, undefined))];
  const all = 'All findings: kubectl webhook doctor -o name';
  return new CannotStart(`doctor finds no "${typed}"`, [...lines, all, ...unread].join('\n'));
}
