import type { CalloutState } from '../../diagnose/report.ts';
import { errorLabel, labels } from '../labels.ts';
import type { ReportLook } from '../look.ts';
import { adviceOf, type Story } from '../stories.ts';
import { adviceLines } from './advice-text.ts';
import { chainLine } from './chain-line.ts';
import { effectLines } from './effect.ts';
import { evidenceLines, notTriedLines, replicaLines } from './evidence.ts';
import { impactLines } from './impact-lines.ts';
import { labelled } from './labelled.ts';
import { messageLines } from './message-lines.ts';
import { nextLines } from './next-lines.ts';
import type { Style } from './style.ts';
import { subjectLines } from './subject-lines.ts';
import { wrap } from './wrap.ts';

function headline(state: CalloutState, { paint, marks }: Style): string {
  const looks = {
    failing: paint.red(`${marks.bad} FAILING`),
    degraded: paint.yellow(`${marks.warning} DEGRADED`),
    unknown: paint.magenta(`${marks.unknown} UNKNOWN`),
    healthy: paint.green(`${marks.good} HEALTHY`),
  };
  return paint.bold(looks[state]);
}

/** When no finding says it: the check was not asked for, or only the model of the API server knows. */
function untold({ state, callouts: [{ verdict }] }: Story): string {
  const because = verdict.because.length === 0 ? '' : ` (${verdict.because.join(', ')}, not shown)`;
  const link = verdict.link === undefined ? '' : ` the link "${verdict.link}"`;
  if (state === 'unknown')
    return `Nobody can tell: what decides${link || ' it'} could not be looked at${because}.`;
  return `The next call fails${state === 'degraded' ? ' for some requests' : ''}${link && ` at${link}`}${because}.`;
}

/** How the call fails in the API server's words, unless the evidence holds it already. */
function quotation({ callouts: [{ verdict }], cause }: Story, style: Style): string[] {
  const { error } = verdict;
  if (error === undefined || cause?.evidence.slice(0, 6).some(({ value }) => value.includes(error)))
    return [];
  return wrap(`${errorLabel(verdict)}: ${error}`, style.width, '    ', '      ', true);
}

const whatToDo = ({ cause, causes }: Story): readonly (readonly [string, string])[] =>
  cause === undefined
    ? []
    : [
        ...nextLines(causes),
        [labels.manualFix, adviceLines(adviceOf(cause, causes))],
        [labels.docs, `kubectl webhook checks ${cause.check}`],
      ];

/** FAILING, DEGRADED or UNKNOWN: who, what, how far a call gets, what shows it, what it does to people, what to do. */
export function storyBlock(story: Story, style: Style, look: ReportLook): string[] {
  const { state, callouts, cause, also, follows } = story;
  const [first] = callouts;
  const full = look.wide || look.all;
  const withReplicas = look.wide || state === 'degraded';
  const consequences =
    follows.length === 0
      ? []
      : wrap(`${labels.consequences}: ${follows.join(', ')}`, style.width, '    ', '      ');
  return [
    ...subjectLines(headline(state, style), callouts, style, full),
    '',
    ...messageLines(cause?.message ?? untold(story), cause?.confidence ?? first.verdict.confidence, style),
    ...chainLine(first, style),
    ...(withReplicas ? replicaLines(first.replicas, style, full) : []),
    ...(withReplicas || state === 'unknown' ? notTriedLines(first.notTried, style) : []),
    ...(cause === undefined ? [] : evidenceLines(cause, style, full)),
    ...quotation(story, style),
    ...also.flatMap(({ message, check }) =>
      wrap(`also: ${message} (${check})`, style.width, '    ', '      '),
    ),
    ...consequences.map((line) => style.paint.dim(line)),
    ...labelled(
      [
        ...effectLines(callouts, style).map((line) => [labels.impact, line] as const),
        ...impactLines(first, style.paint.red),
        ...(look.wide && cause !== undefined ? [['Why', cause.why] as const] : []),
        ...whatToDo(story),
      ],
      style,
    ),
  ];
}
