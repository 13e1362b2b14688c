import type { CalloutReport, NextCommand } from '../../diagnose/report.ts';
import { adviceOf, type Story } from '../resolved-stories.ts';
import { type AdviceStep, adviceSteps } from './advice-text.ts';
import { stateWord } from './broken-table.ts';
import type { Style } from './style.ts';

/** A webhook that this program made fail open works as requested, and has its own storyHeadline. */
export const storyHeadline = ({ state, callouts: [{ opened }] }: Story, style: Style): string =>
  style.paint.bold(
    opened === undefined
      ? stateWord(state, style).replace(state, state.toUpperCase())
      : style.paint.yellow(`${style.marks.warning} OPEN`),
  );

/** The text without a finding: the check did not run, or only the model of the API server has a reason. */
export function stateSentence({
  verdict: { state, link: at },
  notTried,
}: Pick<CalloutReport, 'verdict' | 'notTried'>): string {
  const link = at === undefined ? '' : ` the link "${at}"`;
  if (state === 'unknown' && link === '' && notTried !== undefined && notTried.length > 0)
    return 'Unknown whether calls succeed: no probe was conclusive.';
  if (state === 'unknown')
    return `Unknown whether calls succeed: the objects ${link ? `for${link}` : 'that decide it'} could not be read.`;
  return `The next call fails${state === 'degraded' ? ' for some requests' : ''}${link && ` at${link}`}.`;
}

/** The remedy that ends the cause itself, certainly, and without deleting something. */
function cureOf({ causes, next }: Story): NextCommand | undefined {
  const own = new Set(causes.flatMap(({ remedies }) => remedies.map(({ id }) => id)));
  return next.find(
    ({ when, id, deletes, unsure, leavesCause }) =>
      when === 'fix' && own.has(id) && deletes !== true && unsure !== true && leavesCause !== true,
  );
}

/** Manual steps if no remedy fixes the cause, without a step that is only the mitigation. */
export function stepsOf(story: Story): readonly AdviceStep[] {
  if (story.cause === undefined || cureOf(story) !== undefined) return [];
  const mitigations = new Set(story.next.map(({ command: { text } }) => text));
  const isMitigation = ({ commands: [first = '', ...others] }: AdviceStep): boolean =>
    others.length === 0 && mitigations.has(first.trim());
  return adviceSteps(adviceOf(story.cause, story.causes)).filter((step) => !isMitigation(step));
}

/** The steps that keep the cause from returning, if its fix only restarts or scales Pods. */
export function preventingSteps(story: Story): readonly AdviceStep[] {
  if (story.cause === undefined || cureOf(story)?.canRecur !== true) return [];
  return adviceSteps(adviceOf(story.cause, story.causes)).filter(({ role }) => role === 'prevent');
}

/** Maximum lines of a sentence if there are several causes. */
const briefly = 4;

/** The first lines of a sentence, with an ellipsis if there are more. */
export function shortenedLines(lines: readonly string[], { width, marks }: Style): readonly string[] {
  if (lines.length <= briefly) return lines;
  const last = lines[briefly - 1] ?? '';
  const fitting = last.length + 1 + marks.more.length <= width ? last : last.slice(0, last.lastIndexOf(' '));
  return [...lines.slice(0, briefly - 1), `${fitting} ${marks.more}`];
}
