import { stripVTControlCharacters } from 'node:util';
import { onOneLine } from '../basics/one-line.ts';

/** Limits of a pasted text: records, and characters of a record. `scan` is for logs. */
const mostRecords = 500;
const longestRecord = 8_192;

/** Prefixes in mails and issues, after the indentation: quote marks, list marks, fences, a prompt with its command. */
const decoration = /^(\s*)(?:(?:[>|*•-]\s+)+|```\w*\s*$|\$ (?!kubectl get --raw ).*$)/;

/** Prefixes of each line of a log: `kubectl logs --prefix`, and files of a container runtime. */
const linePrefix = /^(?:\[pod\/[^\]\s]{1,400}\] ?|\d{4}-\d\d-\d\dT\S{1,40} (?:stdout|stderr) [FP] )/gm;

/** The sides of a box on a terminal, whose lines have one width. */
const boxSides = /(?<=^[ \t]{0,8})│ ?|(?:[ \t]{3,}| ?)│[ \t]{0,8}$/gm;

/** Panes of a terminal next to each other, one below the other. */
const withoutPanes = (text: string): string =>
  text.includes('││')
    ? [text.replace(/││.*$/gm, ''), text.replace(/^.*││|^[^│\n]*$/gm, '')].join('\n\n')
    : text;

/** Line breaks of a double-quoted YAML string, after which an escaped space begins the next line (PyYAML). */
const yamlFold = /\\\n[ \t]{0,100}\\(?= )/g;

/** Characters without a width, which web pages put into addresses and long words. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** Markup of addresses in mails and issues. */
const markdownLink = /\[([^\]\s\\]{1,500})\\? ?\]\(https?:\/\/[^)\s]{0,500}\)/g;

/** Start of a new record: a time, klog, kubectl, a logger, JSON. */
const begins =
  /^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[IWEF]\d{4} \d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|(?:[a-z0-9-]+\s+)?(?:\d+[smhd][\dsmhd]*|<unknown>)(?: \([^)]*\))?\s+(?:Warning|Normal)\b|Normal\s|Error\b|error(?!\s+(?:occur|from|in|of|on|with)|s?\b[^:]*$)|Warning|WARN|ERROR|INFO|(?:Liveness|Readiness|Startup) probe |level=|time=|ts=|\d\.\d+e\+\d\d\s|\{|Reason:|Message:|(?:- )?(?:message|reason|status|type|phase|lastTransitionTime): |Internal error|failed calling|http: |make(?:\[\d+\])?: |cannot patch "|v\d\w*\.[a-z][\w.-]*\s+\S+\s+(?:True|False|Unknown)\b)/;

/** The end of a line that the next one continues, such as "rpc" before "error: code = …", or an article. */
const continues = /[:,]\s*$|\b(?:rpc|an|the)\s*$|^\s*\$ kubectl get --raw \S+\s*$/;

/**
 * Strings in a record of a logger, or in the message of an Event or condition; limited in number, since
 * anyone may write one.
 */
export function strings(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 5) return [];
  return Object.values(value)
    .slice(0, 200)
    .flatMap((member) => strings(member, depth + 1));
}

/** An Event as logged by workload controllers: its object is part of the meaning. */
function eventText(value: unknown): string | undefined {
  const { involvedObject, regarding, reason, message, note } = Object(value);
  const { namespace, name } = Object(involvedObject ?? regarding);
  return typeof namespace === 'string' && strings([message, note]).length > 0
    ? `object="${namespace}/${name}" reason="${reason}": ${message ?? note}`
    : undefined;
}

/** Annotations about webhooks in an event of the audit log, with their keys; undefined if it has none. */
function auditText(value: unknown): string | undefined {
  const found = Object.entries(Object(Object(value).annotations)).filter(([key]) =>
    key.startsWith('failed-open.'),
  );
  return found.length === 0 ? undefined : found.map(([key, name]) => `"${key}": "${name}"`).join(' ');
}

/** Of single words, only a logger's error is meaningful: `EOF`. */
const isError = /^(?:err|error)$/;
const isSentence = (value: unknown): boolean => typeof value === 'string' && value.includes(' ');

/** The texts in a JSON document; first joined, since loggers put error and message in separate fields. */
function unpacked(text: string): readonly string[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const events = [parsed, ...(Array.isArray(Object(parsed).items) ? Object(parsed).items : [])].flatMap(
      (one) => eventText(one) ?? auditText(one) ?? [],
    );
    if (events.length > 0) return events;
    // Fields of one flat record are related, but each may also have its own meaning.
    const members = Object.entries(Object(parsed));
    if (members.every(([, member]) => Object(member) !== member))
      return [
        members
          .flatMap(([name, member]) => (isSentence(member) || (isError.test(name) && member) ? [member] : []))
          .join(': '),
      ];
    const found = strings(parsed).filter(isSentence);
    return found.length > 20 ? found : [found.join(': '), ...found];
  } catch {
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#39': "'",
  lt: '<',
  gt: '>',
  amp: '&',
};
/** Text without double quotes may use other quote characters instead; an apostrophe is not one. */
const quoted = /(?<!\w)(['`])([^'"`]+)\1(?!\w)/g;

/** A cell of a table that an editor or log viewer exports as CSV, with doubled quotes. */
const cell = /^\s*"((?:[^"]|"")*)"\s*$/;

/** Normalizes quotes, escapes and colons to those of the API server: loggers, editors, web pages and tables change them. */
function withPlainQuotes(text: string): string {
  const plain = text
    .replace(cell, (_, value: string) => value.replaceAll('""', '"'))
    .replace(/(?<!\\)\\+u00([2-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/&(quot|#34|#39|lt|gt|amp);/g, (_, name: string) => entities[name] ?? '')
    .replace(/[“”„]|(?<!\\)\\+"/g, '"')
    .replace(/(?<=[\w/])""|""(?=[\w/])/g, '"')
    .replace(/：\s?/g, ': ')
    .replaceAll('\u00a0', ' ');
  return plain.includes('"') ? plain : plain.replace(quoted, '"$2"');
}

/** The records to read, with their line breaks, and the number of further ones. */
export interface Records {
  readonly records: readonly string[];
  readonly notRead: number;
}

/** Limits number and length of records: a pattern must not take long on a hostile one. */
const bounded = (records: readonly string[], notRead = 0): Records => ({
  records: records.slice(0, mostRecords).map((record) => withPlainQuotes(record.slice(0, longestRecord))),
  notRead: notRead + Math.max(0, records.length - mostRecords),
});

/** Whether a terminal has wrapped the text: two or more lines have the full width, and most lines before the last. */
export function isOfTerminal(record: string): boolean {
  const lengths = record.split('\n').map((line) => line.length);
  const widest = Math.max(...lengths);
  const full = lengths.slice(0, -1).filter((one) => widest - one <= 1).length;
  return widest >= 60 && full > 1 && full >= 0.75 * (lengths.length - 1);
}

/** The end of a line before an empty one in the message of a denial (Kyverno). */
const unfinished = /denied the request:\s*$|due to the following policies\s*$|\bfor resource violation:\s*$/;

/** Joins lines without the indentation that all of them have: it is not part of a word that a line break splits. */
function withoutIndent(lines: readonly string[]): string {
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}

/** Terraform names the resource of an error after an empty line. */
const beforeResource =
  /(?<=^Error: context deadline exceeded)\n[ \t]{0,8}\n(?=[ \t]{0,8}with [\w.[\]"-]{1,300},[ \t]{0,8}$)/gm;

/** A line around the message of a denial, which has lines of its own (nginx). */
const frame = /^\s*-{10,}\s*$/;
const mostFramed = 12;

/** The text with the lines of a framed message in one line, without the frame. */
function unframed(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line, at) => frame.test(line) && unfinished.test(lines[at - 1] ?? ''));
  if (start < 0) return lines;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => frame.test(line));
  const size = Math.min(end < 0 ? rest.length : end, mostFramed);
  const message = rest
    .slice(0, size)
    .map((line) => line.trim())
    .join(' ')
    .trim();
  const before = lines.slice(0, start - 1);
  const opening = (lines[start - 1] ?? '').trimEnd();
  return [...before, `${opening} ${message}`, '', ...unframed(rest.slice(end < 0 ? size : end + 1))];
}

/** Groups of lines that belong to one record each. */
function grouped(text: string): readonly string[] {
  const records: string[][] = [];
  const lines = text
    .replace(beforeResource, '\n')
    .split('\n')
    .map((one) => one.replace(decoration, '$1'));
  for (const line of unframed(lines)) {
    const before = records.at(-1)?.at(-1) ?? '';
    if (line.trim() === '') {
      if (!unfinished.test(before)) records.push([]);
    } else if (begins.test(line) && !continues.test(before)) records.push([line]);
    else if (records.length === 0) records.push([line]);
    else records.at(-1)?.push(line);
  }
  return records.filter((lines) => lines.length > 0).map(withoutIndent);
}

/** Line ends in the quoted strings of a logger; `\n` may also be part of a path on Windows. */
const unfolded = (record: string): readonly string[] =>
  /\\n/.test(record) && !/\b[A-Za-z]:\\/.test(record)
    ? grouped(record.replace(/\\+n/g, '\n').replace(/\\+t/g, ' '))
    : [record];

/** Helm joins the errors of several objects. */
const joined =
  / && (?=(?:cannot (?:patch|create|update) "|[Ff]ailed to (?:re)?create |Internal error occurred: |admission webhook "))/;

/** The records in a string of a JSON document with several lines. */
const linesIn = (text: string): readonly string[] =>
  text.trimEnd().includes('\n') ? grouped(text).map(onOneLine) : [];

/** Splits a pasted text into records, and joins lines that a terminal or mail program has wrapped. */
export function recordsOf(input: string): Records {
  const plain = withoutPanes(stripVTControlCharacters(input).replaceAll('\r', '').replace(invisible, ''))
    .replace(yamlFold, '')
    .replace(boxSides, '')
    .replace(linePrefix, '')
    .replace(markdownLink, '$1');
  const whole = unpacked(plain);
  if (whole !== undefined) return bounded(whole.flatMap((text) => [text, ...linesIn(text)]));
  const records = grouped(plain);
  const texts = records
    .slice(0, mostRecords)
    .flatMap(
      (text) =>
        unpacked(isOfTerminal(text) ? text.replaceAll('\n', '') : onOneLine(text)) ??
        unpacked(text.replaceAll('\n', '')) ??
        unfolded(text),
    )
    .flatMap((text) => text.split(joined));
  return bounded(texts, Math.max(0, records.length - mostRecords));
}
