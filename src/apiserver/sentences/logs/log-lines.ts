import { stripVTControlCharacters } from 'node:util';
import { testObjectName } from '../../sample/test-object.ts';
import { type ComponentTextKind, findComponentText } from '../component-texts/component-texts.ts';
import { outboundErrorIn } from './outbound-error.ts';

/** Maximum length of a line; the rest is cut. An error can follow 600 characters of other fields. */
const longestLine = 1000;

/** The stack trace of a line in JSON (zap). */
const stackField = /,\s*"(?:stack_?trace|stack)":\s*"(?:[^"\\]|\\.)*"?/gi;

/** Texts that are not the cause: errors of other clients, a wait that succeeded, a failed probe. */
const uninformative: ReadonlySet<ComponentTextKind> = new Set([
  'handshake-ended-by-client',
  'handshake-ended-in-pod',
  'handshake-ended-on-host',
  'handshake-unfinished',
  'handshake-failed',
  'client-speaks-http',
  'client-throttled',
  'handler-took-long',
  'readiness-probe',
  'restart-probe',
]);

/** Lines of a stack trace (Go, Java, JavaScript, Python), which follow the error message. */
const ofStack =
  /^(?:\s+at |\s+File "|\t|goroutine \d+ |created by |\s*\.{3} \d+ more|[\w./()*-]+\(.*\)$|exit status )/;

/** Log levels in the formats of klog, zap, logrus, slog, zerolog, log4j, Python and env_logger. */
const errorLevel =
  /^[EF]\d{4} |\blevel=(?:error|fatal|panic|dpanic)\b|"(?:level|severity|lvl)":\s*"(?:error|fatal|panic|dpanic|critical)"|(?<!, )\b(?:ERROR|FATAL|CRITICAL|PANIC)\b(?![.,])|^\S+ (?:ERR|FTL|PNC) |^\S+\t(?:error|d?panic|fatal)\t/;
/** The start of fatal errors, of exceptions, and of errors before a usage text. */
const errorBegins =
  /^(?:panic|fatal error|fatal|error|exception|traceback|unhandled|uncaught|flag provided but not defined|unknown (?:shorthand )?flag)\b|\bcaused by: |^\S*(?:Error|Exception): /i;
/** True for the line with which a process ends itself. */
export const isFatal = (line: string): boolean => /^(?:panic|fatal)\b|^F\d{4} /i.test(line);
const isError = (line: string): boolean => errorLevel.test(line) || errorBegins.test(line);
/** Level INFO or below of klog, structured and console logs: such a line can contain an error that the program handles. */
export const isInformation = (line: string): boolean =>
  /^I\d{4} |"(?:level|severity|lvl)":\s*"(?:info|debug|trace)"|\blevel=(?:info|debug|trace)\b|^\S+\s(?:INFO?|DBG|DEBUG|TRC|TRACE)\s/i.test(
    line,
  );
const warningLevel = /^W\d{4} |\blevel=warn|"(?:level|severity)":\s*"warn|\bWARN(?:ING)?\b/i;
/** True for a line whose level is below an error: the program continues. */
export const isHandled = (line: string): boolean => isInformation(line) || warningLevel.test(line);
const errorField = /\b(?:err|error)"?[=:]\s*"?[^\s"<]/i;
const isWarning = (line: string): boolean => warningLevel.test(line) || errorField.test(line);

/**
 * A write conflict, which controllers retry: the API server's error (registry/generic/registry/store.go). Of two replicas
 * that create a Lease, one gets it, too.
 */
const conflict =
  /Operation cannot be fulfilled on .*the object has been modified|leases\.coordination\.k8s\.io \S+ already exists/;

/** A request that took too long, as an extension API server logs it (apiserver server/filters/timeout.go): another line has the reason. */
const ofLateHandler = /http: Handler timeout|"Timeout or abort while handling"|"Post-timeout activity"/;

/** A request without a body, such as that of a probe over the API server's proxy (ingress-nginx controller/server.go). */
const ofEmptyRequest =
  /^E\d{4} .*"Failed to decode request body" err="couldn't get version\/kind; json parse error: unexpected end of JSON input"/;

/** Replaces the variable parts of a line, to find repeated lines. */
const shapeOf = (line: string): string => line.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/gi, '#');

/** A panic about a test object shows no fault: a real object has the fields that the handler needs. */
const isOwnPanic = (line: string): boolean => line.includes(testObjectName) && /\bpanic/i.test(line);

function weightOf(line: string): number {
  if (ofLateHandler.test(line) || ofEmptyRequest.test(line) || isOwnPanic(line)) return 0;
  const known = findComponentText(line);
  const isMinor = known !== undefined && uninformative.has(known.kind);
  if (isMinor && !isFatal(line)) return 0;
  // Each probe causes it; what it waits for is in another line.
  if (known?.kind === 'server-without-certificate') return 0.5;
  const isTelling =
    !isMinor && known?.class === 'backend-log' && !(known.kind === 'cache-not-synced' && isInformation(line));
  // A cache is not filled because of an error before.
  if (isError(line)) return isTelling && known.kind !== 'cache-not-synced' ? 4 : 3;
  const isOutbound = outboundErrorIn(line) !== undefined;
  if (isWarning(line) && !isInformation(line)) return isOutbound ? 3 : 1 + Number(isTelling);
  return isTelling || isOutbound ? 1 : 0;
}

/** Tokens and passwords in a line, which are removed because the line is printed and shared. */
const credentials = /\b(Bearer\s+|password["']?\s*[=:]\s*["']?)[^\s"',]+|\beyJ[\w-]+\.[\w-]+\.[\w-]*/gi;

/** The lines of a log without colors, stack traces, credentials and the end of long ones. */
export const cleanLines = (log: string): readonly string[] =>
  stripVTControlCharacters(log)
    .split('\n')
    .map((line) => line.trimEnd().replace(stackField, '').slice(0, longestLine).replace(credentials, '$1…'));

/**
 * `Serving webhook server {"host": "", "port": 9443}` (controller-runtime pkg/webhook/server.go), `starting secure server"
 * address=[::]:8443` (prometheus-operator pkg/server/server.go), and similar lines. In JSON, the fields of the Elastic
 * Common Schema may be before the port.
 */
const servesPort =
  /\b(?:serving|listening|started|starting(?= (?:\w+ )?server\b))\b(?!-)(?:.{0,200}?\bport"?[:= ]\s*"?|.{0,80}?(?<!\.(?:go|rs|py|js|ts|java|kt|cc|rb)):)(?<port>\d{2,5})\b/i;

/** `Listening on :443`, `Serving securely on [::]:4443`: the only server of a program, which the line does not name. */
const servesOnlyPort = /\b(?:serving|listening)\b(?: \w+)? on \S*:(?<port>\d{2,5})\b(?!:)/i;
const ofOtherServer = /metric|health|ready|live|probe|pprof|debug|profil/i;

/** True for a line that names a server with TLS. */
export const isOfTlsServer = (line: string): boolean => /webhook|https|tls|admission|\bsecure\b/i.test(line);

/** The last line of a log that reports the port of the webhook server, and that port. */
export function servedPort(log: string): { readonly line: string; readonly port: number } | undefined {
  const lines = cleanLines(log).filter((line) => !ofStack.test(line));
  const own = lines.filter((one) => !ofOtherServer.test(one));
  const named = own.filter((one) => isOfTlsServer(one) && servesPort.test(one));
  const only = own.filter((one) => servesOnlyPort.test(one));
  const [found, pattern] = named.length > 0 ? [named, servesPort] : [only, servesOnlyPort];
  const ports = found.map((line) => ({ line, port: Number(pattern.exec(line)?.groups?.port) }));
  const isAmbiguous = found === only && new Set(ports.map(({ port }) => port)).size > 1;
  return isAmbiguous ? undefined : ports.at(-1);
}

/** `starting server {"name": "health probe", "addr": "[::]:8081"}` (controller-runtime pkg/manager/server.go). */
const servesHealth = /starting server.*health probe.*\baddr\W+.*?:(?<port>\d{2,5})\b/;

/** The last line of a log that reports the port of a server for probes over plain HTTP, and that port. */
export function healthPort(log: string): { readonly line: string; readonly port: number } | undefined {
  const line = cleanLines(log).findLast((one) => servesHealth.test(one));
  return line === undefined ? undefined : { line, port: Number(servesHealth.exec(line)?.groups?.port) };
}

/** The last line of a log that reports a request which the client of the program delayed by seconds. */
export function throttledRequest(log: string): { readonly line: string } | undefined {
  const line = cleanLines(log).findLast(
    (one) => one.includes('client-side throttling') && findComponentText(one)?.kind === 'client-throttled',
  );
  return line === undefined ? undefined : { line };
}

/** The last line of a log that reports a webhook handler which the program passes to controller-runtime. */
export function registeredHandler(log: string): { readonly line: string } | undefined {
  const line = cleanLines(log).findLast(
    (one) => !one.includes('skip registering') && /\bregistering (?:a \w+ )?webhook\b/i.test(one),
  );
  return line === undefined ? undefined : { line };
}

/**
 * True if a line reports that the program registers its conversions with controller-runtime, or names their path
 * (pkg/builder/webhook.go).
 */
export const registersConversion = (log: string): boolean =>
  cleanLines(log).some((one) => /\bconversion webhook enabled\b|\bpath"?[=:] ?"?\/convert\b/i.test(one));

/** `Skipping sidecar injector, template not found` (istio pilot/pkg/bootstrap/sidecarinjector.go): not what is skipped per request. */
const skipsPart =
  /\bskipping (?:the )?(?:[\w-]+ ){0,2}(?<part>injector|validator|mutator|defaulter|converter)\b(?=[,:;.(](?!\w)|$| because | setup| registration)/i;

/** The last line of a log that reports a part of the program which it does not start, and that part. */
export function skippedPart(log: string): { readonly line: string; readonly part: string } | undefined {
  const line = cleanLines(log).findLast((one) => skipsPart.test(one));
  const part = line && skipsPart.exec(line)?.groups?.part;
  return line === undefined || part === undefined ? undefined : { line, part };
}

/**
 * The last line of a log that reports a webhook handler which the program does not pass to controller-runtime
 * (pkg/builder/webhook.go); undefined if it registers another one, and so starts its server.
 */
export function skippedHandler(log: string): { readonly line: string } | undefined {
  const line = cleanLines(log).findLast((one) =>
    /\bskip registering a (?:mutating|validating) webhook\b/.test(one),
  );
  return line === undefined || registeredHandler(log) !== undefined ? undefined : { line };
}

/** The last lines of a log. */
export const lastLogLines = (log: string, most: number): readonly string[] =>
  cleanLines(log)
    .filter((line) => line !== '')
    .slice(-most);

/**
 * The lines of a container's log that best explain why it does not serve, in their order: errors before
 * warnings, known texts before unknown ones, the latest of repeated lines. Empty if no line reports a
 * problem.
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

/** Words that report a failure, if none of these occurred: `license expired`, `open /certs: permission denied`. */
const failure =
  /(?<!\b(?:0|no|without) (?:\w+ )?)\b(?:fail(?:ed|ure)|cannot|can't|could not|unable|invalid|missing|denied|not found|no such|refused|rejected|expired|required|must|bad option|unrecognized|unsupported|(?<!="?|\b(?:version|commit|build|revision|date)\W{1,3})unknown)\b/i;

/** True for a warning that reports no failure, such as a deprecated flag: a process does not exit because of it. */
const isOnlyWarning = (line: string): boolean =>
  warningLevel.test(line) && weightOf(line) < 2 && !errorField.test(line) && !failure.test(line);

/** A frame in the stack trace of a Go program: file and line (runtime/traceback.go). */
const frame = /^\t(?<path>[\w./@-]+\.go):(?<at>\d+)(?: \+0x[0-9a-f]+)?$/;

/**
 * The line of a log with the first frame after a runtime error of Go, without those of the runtime and of functions that
 * panic again, its place (`validation/handler.go:88`), and the log before the error. Undefined without a runtime error: a
 * program also panics for a configuration that it rejects.
 */
export function panicFrame(
  log: string,
): Readonly<Record<'error' | 'line' | 'place' | 'before', string>> | undefined {
  const lines = log.split('\n');
  const error = lines.find((line) =>
    /^(?:panic: (?:runtime error: |interface conversion: |assignment to entry in nil map|(?:close of|send on) \w+ channel)|fatal error: (?!all goroutines))/.test(
      line,
    ),
  );
  if (error === undefined) return undefined;
  const start = lines.indexOf(error);
  for (const line of lines.slice(start)) {
    const { path = '', at } = frame.exec(line)?.groups ?? {};
    if (at === undefined || /(?:^|\/)runtime\/\w+\.go$/.test(path)) continue;
    return {
      error: error.replace(/^panic: /, ''),
      line,
      place: `${path.split('/').slice(-2).join('/')}:${at}`,
      before: lines.slice(0, start).join('\n'),
    };
  }
  return undefined;
}

/**
 * The line of a container's log that best explains why it exited: the most relevant error, else the last line if
 * it reports a failure, else the most relevant warning that does.
 */
export function exitReason(log: string): string | undefined {
  const lines = cleanLines(log).filter((line) => !isOnlyWarning(line));
  const [relevant] = relevantLogLines(lines.join('\n'), 1);
  if (relevant !== undefined && weightOf(relevant) >= 3) return relevant;
  return lastLogLines(log, 1).find((line) => failure.test(line) && !isInformation(line)) ?? relevant;
}
