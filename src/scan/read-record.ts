import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { parseCallError } from '../apiserver/sentences/call-error/parse-call-error.ts';
import { isJsonObject, type JsonObject } from '../basics/collections.ts';
import { strings } from '../explain/records.ts';

/** One event about a webhook call in a record. */
export interface LoggedCall {
  /** Milliseconds since 1970; undefined for a record without time. */
  readonly at: number | undefined;
  /** The time of the last of several events in a record. */
  readonly until?: number;
  /** Number of calls: Events are aggregated. */
  readonly times: number;
  readonly error: CallError;
  /** The request was a dry run. `own`: this program sent it; `anybody`: any other client. */
  readonly dryRun?: 'anybody' | 'own';
}

/** klog: `W1122 07:15:01.123456   12 dispatcher.go:217] …`, in the time zone of the writer, without a year. */
const klog =
  /(?:^|\s)[IWEF](?<month>\d\d)(?<day>\d\d) (?<hours>\d\d):(?<minutes>\d\d):(?<seconds>\d\d)\.(?<rest>\d{3})\d*\s/;
const rfc3339 = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)/;

const valid = (milliseconds: number): number | undefined =>
  Number.isFinite(milliseconds) && milliseconds > 0 && milliseconds < 4e12 ? milliseconds : undefined;

/** The time in a JSON log: RFC 3339, or seconds or milliseconds since 1970. */
function timeOfValue(value: unknown): number | undefined {
  if (typeof value === 'string') return valid(Date.parse(value.replace(',', '.')));
  if (typeof value !== 'number') return undefined;
  return valid(value < 1e11 ? value * 1000 : value);
}

/**
 * The time at the start of a line. klog has no year: the latest one that is not in the future is used (with a
 * day of tolerance for clocks and time zones). Its time is read as UTC, the time zone of components in Pods.
 */
function timeOfLine(line: string, now: number): number | undefined {
  const head = line.slice(0, 120);
  const stamp = rfc3339.exec(head);
  if (stamp !== null) return timeOfValue(stamp[0].replace(' ', 'T'));
  const groups = klog.exec(head)?.groups;
  if (groups === undefined) return undefined;
  const { month, day, hours, minutes, seconds, rest } = groups;
  const inYear = (year: number): number =>
    Date.UTC(
      year,
      Number(month) - 1,
      Number(day),
      Number(hours),
      Number(minutes),
      Number(seconds),
      Number(rest),
    );
  const year = new Date(now).getUTCFullYear();
  const thisYear = inYear(year);
  return valid(thisYear > now + 24 * 3600 * 1000 ? inYear(year - 1) : thisYear);
}

const fields = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Errors that name a webhook or APIService. */
const isAboutOne = (error: CallError | undefined): error is CallError =>
  error !== undefined &&
  (error.webhook !== undefined || error.service !== undefined || error.kind === 'conversion');

/** Annotations of audit events; `mutation` in some versions, `mutating` in others. */
const failedOpenKey = /^failed-open\.(?:validating|mutation|mutating)\.webhook\.admission\.k8s\.io\//;

const openedBy = (webhook: string): CallError => ({
  kind: 'call-failure',
  text: `the audit log says that ${webhook} failed open`,
  webhook,
  failedOpen: true,
});

/** `kubectl-webhook` is the user agent of this program (collect/kube/open-cluster.ts). */
function dryRunOf(uri: string, userAgent: string): Pick<LoggedCall, 'dryRun'> {
  if (!/[?&]dryRun=All\b/.test(uri)) return {};
  return { dryRun: userAgent.startsWith('kubectl-webhook') ? 'own' : 'anybody' };
}

/** Audit stages before the response, whose content the last stage repeats. */
const isLast = (stage: unknown): boolean =>
  stage === undefined || stage === 'ResponseComplete' || stage === 'Panic';

/** The API server's response and annotations; not the object in the request, which may contain any text. */
function ofAuditEvent(event: JsonObject): readonly LoggedCall[] {
  if (!isLast(event.stage)) return [];
  const at = timeOfValue(event.stageTimestamp) ?? timeOfValue(event.requestReceivedTimestamp);
  const opened = Object.entries(fields(event.annotations)).flatMap(([key, webhook]) =>
    failedOpenKey.test(key) && typeof webhook === 'string' ? [openedBy(webhook)] : [],
  );
  const { message, code } = fields(event.responseStatus);
  const refused = typeof message === 'string' && Number(code) >= 400 ? parseCallError(message) : undefined;
  const errors = isAboutOne(refused) ? [...opened, refused] : opened;
  const dryRun = dryRunOf(String(event.requestURI), String(event.userAgent));
  return errors.map((error) => ({ at, times: 1, error, ...dryRun }));
}

/** An Event of a controller whose request was refused, with its count in the newer or the older API. */
function ofEvent(event: JsonObject): readonly LoggedCall[] {
  const text = event.message ?? event.note;
  const error = typeof text === 'string' ? parseCallError(text) : undefined;
  if (!isAboutOne(error)) return [];
  const series = fields(event.series);
  const first =
    timeOfValue(event.firstTimestamp ?? event.deprecatedFirstTimestamp) ??
    timeOfValue(event.eventTime) ??
    timeOfValue(fields(event.metadata).creationTimestamp);
  const last =
    timeOfValue(series.lastObservedTime) ?? timeOfValue(event.lastTimestamp ?? event.deprecatedLastTimestamp);
  const count = Number(series.count ?? event.count ?? event.deprecatedCount ?? 1);
  const times = Number.isSafeInteger(count) && count > 0 && count < 1e9 ? count : 1;
  return [{ at: first ?? last, ...(last === undefined ? {} : { until: last }), times, error }];
}

const timeKeys = ['ts', 'time', 'timestamp', '@timestamp', 'date', 'T', 'stageTimestamp'];

/** A JSON line of a logger: klog, zap, the container runtimes, log collectors. */
function ofLogRecord(record: JsonObject, now: number): readonly LoggedCall[] {
  const recorded = timeKeys.map((key) => timeOfValue(record[key])).find((time) => time !== undefined);
  const found = strings(record)
    .map((text) => ({ text, error: parseCallError(text) }))
    .find(({ error }) => isAboutOne(error));
  if (found?.error === undefined) return [];
  return [{ at: timeOfLine(found.text, now) ?? recorded, times: 1, error: found.error }];
}

const isAudit = ({ kind, apiVersion, auditID }: JsonObject): boolean =>
  auditID !== undefined || (kind === 'Event' && String(apiVersion).startsWith('audit.k8s.io/'));
const isEvent = ({ kind, involvedObject, regarding }: JsonObject): boolean =>
  isJsonObject(involvedObject) || isJsonObject(regarding) || kind === 'Event';

/** The events in a parsed record of any origin. */
export function readObject(record: unknown, now: number): readonly LoggedCall[] {
  if (!isJsonObject(record)) return [];
  if (Array.isArray(record.items)) return record.items.flatMap((item) => readObject(item, now));
  // Watches, and Falco, Fluent Bit and others, nest the record in a field.
  const wrapped = record.object ?? record.event ?? record.log;
  if (isJsonObject(wrapped) && (isAudit(wrapped) || isEvent(wrapped))) return readObject(wrapped, now);
  if (isAudit(record)) return ofAuditEvent(record);
  if (isEvent(record)) return ofEvent(record);
  return ofLogRecord(record, now);
}

const auditAnnotation =
  /"failed-open\.(?:validating|mutation|mutating)\.webhook\.admission\.k8s\.io\/[^"]{1,100}"\s*:\s*"(?<webhook>[^"\\]{1,300})"/g;

/** A line of klog inside another one, written concurrently. */
const otherWriter = /[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s.*/;

/** The message of the API server's Status, which precedes the objects. */
const auditAnswer =
  /"responseStatus":\{(?:"metadata":\{[^{}]{0,500}\},)?[^{}]{0,500}?"message":"(?<text>(?:[^"\\]|\\.)*)/;

/**
 * The events in a line of text: klog, a controller's log, an incomplete record. For an audit event that
 * cannot be parsed only response and annotations are used.
 */
export function readCalls(line: string, now: number): readonly LoggedCall[] {
  const between = line.includes('audit.k8s.io/') ? otherWriter.exec(line)?.[0] : undefined;
  // Quotes inside an object in the request would be escaped.
  if (between !== undefined && !between.includes('\\"')) return readCalls(between, now);
  const damagedAudit = line.includes('audit.k8s.io/');
  const answer = damagedAudit ? (auditAnswer.exec(line)?.groups?.text ?? '') : line;
  const opened = damagedAudit
    ? [...line.matchAll(auditAnnotation)].map(({ groups }) => openedBy(groups?.webhook ?? ''))
    : [];
  const stamp = damagedAudit ? /"stageTimestamp":"(?<at>[^"]{10,40})"/.exec(line)?.groups?.at : undefined;
  const at = damagedAudit ? timeOfValue(stamp) : timeOfLine(line, now);
  const error = parseCallError(nearNeedle(answer));
  const field = (name: string): string => new RegExp(`"${name}":"([^"]{0,2000})"`).exec(line)?.[1] ?? '';
  const dryRun = damagedAudit
    ? dryRunOf(field('requestURI').replaceAll('\\u0026', '&'), field('userAgent'))
    : {};
  return [...opened, ...(isAboutOne(error) ? [error] : [])].map((one) => ({
    at,
    times: 1,
    error: one,
    ...dryRun,
  }));
}

/** Text far before the error in a long line belongs to something else. */
const before = 400;
const sentence =
  /[Ff]ailed calling |[Pp]anic calling webhook|ailed to call webhook|admission webhook |conversion webhook for /;

function nearNeedle(line: string): string {
  const place = line.search(sentence);
  return place <= before ? line : line.slice(place - before);
}
