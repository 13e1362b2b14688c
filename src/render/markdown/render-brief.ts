import { wholeSeconds } from '../../basics/time.ts';
import type { DoctorReport } from '../../diagnose/report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { andMore } from '../../phrases/lists.ts';
import { storiesOf } from '../resolved-stories.ts';
import { coverageText, stateCounts } from '../terminal/header.ts';
import { outageSections } from '../terminal/outage-lines.ts';
import { stateSentence } from '../terminal/story-words.ts';
import { cut, styleOf } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';

/** Maximum characters of a line in a chat channel, which wraps it: no sentence of a check is longer. */
const longest = 500;

/** The first words of a longer text. */
function shortened(text: string): string {
  if (text.length <= longest) return text;
  const first = text.slice(0, longest - 1);
  return `${first.slice(0, Math.max(first.lastIndexOf(' '), longest / 2))}…`;
}

/** Escapes Slack's three control characters, and prevents mentions by names from the cluster. */
const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '(at)');

/** One line of text for a chat channel. */
export const channelLine = (text: string): string => `${plain(shortened(text))}\n`;

/** At most 15 lines for a chat: blocked requests, the worst, the next command. Ends with a line feed. */
export function renderBrief(given: DoctorReport): string {
  const report = harmlessDocument(given, true);
  const { cluster, takenAt, callouts, next } = report;
  const nameOf = shortNames(callouts);
  const outage = ({ title, note, state, texts }: ReturnType<typeof outageSections>[number]) =>
    cut(
      texts.map((text, at) => `${title}${at > 0 || note === undefined ? '' : ` ${note}`}: ${text}`),
      state === 'failing' ? 4 : 1,
      (rest) => `${title}: ${rest} more`,
    );
  const worst = storiesOf(report).stories.map(({ state, callouts: [first, ...others], message }) => {
    const more = others.length === 0 ? '' : ` ${andMore(others.length)}`;
    return `• ${state}: ${nameOf(calloutId(first))}${more}: ${message ?? stateSentence(first)}`;
  });
  const lines = [
    `Webhooks of ${cluster.context ?? cluster.server} at ${wholeSeconds(takenAt)}: ${stateCounts(report, styleOf({ width: 80, colour: false, unicode: true }))}`,
    ...outageSections(report, false).flatMap(outage),
    ...cut(worst, 4, (rest) => `• ${andMore(rest)}: kubectl webhook doctor`),
    `Coverage: ${coverageText(report)}`,
  ];
  const note = next?.because === undefined ? '' : ` (${next.because})`;
  const command = next === undefined ? [] : [`Next: ${next.command.text}${note}`];
  return `${[...lines.map(shortened), ...command].map(plain).join('\n')}\n`;
}
