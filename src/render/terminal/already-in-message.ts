import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refText } from '../../facts/object-ref.ts';
import { isOfLog } from '../../facts/workloads/pod-logs.ts';
import { brief } from '../../phrases/brief.ts';
import type { Story } from '../resolved-stories.ts';
import { logsOf } from '../text/log-text.ts';

/** Whether a message has a text completely, as {@link brief} shortens it. */
export function isQuoted({ values }: Story, text: string): boolean {
  const quoted = brief(text);
  return !quoted.includes('…') && values.some((one) => one.isQuote && one.text === quoted);
}

/** A shorter value may be in an error by chance. */
const leastRepeated = 20;

/** Whether it is a line of a log: even the shortest block prints it above the evidence. */
const isLogged = ({ callouts: [callout] }: Story, evidence: Evidence): boolean =>
  callout.verdict.link !== 'network' &&
  isOfLog(evidence) &&
  logsOf(callout).some(({ lines }) => lines.includes(evidence.value));

/**
 * Whether the message has a piece of evidence: its value, apart from a word before it (`Unschedulable: `), all values that
 * it joins, or the name of the object that is not found; or the error or a printed line of a log contains it.
 */
export function isRepeated(story: Story, evidence: Evidence): boolean {
  const { object, value, parts } = evidence;
  const { values, callouts } = story;
  const isNamed = (text: string): boolean => values.some((one) => one.text === text);
  const [{ verdict }] = callouts;
  return (
    isQuoted(story, value.replace(/^\w+: /, '')) ||
    parts?.every(isNamed) === true ||
    (value === 'not found' && [keyOf(object), refText(object)].some(isNamed)) ||
    isLogged(story, evidence) ||
    (value.length >= leastRepeated && verdict.error?.includes(value) === true)
  );
}
