import { isOfLog } from '../../facts/workloads/pod-logs.ts';
import { commandsOf, type FilledAdvice } from '../../phrases/advice.ts';
import { brief } from '../../phrases/brief.ts';
import type { Story } from '../resolved-stories.ts';
import { labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { isQuoted } from './already-in-message.ts';
import { type Style, wrap, wrapHard } from './style.ts';

const indent = '    ';

/** How much of a failure is printed: all, what is read first, or the least of that if it does not fit. */
export type Extent = 'full' | 'first' | 'least';

/** A line of a log that takes more lines on the first screen is abbreviated. */
const mostOfLine = 2;

/** Parts of a line of a log: its own words, with its end. Else its beginning. */
function abbreviated(text: string, { width, marks }: Style): string {
  const short = brief(text);
  if (short.split('…').every((part) => text.includes(part))) return short;
  const most = mostOfLine * (width - 2 * indent.length);
  return `${text.slice(0, most - 2)}${marks.more}`;
}

/** Whether a step prints a log of a Pod. */
const readsLog = (advice: FilledAdvice): boolean =>
  commandsOf(advice).some(({ text }) => /^kubectl .*\blogs /.test(text));

/**
 * Log lines of containers that explain why they do not serve, and the meaning of one. The first screen leaves
 * out lines that the message quotes, unless their meaning follows, all but its first sentence, and the meaning if no step
 * is about the log.
 */
export function loggedLines(story: Story, style: Style, extent: Extent): string[] {
  const { callouts, values, cause } = story;
  const [callout] = callouts;
  const full = extent === 'full';
  const proofs = cause?.evidence.filter(isOfLog).map(({ value }) => value) ?? [];
  // A cause that neither a line proves nor a step reads in the log was concluded from more than that.
  const isMeant = full || cause === undefined || proofs.length > 0 || readsLog(cause.advice);
  const printed = (text: string): string[] => {
    const lines = wrapHard(text, style.width, `${indent}  `, `${indent}    `);
    if (full || lines.length <= mostOfLine) return lines;
    const short = abbreviated(text, style);
    // The message has its beginning.
    if (values.some(({ text: quoted }) => quoted.startsWith(short.replace(/ ?…$/, '')))) return [];
    return wrapHard(short, style.width, `${indent}  `, `${indent}    `);
  };
  return logsOf(callout, full).flatMap(({ of, lines, means = '', ...log }) => {
    const meantLine = isMeant ? log.meantLine : undefined;
    const meaning = full ? means : (/^.*?\.(?= |$)/s.exec(means)?.[0] ?? means);
    const isProof = (line: string): boolean => proofs.includes(line);
    const last = lines.some(isProof) ? undefined : (log.meantLine ?? lines.length - 1);
    const isEssential = (line: string, at: number): boolean => at === last || isProof(line);
    const isShown = (line: string, at: number): boolean =>
      full || at === meantLine || ((extent === 'first' || isEssential(line, at)) && !isQuoted(story, line));
    const parts = lines.flatMap((line, at) => [
      ...(isShown(line, at) ? printed(line) : []),
      ...(at === meantLine
        ? wrap(`${labels.means}: ${meaning}`, style.width, `${indent}  `, `${indent}    `)
        : []),
    ]);
    return parts.length === 0 ? [] : [...wrap(`${of}:`, style.width, indent), ...parts];
  });
}
