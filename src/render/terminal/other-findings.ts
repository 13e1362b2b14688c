import { groupBy } from '../../basics/collections.ts';
import { riskLinks, severities, warningOrder } from '../../checks/chain.ts';
import type { FindingReport, NextCommand, NextReport } from '../../diagnose/report.ts';
import { refText } from '../../facts/object-ref.ts';
import { commandsOf as commandsInAdvice, toChange } from '../../phrases/advice.ts';
import { agreeing, andMore, counted, firstOf, listed } from '../../phrases/lists.ts';
import { adviceOf } from '../resolved-stories.ts';
import { labels } from '../text/labels.ts';
import type { ReportLook } from '../text/look.ts';
import { adviceLines } from './advice-text.ts';
import { evidenceRows } from './evidence.ts';
import { labelled } from './labelled.ts';
import { messageLines } from './message-lines.ts';
import { nextLines } from './next-lines.ts';
import { cut, type Style, wrap } from './style.ts';

const objectOf = ({ callout, subject }: FindingReport): string => callout ?? refText(subject);

/** Maximum number of kinds of warnings on the first screen. */
const mostWarnings = 3;

type Group = readonly [FindingReport, ...FindingReport[]];

const groupedBy = (
  findings: readonly FindingReport[],
  keyOf: (finding: FindingReport) => string,
): readonly Group[] => [...groupBy(findings, keyOf).values()];

const grouped = (findings: readonly FindingReport[]): readonly Group[] =>
  groupedBy(findings, ({ check, severity }) => `${severity} ${check}`);

/** The first commands for findings of one check, without duplicates; `-o json` has all of them. */
const commandsOf = (findings: readonly FindingReport[]): readonly NextCommand[] =>
  [...new Map(findings.flatMap(({ next = [] }) => next).map((one) => [one.command.text, one])).values()]
    .sort((a, b) => Number(a.when === 'fix') - Number(b.when === 'fix'))
    .slice(0, 3);

/** An error that breaks no call now: in full, or `brief`ly, without what `--details` shows. */
function errorBlock([first, ...others]: Group, style: Style, look: ReportLook, brief: boolean): string[] {
  const { paint, marks, width } = style;
  const all = [first, ...others];
  const full = look.wide || look.all;
  const commands = commandsOf(groupedBy(all, ({ message }) => message).flatMap(toChange));
  const lines = cut(
    groupedBy(all, ({ id, message, confidence }) => (full ? id : `${confidence} ${message}`)).flatMap(
      ([finding, ...alike]) => [
        ...wrap(firstOf([finding, ...alike].map(objectOf)), width, '  ', '    ').map(paint.bold),
        ...messageLines(finding.message, finding.confidence, style),
        ...(brief ? [] : evidenceRows(finding, style, full).flat()),
      ],
    ),
    full ? undefined : 24,
    () => '  and more (--all lists them)',
  );
  return [
    ...wrap(first.title, style.width, `${paint.bold(paint.red(`${marks.bad} ERROR`))}  `, '  '),
    ...lines,
    ...labelled(
      [
        ...nextLines(commands, brief),
        ...(brief && commands.length > 0
          ? []
          : [[labels.manualFix, adviceLines(adviceOf(first, others))] as const]),
        ...(brief ? [] : [[labels.docs, `kubectl webhook checks ${first.check}`] as const]),
      ],
      style,
    ),
  ];
}

/** `2 webhooks`; `2 findings` if one is about another object. */
function countText(findings: Group): string {
  const webhooks = new Set(findings.flatMap(({ subject, callout = '' }) => (subject.webhook ? callout : [])));
  return counted(findings.length, webhooks.size === findings.length ? 'webhook' : 'finding');
}

/** A heading with its subjects. If their messages differ, each follows its subjects, unless `brief`. */
function group(findings: Group, style: Style, look: ReportLook, brief: boolean): string[] {
  const [{ severity, check, title, message }, ...others] = findings;
  const most = brief ? 2 : 5;
  const { paint, marks } = style;
  const full = look.wide || look.all;
  const looks = severity === 'warning' ? paint.yellow(`${marks.warning} warning`) : `${marks.info} info   `;
  const same = others.every((other) => other.message === message);
  // Recommendations for many webhooks are only counted without `--all`.
  const isCounted = severity === 'info' && others.length > 2 && !full;
  const count = isCounted ? ` ${marks.dot} ${countText(findings)}` : '';
  const [first = '', ...rest] = wrap(
    `${same ? message : title} (${check})${count}`,
    style.width,
    '           ',
  );
  const heading = [`${looks}  ${first.trimStart()}`, ...rest];
  if (isCounted) return heading;
  const named = same || brief;
  const parts = groupedBy(findings, ({ id, message }) => {
    if (full) return id;
    return named ? '' : message;
  });
  const lines = parts.map((part) => {
    const [finding] = part;
    const subject = listed(new Set(part.map(objectOf)), { most: named ? most : 1 });
    return [
      ...wrap(named ? subject : `${subject}: ${finding.message}`, style.width, '    ', '      '),
      ...(look.wide
        ? evidenceRows(finding, { ...style, width: style.width - 2 }, true)
            .flat()
            .map((line) => `  ${line}`)
        : []),
    ].join('\n');
  });
  return [
    ...heading,
    ...cut(lines, full ? undefined : most, (hidden) => `    ${andMore(hidden, '--all lists them')}`),
  ];
}

/** Errors that break no call now: in full, or `brief`ly below webhooks that are broken. */
export const errorBlocks = (
  findings: readonly FindingReport[],
  style: Style,
  look: ReportLook,
  brief = false,
): string[][] =>
  grouped(findings.filter(({ severity }) => severity === 'error')).map((found) =>
    errorBlock(found, style, look, brief),
  );

/** Maximum number of kinds of warnings whose manual steps are printed on the first screen. */
const mostSteps = 2;

/** Whether the finding is only about what may happen. */
const isRisk = ({ link }: FindingReport): boolean => riskLinks.includes(link);

/** Whether the next command is a step of this finding's advice, and no remedy. */
export const isStepOf = ({ advice }: FindingReport, next: NextReport | undefined): boolean =>
  next?.fixes !== true && commandsInAdvice(advice).some(({ text }) => text === next?.command.text);

/**
 * The warnings if nothing is broken, without consequences of others and those about the chain of a call first, and the
 * remaining findings. That of the next command has manual steps; so do those about the present if they are few, or if it
 * is only one.
 */
export function warningLines(
  findings: readonly FindingReport[],
  style: Style,
  { look, next }: { readonly look: ReportLook; readonly next: NextReport | undefined },
): { readonly lines: readonly string[]; readonly rest: readonly FindingReport[] } {
  const keyOf = ({ callout = '' }: FindingReport, check: string): string => `${check} ${callout}`;
  const causes = new Set(
    findings.filter((one) => one.severity !== 'info' && !isRisk(one)).map((one) => keyOf(one, one.check)),
  );
  // A risk has no steps: its consequence has.
  const isOwn = (one: FindingReport): boolean =>
    one.causedBy === undefined || isRisk(one) || !causes.has(keyOf(one, one.causedBy));
  const groups = grouped(findings.filter((one) => one.severity === 'warning' && isOwn(one)))
    .toSorted(([{ link: one }], [{ link: other }]) => warningOrder.indexOf(one) - warningOrder.indexOf(other))
    .slice(0, mostWarnings);
  const shown = new Set(groups.flat());
  const present = groups.filter(([first]) => !isRisk(first));
  const withSteps = groups.length <= mostSteps || present.length === 1;
  const ofNext = groups.find(([first]) => isStepOf(first, next));
  const steps = (group: Group): string[] => {
    const [first, ...others] = group;
    return (withSteps && !isRisk(first)) || group === ofNext
      ? labelled([[labels.manualFix, adviceLines(adviceOf(first, others))]], style).slice(1)
      : [];
  };
  const blocks = groups.map((found) => ({ heading: group(found, style, look, true), steps: steps(found) }));
  // Steps are divided from the next heading, and from the one before.
  const isApart = (at: number): boolean =>
    at > 0 && blocks.slice(at - 1, at + 1).some((block) => block.steps.length > 0);
  return {
    lines: blocks.flatMap((block, at) => [...(isApart(at) ? [''] : []), ...block.heading, ...block.steps]),
    rest: findings.filter((finding) => !shown.has(finding)),
  };
}

/** The remaining findings as a count per severity, after the number of failures without a block of their own. */
export function findingCounts(findings: readonly FindingReport[], failures: number): string[] {
  const shown = severities.slice(1);
  const milder = findings.filter(({ severity }) => shown.includes(severity));
  const bySeverity = shown.flatMap((severity) => {
    const count = milder.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [severity === 'info' ? `${count} info` : counted(count, severity)];
  });
  const counts = [...(failures === 0 ? [] : [counted(failures, 'failure')]), ...bySeverity];
  return counts.length === 0
    ? []
    : [
        `${labels.otherFindings}: ${counts.join(', ')} (--details lists ${agreeing(failures + milder.length, 'it', 'them')})`,
      ];
}

/** Findings that are no cause of a broken webhook: errors in full, then warnings and infos by check. */
export function otherFindings(
  findings: readonly FindingReport[],
  style: Style,
  look: ReportLook,
): string[][] {
  const rest = severities
    .slice(1)
    .flatMap((severity) => grouped(findings.filter((finding) => finding.severity === severity)));
  const hint = style.paint.dim('"kubectl webhook checks ID" says why, and what to do.');
  return [
    ...errorBlocks(findings, style, look),
    ...(rest.length === 0
      ? []
      : [[labels.otherFindings, ...rest.flatMap((found) => group(found, style, look, false)), hint]]),
  ];
}
