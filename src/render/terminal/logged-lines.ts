import { adviceText } from '../../phrases/advice.ts';
import { brief } from '../../phrases/brief.ts';
import type { Story } from '../resolved-stories.ts';
import { labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { isLineOf, isQuoted } from './already-in-message.ts';
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

/**
 * Log lines of containers that explain why they do not serve, and the meaning of one. The first screen leaves
 * out lines that the message quotes, unless their meaning follows, all but its first sentence, and the meaning if no step
 * is about the log.
 */
export function loggedLines(
  { callouts: [callout], message = '', cause }: Story,
  style: Style,
  extent: Extent,
): string[] {
  const full = extent === 'full';
  // A cause whose steps do not mention the log was concluded from more than that.
  const isMeant = full || cause === undefined || /\blogs?\b/.test(adviceText(cause.advice));
  const printed = (text: string): string[] => {
    const lines = wrapHard(text, style.width, `${indent}  `, `${indent}    `);
    if (full || lines.length <= mostOfLine) return lines;
    const short = abbreviated(text, style);
    // The message has its beginning.
    if (message.includes(short.replace(/ ?…$/, ''))) return [];
    return wrapHard(short, style.width, `${indent}  `, `${indent}    `);
  };
  return logsOf(callout, full).flatMap(({ of, lines, means = '', ...log }) => {
    const meantLine = isMeant ? log.meantLine : undefined;
    const meaning = full ? means : (/^.*?\.(?= |$)/s.exec(means)?.[0] ?? means);
    const isProof = (line: string): boolean => cause?.evidence.some((one) => isLineOf(one, line)) === true;
    const last = lines.some(isProof) ? undefined : (log.meantLine ?? lines.length - 1);
    const isEssential = (line: string, at: number): boolean => at === last || isProof(line);
    const isShown = (line: string, at: number): boolean =>
      full || at === meantLine || ((extent === 'first' || isEssential(line, at)) && !isQuoted(message, line));
    const parts = lines.flatMap((line, at) => [
      ...(isShown(line, at) ? printed(line) : []),
      ...(at === meantLine
        ? wrap(`${labels.means}: ${meaning}`, style.width, `${indent}  `, `${indent}    `)
        : []),
    ]);
    return parts.length === 0 ? [] : [...wrap(`${of}:`, style.width, indent), ...parts];
  });
}
