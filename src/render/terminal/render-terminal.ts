import { groupBy } from '../../basics/collections.ts';
import type { CalloutReport, DoctorReport, FindingReport, NextReport } from '../../diagnose/report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { refText } from '../../facts/object-ref.ts';
import { withClusterFlags } from '../../phrases/advice.ts';
import { agreeing, counted, countedWebhooks, listed } from '../../phrases/lists.ts';
import { type Story, storiesOf } from '../resolved-stories.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { asResult, certainty, labels } from '../text/labels.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import { sortedByName } from '../text/sorted-by-name.ts';
import { brokenTable, openedText, stateWord } from './broken-table.ts';
import { chainLine } from './chain-line.ts';
import { notTriedLines, replicaLines } from './evidence.ts';
import { coverageText, header, stateCounts } from './header.ts';
import { emptyLines, notLookedAtLines } from './not-looked-at.ts';
import { errorBlocks, findingCounts, isStepOf, otherFindings, warningLines } from './other-findings.ts';
import { outageLines, outageSections } from './outage-lines.ts';
import { sampleRows } from './sample-lines.ts';
import { isLasting, storyBlock } from './story-block.ts';
import { storyInBrief } from './story-in-brief.ts';
import { stepsOf } from './story-words.ts';
import { heightOf, type Style, styleOf, wrap, wrapHard } from './style.ts';
import { backendText, subjectLines } from './subject-lines.ts';

/** Why a webhook is healthy, and how certain that is. */
const sureness = ({ verdict: { confidence } }: CalloutReport): string =>
  confidence === 'observed' ? certainty.observed : `not probed, ${certainty.derived} from objects`;

const row = (callout: CalloutReport, { marks, width }: Style): string[] => {
  const { replicas, backend, verdict } = callout;
  const ready = replicas.filter((replica) => replica.ready).length;
  const facts = [
    backendText(backend, false),
    ...(replicas.length === 0 ? [] : [`${ready}/${replicas.length} ready`]),
    ...(verdict.confidence === 'derived' ? ['not probed'] : []),
  ];
  return wrap(`${calloutId(callout)}  ${facts.join(` ${marks.dot} `)}`, width, '    ', '      ');
};

/** A named healthy webhook: what was examined, and the certainty. */
function block(callout: CalloutReport, style: Style): string[] {
  const { replicas, notTried, verdict } = callout;
  const sentence =
    verdict.neverCalled === true
      ? 'The API server does not call it as it is configured.'
      : `The next call succeeds (${sureness(callout)}).`;
  return [
    ...subjectLines(stateWord('healthy', style).replace('healthy', 'HEALTHY'), [callout], style, true),
    ...wrap(sentence, style.width, '  '),
    ...chainLine(callout, style),
    ...replicaLines(replicas, style, true),
    ...sampleRows(callout, style).flat(),
    ...notTriedLines(notTried, style),
  ];
}

/** Healthy webhooks, on request: named ones with the examined objects, otherwise a line each. */
function healthyLines(report: DoctorReport, style: Style, { all, wide, named }: ReportLook): string[] {
  if (!all && !wide && !named) return [];
  const healthy = sortedByName(
    report.callouts.filter(({ verdict }) => verdict.state === 'healthy'),
    calloutId,
  );
  if (healthy.length === 0) return [];
  if (named === true)
    return healthy.flatMap((callout, at) => [...(at === 0 ? [] : ['']), ...block(callout, style)]);
  return [
    ...wrap(
      `${countedWebhooks(healthy, ['is', 'are'])} healthy`,
      style.width,
      `${style.paint.green(style.marks.good)} `,
      '  ',
    ),
    ...healthy.flatMap((callout) => [
      ...row(callout, style),
      ...(wide ? replicaLines(callout.replicas, style, true).map((line) => `  ${line}`) : []),
      ...sampleRows(callout, style).flat(),
      ...notTriedLines(callout.notTried, style).map((line) => `  ${line}`),
    ]),
  ];
}

/** Maximum number of broken webhooks described below the table. */
const worst = 3;
/** Maximum lines of the report if one webhook is broken. */
const oneScreen = 25;
/** Maximum lines of the report with manual steps if several are. */
const longScreen = 45;

/** The worst causes in brief, with manual steps for the first of each check while there is room. */
function briefBlocks(
  stories: readonly Story[],
  nameOf: (id: string) => string,
  style: Style,
  room: number,
): string[] {
  const blocks = stories.map((story) => storyInBrief(story, nameOf, style, false));
  stories.forEach((story, at) => {
    const others = blocks.toSpliced(at, 1).flat().length;
    const whole = storyInBrief(story, nameOf, style, true);
    const isFirst = stories.findIndex(({ cause }) => cause?.check === story.cause?.check) === at;
    if (isFirst && others + whole.length <= room) blocks[at] = whole;
  });
  return blocks.flat();
}

/** The result of `--from`, with the evidence for it. */
function fromLines({ from }: DoctorReport, { width }: Style): string[] {
  if (from === undefined) return [];
  const { message, missingPods = 0, words } = from;
  const lacks = missingPods === 0 ? '' : ` (${counted(missingPods, 'Pod is', 'Pods are')} missing)`;
  return [
    ...wrap(`${message}${lacks}.`, width, '', '  '),
    ...words.flatMap(({ object, field, value }) =>
      wrapHard(`${refText(object)}${field === undefined ? '' : `, ${field}`}: ${value}`, width, '  ', '    '),
    ),
  ];
}

/** Healthy webhooks that still fail open by a change of this program: one line per change. */
function openLines({ callouts, takenAt }: DoctorReport, { width, paint, marks }: Style): string[] {
  const open = callouts.flatMap(({ webhook, opened, verdict }) =>
    opened === undefined || verdict.state !== 'healthy' ? [] : [{ webhook, opened }],
  );
  return [...groupBy(open, ({ opened }) => opened.change).values()].flatMap((alike) => {
    const [{ opened: change }] = alike;
    const names = listed(new Set(alike.map(({ webhook }) => webhook)), { most: 3 });
    const text = `${names} ${agreeing(alike.length, 'responds', 'respond')}, but ${agreeing(alike.length, 'is', 'are')} ${openedText(change, takenAt)}`;
    return wrap(text, width, `${paint.yellow(marks.warning)} `, '  ');
  });
}

/** What a mitigation does, until when, and what follows it below a single failure. */
function mitigationNote({ title, minutes }: NextReport, report: DoctorReport, single: Story | undefined) {
  if (minutes !== undefined) {
    const then =
      single === undefined || stepsOf(single).length === 0 ? '' : '; do the manual fix in that time';
    return `(admits requests unchecked for ${minutes} min, while the command runs${then})`;
  }
  if (single === undefined) return `(${title}; can be undone)`;
  const [first] = report.findings;
  const undo = withClusterFlags('kubectl webhook undo', first?.advice.flags ?? '');
  return `(${title.replace(/^[^:]*: /, '')}; undo: \`${undo}\`)`;
}

/** What is printed above the last lines. */
interface Printed {
  readonly stories: readonly Story[];
  /** The step of the next command is hidden. */
  readonly isHidden: boolean;
  /** Every finding, without manual steps of warnings. */
  readonly isFull: boolean;
  /** A single failure on one screen. */
  readonly isScreen: boolean;
}

/** The next command, and the note about a mitigation; a step that is printed above needs none. */
function nextCommand(report: DoctorReport, style: Style, { stories, isFull, isHidden }: Printed): string[] {
  const { next } = report;
  const [story, ...others] = stories;
  if (next === undefined) return [];
  const { paint, width } = style;
  const single = others.length === 0 ? story : undefined;
  const isStepAbove =
    !isFull && !isHidden && report.findings.some((one) => one.severity !== 'info' && isStepOf(one, next));
  const notes = [
    ...(next.firstAid === true ? [mitigationNote(next, report, single)] : []),
    // Below a failure, the same command stands with its title.
    ...((story !== undefined && !isHidden) || next.firstAid === true || isStepAbove
      ? []
      : [`(${next.fixes === true ? asResult(next.title) : next.title})`]),
    // A single problem has it beside the same command.
    ...(next.because === undefined || single !== undefined ? [] : [`(${next.because})`]),
  ];
  return [
    ...wrap(next.command.text, width, `${paint.bold(labels.next)}  `, '        '),
    ...notes.flatMap((text) => wrap(text, width, '      ', '      ')),
  ];
}

/** The verdict if no webhook fails. A denial of everything is no failing call. */
function withoutFailures({ findings }: DoctorReport, { paint, marks }: Style): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const isWarning = ({ severity, link }: FindingReport) => severity === 'warning' && link === 'response';
  const verdict = 'No failing call found';
  if (errors > 0) return `${paint.red(marks.bad)} ${verdict}, but ${counted(errors, 'error')}`;
  if (findings.some(isWarning))
    return `${paint.yellow(marks.warning)} ${verdict}, but a warning about responses`;
  return `${paint.green(marks.good)} ${verdict}`;
}

/**
 * The verdict again at the end, with its basis, and the next command. A single failure on one screen has its verdict in the
 * header only.
 */
function lastLines(
  report: DoctorReport,
  style: Style,
  counts: readonly string[],
  printed: Printed,
): string[] {
  const { callouts } = report;
  const { stories, isScreen } = printed;
  const { width } = style;
  const command = nextCommand(report, style, printed);
  if (callouts.length === 0) return [...counts, ...command];
  const covered = (isBrief: boolean): readonly string[] =>
    wrap([...counts, coverageText(report, isBrief)].join('; '), width, '', '  ');
  // The reason why no Pod was probed is not worth a line.
  if (isScreen) return [...covered(covered(false).length > 1), ...command];
  const verdict = stories.length === 0 ? withoutFailures(report, style) : stateCounts(report, style);
  return [...counts, ...wrap(`${verdict}; ${coverageText(report)}`, width, '', '  '), ...command];
}

/** The errors about the webhooks of a failure. */
const errorsOf = ({ callouts }: Story, others: readonly FindingReport[]): readonly FindingReport[] =>
  others.filter(
    ({ severity, callout }) => severity === 'error' && callouts.some((one) => calloutId(one) === callout),
  );

/** The change that keeps an outage of these webhooks from other Pods: of warnings about what they intercept. */
const tooWideOf = ({ callouts }: Story, others: readonly FindingReport[]): readonly FindingReport[] =>
  others.filter(
    ({ severity, link, callout, remedies }) =>
      severity === 'warning' &&
      link === 'scope' &&
      remedies.some(isLasting) &&
      callouts.some((one) => one.verdict.effect === 'blocks' && calloutId(one) === callout),
  );

/** Sections with an empty line before each, except the first one and close ones. */
const spaced = (
  sections: readonly (readonly string[])[],
  isClose: (section: readonly string[]) => boolean,
): readonly string[] =>
  sections.flatMap((section, at) =>
    at === 0 || section.length === 0 || isClose(section) ? section : ['', ...section],
  );

/** Lines without their line breaks, which commands have in other places. */
const inOneLine = (lines: readonly string[]): string => lines.join('\n').replace(/(?:\s|\\\n)+/g, ' ');

/** Renders broken webhooks, blocked requests, the worst causes, the next command. Ends with a line feed. */
export function renderTerminal(report: DoctorReport, look: ReportLook): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const everything = isComplete(look);
  const full = everything || look.named === true;
  const { stories, others } = storiesOf(safe);
  // Recommendations are no help while a webhook is broken.
  const isCounted = ({ severity }: FindingReport) => !everything && stories.length > 0 && severity === 'info';
  const { lines: warnings, rest } =
    full || stories.length > 0
      ? { lines: [], rest: others }
      : warningLines(others, style, { look, next: safe.next });
  const hidden = full ? 0 : Math.max(stories.length - worst, 0);
  const counts = findingCounts(full ? others.filter(isCounted) : rest, hidden);
  // A failure that must fit on one screen, with the errors about its webhooks.
  const single = full || stories.length > 1 ? undefined : stories[0];
  const errors = single === undefined ? [] : errorsOf(single, others);
  const tooWide = single === undefined ? [] : tooWideOf(single, others);
  const above = (safe.from?.words ?? []).map(({ value }) => value);
  const below = safe.next?.command.text ?? '';
  const apart = others.filter((one) => !errors.includes(one));
  const ending = (isHidden: boolean) =>
    lastLines(safe, style, counts, { stories, isFull: full, isScreen: single !== undefined, isHidden });
  const outages = outageSections(safe, full).flatMap((section) => outageLines(section, style, full));
  const front = [
    header(safe, style, look.tookMs),
    fromLines(safe, style),
    safe.from === undefined ? emptyLines(safe) : [],
    outages,
    openLines(safe, style),
    brokenTable(stories, safe, style, full),
  ].filter((lines) => lines.length > 0);
  const behind = [
    look.named === true ? healthyLines(safe, style, look) : [],
    ...(full
      ? otherFindings(
          others.filter((one) => !isCounted(one)),
          style,
          look,
        )
      : errorBlocks(apart, style, look, stories.length > 0)),
    warnings,
    notLookedAtLines(safe.notLookedAt, style, full),
    look.named === true ? [] : healthyLines(safe, style, look),
  ].filter((lines) => lines.length > 0);
  const quiet = front.length + stories.length + behind.length === 1;
  const isClose = (section: readonly string[]): boolean => quiet || section === outages;
  const screen = (isHidden: boolean): string => {
    const last = ending(isHidden);
    const taken = heightOf(spaced([...front, ...behind, last], isClose)) + 1;
    const onOneScreen =
      single !== undefined
        ? storyBlock({ ...single, errors, tooWide, above, below }, style, look, oneScreen - taken)
        : briefBlocks(stories.slice(0, worst), shortNames(safe.callouts), style, longScreen - taken);
    const blocks = full ? stories.map((story) => storyBlock(story, style, look)) : [onOneScreen];
    // A hidden step has its sentence beside the next command.
    return single !== undefined && !isHidden && !inOneLine(blocks.flat()).includes(inOneLine([below]))
      ? screen(true)
      : [...spaced([...front, ...blocks, ...behind, last], isClose), ''].join('\n');
  };
  return screen(false);
}
