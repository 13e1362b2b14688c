import type { CalloutReport } from '../../diagnose/report.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { refText } from '../../facts/object-ref.ts';
import { brief } from '../../phrases/brief.ts';
import type { Story } from '../resolved-stories.ts';
import { logsOf } from '../text/log-text.ts';

/**
 * Whether a message quotes a text completely, without what `brief` removes. The same characters may be a part of
 * another message: `error` of a log, in a message about another error.
 */
export function isQuoted(message: string, text: string): boolean {
  const quoted = brief(text);
  if (quoted === '' || quoted.includes('…')) return false;
  const [before = '', ...parts] = message.split(quoted);
  return parts.some(
    (after, at) => /(?:: |\()$/.test(parts[at - 1] ?? before) && /^(?:$|[);,]| \()/.test(after),
  );
}

/** A shorter value may be in an error by chance. */
const leastRepeated = 20;

/** Whether the message has the exit code and the restarts of a container: `Error, exit code 2, restarts 7`. */
function isCounted(message: string, value: string): boolean {
  const {
    reason = '',
    code,
    restarts,
  } = /^(?<reason>\w+), exit code (?<code>\d+), restarts (?<restarts>\d+)$/.exec(value)?.groups ?? {};
  const isNamed = message.includes(reason) || message.includes(`exit code ${code}`);
  return restarts !== undefined && isNamed && message.includes(`restart count ${restarts}`);
}

/** Whether the message says that the object does not exist. */
const isMissing = (message: string, { object, value }: Evidence): boolean =>
  value === 'not found' && message.includes(`${refText(object)} does not exist`);

/** Whether it is this line of a log. */
export const isLineOf = ({ field = '', value }: Evidence, line: string): boolean =>
  field.startsWith('log of ') && value === line;

/** Whether it is a line of a log: even the shortest block prints it above the evidence. */
const isLogged = (callout: CalloutReport, evidence: Evidence): boolean =>
  callout.verdict.link !== 'network' &&
  logsOf(callout).some(({ lines }) => lines.some((line) => isLineOf(evidence, line)));

/**
 * Whether the message has a piece of evidence: quotes its value, apart from a word before it (`Unschedulable: `), or says
 * that the object does not exist; or the error or a printed line of a log contains it.
 */
export function isRepeated({ message = '', callouts: [callout] }: Story, evidence: Evidence): boolean {
  const { value } = evidence;
  const { verdict } = callout;
  return (
    isQuoted(message, value.replace(/^\w+: /, '')) ||
    isCounted(message, value) ||
    isMissing(message, evidence) ||
    isLogged(callout, evidence) ||
    (value.length >= leastRepeated && verdict.error?.includes(value) === true)
  );
}
