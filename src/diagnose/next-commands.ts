import { defined, groupBy } from '../basics/collections.ts';
import { warningOrder } from '../checks/chain.ts';
import { calloutId, shortNames } from '../facts/callout.ts';
import {
  type Command,
  commandsIn,
  type FilledStep,
  filledSteps,
  runnable,
  shellWord,
  textOfParts,
  toChange,
} from '../phrases/advice.ts';
import { andMore } from '../phrases/lists.ts';
import type {
  CalloutReport,
  CalloutState,
  DoctorReport,
  FindingReport,
  NextCommand,
  NextReport,
  RemedyReport,
  StoryReport,
} from './report.ts';
import { atFirstError, isPassed } from './verdict/chain.ts';

/** The run whose report suggests commands. */
export interface SuggestingRun {
  /** No webhook was named, and nothing was filtered. */
  readonly isUnfiltered: boolean;
  /** Flags that select the same cluster: ` --context prod`. Empty, or with a leading space. */
  readonly sameCluster: string;
}

/** Adds the next commands to findings that are printed in full: causes, errors that affect no call. */
export function withNextCommands(
  report: DoctorReport,
  run: SuggestingRun = { isUnfiltered: true, sameCluster: '' },
): DoctorReport {
  const causes = new Set(report.callouts.map(({ cause }) => cause));
  const consequences = groupBy(
    report.findings.filter(({ causedBy }) => causedBy !== undefined),
    ({ callout, causedBy }) => `${causedBy} ${callout}`,
  );
  // To fail open changes nothing where no request is refused.
  const idle = new Set(
    report.callouts
      .filter(({ verdict: { state, effect } }) => state !== 'unknown' && effect === 'none')
      .map(calloutId),
  );
  const next = (finding: FindingReport): FindingReport => {
    const { id, severity, check, callout, remedies } = finding;
    if (severity !== 'error' && !causes.has(id)) return finding;
    // A remedy for a consequence is accepted, but not one that only makes another failure less likely.
    const following = (consequences.get(`${check} ${callout}`) ?? []).filter(
      ({ severity: grade, link }) => grade === 'error' || isPassed(link),
    );
    const cures = [finding, ...atFirstError(following)].flatMap((one) => one.remedies);
    const now = idle.has(callout ?? '') ? undefined : remedies.find(({ firstAid }) => firstAid);
    const fix = cures.find(({ firstAid }) => !firstAid);
    const as = (when: 'now' | 'fix', remedy: RemedyReport | undefined) =>
      remedy === undefined ? [] : [{ when, ...remedy }];
    const commands = [...as('now', now), ...as('fix', fix)];
    return commands.length === 0 ? finding : { ...finding, next: commands };
  };
  const findings = report.findings.map(next);
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const causeOf = new Map(report.callouts.map((one) => [calloutId(one), one.cause ?? '']));
  const stories = report.stories.map((story): StoryReport => {
    const causes = story.callouts.flatMap((id) => byId.get(causeOf.get(id) ?? '') ?? []);
    const commands = commandsFor(toChange(causes), run);
    return commands.length === 0 ? story : { ...story, next: commands };
  });
  const first = whatNext(byId, run, { ...report, stories });
  return { ...report, stories, ...(first === undefined ? {} : { next: first }), findings };
}

/** Maximum number of commands of one kind. */
const mostCommands = 3;
/** Maximum number of arguments of `failopen` in one command. */
const mostOpened = 12;

/** The next commands for findings with one cause, without duplicates: one `failopen` for all of them. */
function commandsFor(
  findings: readonly FindingReport[],
  { sameCluster: flags }: SuggestingRun,
): readonly NextCommand[] {
  const commands = new Map(findings.flatMap(({ next = [] }) => next).map((one) => [one.command.text, one]));
  return (['now', 'fix'] as const).flatMap((when) => {
    const all = withOneFailopen(
      [...commands.values()].filter((one) => one.when === when),
      flags,
    );
    const [last, ...others] = all.slice(mostCommands - 1);
    if (last === undefined || others.length === 0) return all;
    const more = `${andMore(others.length)}: kubectl webhook fix${flags} lists them`;
    const because = last.because === undefined ? more : `${last.because}; ${more}`;
    return [...all.slice(0, mostCommands - 1), { ...last, because }];
  });
}

/** The command that makes webhooks fail open, without `kubectl webhook`. */
export const failopenWords = ({ opens = [], minutes }: Pick<RemedyReport, 'opens' | 'minutes'>): string =>
  `failopen ${opens.map(shellWord).join(' ')} --for ${minutes}m`;

/** A command of this program, with the flags that select the cluster, and the one that confirms a risk. */
export const pluginCommand = (words: string, sameCluster: string, flag?: string): Command =>
  runnable(`kubectl webhook ${words}${sameCluster}${flag === undefined ? '' : ` ${flag}`}`);

/** One `failopen` in the place of the first, with the names of all of them. If one needs a flag, it has it. */
function withOneFailopen(commands: readonly NextCommand[], sameCluster: string): readonly NextCommand[] {
  const opening = commands.filter(({ opens }) => opens !== undefined);
  const [first, ...others] = opening;
  const names = [...new Set(opening.flatMap(({ opens = [] }) => opens))];
  if (first === undefined || others.length === 0 || names.length > mostOpened) return commands;
  const reasons = new Set(opening.flatMap(({ because = [] }) => because));
  const all = { ...(opening.find(({ because }) => because !== undefined) ?? first), opens: names };
  const because = reasons.size === 0 ? {} : { because: [...reasons].join('; ') };
  const joined = { ...all, ...because, command: pluginCommand(failopenWords(all), sameCluster, all.flag) };
  return commands
    .filter((one) => one === first || !opening.includes(one))
    .map((one) => (one === first ? joined : one));
}

/** The sentence of a step, without its full stop. */
const sentenceOf = ({ prose }: FilledStep): string => textOfParts(prose).replace(/\.$/, '');

/** Commands that only read, or that open an editor; none with a pipe, a redirection or a second command. */
const isReadOnly =
  /^(?!.*[|>;&])kubectl ((-n \S+ )?(get|describe|logs|top|edit|auth can-i) |api-resources|webhook (cert-check|doctor) )/;
/**
 * The first command of the advice that is safe to paste, with its step as title: one that changes nothing, or that of a
 * `safe` step at the beginning, if the webhook fails (for what Pods missed: if it does not).
 *
 * @param state that of the webhook; undefined if the finding is about something else.
 */
function firstStep({ advice, remedies, link }: FindingReport, state?: CalloutState): NextReport | undefined {
  const isMissed = link === 'effect' && (state === 'healthy' || state === undefined);
  const mayChange = isMissed || (link !== 'effect' && state === 'failing');
  const commands = filledSteps(advice).flatMap((step) =>
    commandsIn(step).map((command) => ({ command, step })),
  );
  const first = commands.find(
    ({ command: { text, runnable }, step: { role } }, at) =>
      runnable &&
      (isReadOnly.test(text.replace(advice.flags ?? '', '')) || (at === 0 && mayChange && role === 'safe')),
  );
  if (first !== undefined) return { command: first.command, title: sentenceOf(first.step) };
  const fix = remedies.find(({ firstAid, deletes }) => !firstAid && deletes !== true);
  return fix && { command: fix.command, title: fix.title, fixes: true };
}

/** The first step of a cause that is expected to end by itself, as Pods that have just been created. */
function waitFor(cause: FindingReport | undefined): NextReport | undefined {
  const [first] = cause === undefined ? [] : filledSteps(cause.advice);
  const command = first?.role === 'safe' ? first.commands[0] : undefined;
  return first && command?.runnable && command.text.startsWith('kubectl webhook wait ')
    ? { command, title: sentenceOf(first) }
    : undefined;
}

/** Whether another problem also blocks requests, or keeps the same configuration from being healthy. */
function concerns(other: StoryReport, worst: StoryReport, callouts: readonly CalloutReport[]): boolean {
  const calloutsOf = (story: StoryReport): readonly CalloutReport[] =>
    callouts.filter((one) => story.callouts.includes(calloutId(one)));
  const own = new Set(calloutsOf(worst).map(({ configuration }) => configuration));
  return calloutsOf(other).some(
    ({ configuration, verdict: { effect } }) => effect === 'blocks' || own.has(configuration),
  );
}

const nextOf = (text: string, title: string): NextReport => ({ command: runnable(text), title });

const commandToRun = ({ when, command, title, firstAid, minutes, because }: NextCommand): NextReport => ({
  command,
  title,
  ...(when === 'fix' ? { fixes: true } : {}),
  ...defined({ firstAid, minutes, because }),
});

/**
 * The mitigation of the worst problem, together with those that block the same requests, or that follow from it: in one
 * command, or in the note.
 */
function mitigation(
  worst: StoryReport,
  others: readonly StoryReport[],
  { blocked: [widest], callouts, findings }: DoctorReport,
  sameCluster: string,
): NextCommand | undefined {
  const ofOutage = new Set(widest?.callouts);
  const isOf = ({ callouts }: StoryReport): boolean => callouts.some((id) => ofOutage.has(id));
  const names = callouts.flatMap((one) => (worst.callouts.includes(calloutId(one)) ? one.webhook : []));
  const waits = ({ cause }: StoryReport): boolean =>
    names.includes(findings.find(({ id }) => id === cause)?.advice.names.blocker ?? '');
  const together = [worst, ...others.filter((one) => waits(one) || (isOf(worst) && isOf(one)))];
  const [first, ...rest] = withOneFailopen(
    together.flatMap(({ next = [] }) => next.filter(({ when }) => when === 'now').slice(0, 1)),
    sameCluster,
  );
  const more = rest.filter(({ command }) => command.text !== first?.command.text);
  if (first === undefined || more.length === 0) return first;
  const notes = [first.because, alsoRun('this alone does not admit the blocked requests', more)];
  return { ...first, because: notes.filter((note) => note !== undefined).join('; ') };
}

/** A note that other commands are needed, too. */
function alsoRun(why: string, commands: readonly NextCommand[]): string {
  const texts = commands.slice(0, mostCommands).map(({ command }) => command.text);
  const more = commands.length - texts.length;
  const rest = more === 0 ? [] : [`${andMore(more)} (kubectl webhook fix lists them)`];
  return `${why}; also run: ${[...texts, ...rest].join('; ')}`;
}

/** The fixes of other deadlocks that block the same requests as the worst problem: its own fix does not end them. */
function fixesBesides(
  worst: StoryReport,
  others: readonly StoryReport[],
  { findings, blocked }: DoctorReport,
): string | undefined {
  const isDeadlock = ({ cause }: StoryReport): boolean =>
    findings.find(({ id }) => id === cause)?.noWayBack === true;
  const has = ({ callouts }: StoryReport, ids: readonly string[]): boolean =>
    callouts.some((id) => ids.includes(id));
  const together = others.filter(
    (one) => isDeadlock(one) && blocked.some(({ callouts }) => has(one, callouts) && has(worst, callouts)),
  );
  const commands = (isDeadlock(worst) ? together : []).flatMap(
    ({ next = [] }) => next.find(({ when, deletes, unsure }) => when === 'fix' && !deletes && !unsure) ?? [],
  );
  return commands.length === 0 ? undefined : alsoRun('this alone does not end the deadlock', commands);
}

/** The fix of an error about a webhook that fails open too late for the cluster's own requests: they are refused. */
function fixOfLate(
  { callouts: [id = ''] }: StoryReport,
  findings: ReadonlyMap<string, FindingReport>,
  report: DoctorReport,
): NextCommand | undefined {
  const effect = report.callouts.find((one) => calloutId(one) === id)?.verdict.effect;
  if (effect !== 'fails-open' || !report.blocked.some(({ callouts }) => callouts.includes(id)))
    return undefined;
  return [...findings.values()]
    .filter(({ callout, severity }) => callout === id && severity === 'error')
    .flatMap(({ next = [] }) => next)
    .find(({ when, deletes }) => when === 'fix' && deletes !== true);
}

/** The command for the first error or warning, if no call fails; for a webhook that fails open, the one that ends it. */
function nextWithoutFailure(
  findings: readonly FindingReport[],
  callouts: DoctorReport['callouts'],
): NextReport | undefined {
  const open = callouts.find(({ opened }) => opened !== undefined)?.opened;
  if (open !== undefined) return nextOf(open.undo, 'Restore the failurePolicy');
  const of = (one: FindingReport['severity']) => findings.filter(({ severity }) => severity === one);
  const warnings = of('warning').toSorted(
    (a, b) => warningOrder.indexOf(a.link) - warningOrder.indexOf(b.link),
  );
  const [first] = [...of('error'), ...warnings];
  if (first === undefined) return undefined;
  const [known] = (first.next ?? []).filter(({ deletes }) => deletes !== true);
  if (known !== undefined) return commandToRun(known);
  const subject = callouts.find((one) => calloutId(one) === first.callout);
  return (
    firstStep(first, subject?.verdict.state) ??
    nextOf(`kubectl webhook checks ${first.check}`, 'prints what to do')
  );
}

/**
 * The first command to run: for a stuck object that no webhook blocks, the one that shows other reasons. Else the fix of
 * the worst problem, unless it deletes an object; else to wait, if its Pods have just been created and nothing else is
 * broken; else the mitigation; else the first step of the manual fix. If no call fails: the command for the first error or
 * warning.
 */
function whatNext(
  findings: ReadonlyMap<string, FindingReport>,
  { isUnfiltered, sameCluster }: SuggestingRun,
  report: DoctorReport,
): NextReport | undefined {
  const { stories, callouts, notLookedAt, from } = report;
  if (from?.next !== undefined) return from.next;
  const [worst, ...others] = stories;
  const permissions = notLookedAt.some(({ allow }) => allow !== undefined)
    ? nextOf('kubectl webhook rbac doctor --probe connect', 'The permissions that doctor needs')
    : undefined;
  if (worst === undefined) return nextWithoutFailure([...findings.values()], callouts) ?? permissions;
  const cause = findings.get(worst.cause ?? '');
  const commands = worst.next ?? [];
  const fix = commands.find(
    ({ when, deletes, unsure }) => when === 'fix' && deletes !== true && unsure !== true,
  );
  const isAlone = !others.some((one) => concerns(one, worst, callouts));
  const awaited = fix === undefined && isAlone ? waitFor(cause) : undefined;
  if (awaited !== undefined) return awaited;
  const known = fix ?? mitigation(worst, others, report, sameCluster) ?? fixOfLate(worst, findings, report);
  const besides = known === undefined || known !== fix ? undefined : fixesBesides(worst, others, report);
  if (known !== undefined)
    return { ...commandToRun(known), ...defined({ because: besides ?? known.because }) };
  const [id = ''] = worst.callouts;
  if (worst.state === 'unknown' && permissions !== undefined) return permissions;
  // A single problem is already printed in full.
  if (others.length === 0 && cause !== undefined) return firstStep(cause, worst.state);
  // The same command would print the same.
  if (others.length === 0 && !isUnfiltered) return undefined;
  return nextOf(
    `kubectl webhook doctor ${shellWord(shortNames(callouts)(id))}${sameCluster}`,
    'prints all details',
  );
}
