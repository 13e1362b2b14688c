import { stripVTControlCharacters } from 'node:util';
import { type ComponentTextKind, findComponentText } from './component-texts.ts';
import { outboundErrorIn } from './outbound-error.ts';

/** Longest line that is kept: the rest of it is no more telling. */
const longestLine = 600;

/** What stands beside the reason and is none: other clients, a wait that ended well, a probe that only says no. */
const saysLittle: ReadonlySet<ComponentTextKind> = new Set([
  'handshake-ended-by-client',
  'handshake-unfinished',
  'readiness-probe',
]);

/** Frames of a stack (Go, Java, JavaScript, Python), below the line that says what happened. */
const ofStack =
  /^(?:\s+at |\s+File "|\t|goroutine \d+ |created by |\s*\.{3} \d+ more|[\w./()*-]+\(.*\)$|exit status )/;

/** Levels as klog, zap, logrus, slog, zerolog, log4j, Python and env_logger write them. */
const errorLevel =
  /^[EF]\d{4} |\blevel=(?:error|fatal|panic|dpanic)\b|"(?:level|severity|lvl)":\s*"(?:error|fatal|panic|dpanic|critical)"|\b(?:ERROR|FATAL|CRITICAL|PANIC)\b/;
/** How programs begin their last words, and exceptions their first. */
const errorBegins =
  /^(?:panic|fatal error|fatal|error|exception|traceback|unhandled|uncaught)\b|\bcaused by: |^\S*(?:Error|Exception): /i;
const isError = (line: string): boolean => errorLevel.test(line) || errorBegins.test(line);
/** klog's level for information may name an error that the program handles. */
const isInformation = (line: string): boolean => /^I\d{4} /.test(line);
const isWarning =
  /^W\d{4} |\blevel=warn|"(?:level|severity)":\s*"warn|\bWARN(?:ING)?\b|\b(?:err|error)"?[=:]\s*"?[^\s"<]/i;

/** Two writers met, and the controller tries again: the API server's words for a conflict (registry/generic/registry/store.go). */
const conflict = /Operation cannot be fulfilled on .*the object has been modified/;

/** What differs in a line that a program writes again and again. */
const shapeOf = (line: string): string => line.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/gi, '#');

function weightOf(line: string): number {
  const known = findComponentText(line);
  const isTelling =
    known?.class === 'backend-log' &&
    !saysLittle.has(known.kind) &&
    !(known.kind === 'cache-not-synced' && isInformation(line));
  if (isError(line)) return isTelling ? 4 : 3;
  return (
    (isTelling || outboundErrorIn(line) !== undefined ? 1 : 0) +
    (isWarning.test(line) && !isInformation(line) ? 1 : 0)
  );
}

/** What a log should not hold, and may: a token or a password. The line is shown, and sent to others. */
const credentials = /\b(Bearer\s+|password["']?\s*[=:]\s*["']?)[^\s"',]+|\beyJ[\w-]+\.[\w-]+\.[\w-]*/gi;

const cleanLines = (log: string): readonly string[] =>
  stripVTControlCharacters(log)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, longestLine).replace(credentials, '$1…'));

/** What a program wrote last. */
export const lastLines = (log: string, most: number): readonly string[] =>
  cleanLines(log)
    .filter((line) => line !== '')
    .slice(-most);

/**
 * The lines of a container's log that say most about why it does not serve, in their order: errors before warnings, what
 * is known before what is not, the latest of those that only repeat. Empty where none says that anything is wrong.
 */
export function relevantLogLines(log: string, most: number): readonly string[] {
  const latest = new Map<string, { readonly line: string; readonly at: number; readonly weight: number }>();
  for (const [at, line] of cleanLines(log).entries()) {
    const weight = line === '' || ofStack.test(line) || conflict.test(line) ? 0 : weightOf(line);
    if (weight > 0) latest.set(shapeOf(line), { line: line.trim(), at, weight });
  }
  const found = [...latest.values()];
  const hasError = found.some(({ weight }) => weight >= 3);
  return found
    .filter(({ weight }) => !hasError || weight >= 3)
    .toSorted((a, b) => b.weight - a.weight || b.at - a.at)
    .slice(0, most)
    .toSorted((a, b) => a.at - b.at)
    .map(({ line }) => line);
}
