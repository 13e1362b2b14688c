import { parsedJson } from '../basics/collections.ts';
import { type CausesOf, explainTexts } from '../explain/explain.ts';
import { nearestTo } from '../explain/nearest.ts';
import { type Finder, findLines, findObjects } from './find-records.ts';
import { readCalls, readObject } from './read-record.ts';
import type { ScanReport } from './scan-report.ts';
import { tally } from './tally.ts';

/** Bytes by which the format of the input is recognized. */
const headLength = 64 * 1024;

const blank = /^\s*$/;

/**
 * True for JSON over several lines, or a list in one line: its items are found by their braces. Otherwise each line is one
 * record.
 */
function isDocument(head: Buffer): boolean {
  const text = head.toString('utf8').trimStart();
  if (!text.startsWith('{')) return false;
  const [first = ''] = text.split('\n', 1);
  if (blank.test(first.slice(1))) return true;
  return /^\{\s*"(?:apiVersion|items|kind)"/.test(first) && /"items"\s*:\s*\[/.test(first.slice(0, 300));
}

/** A time near the beginning of a line, a record of a logger that writes JSON, `kubectl get events`, or a list. */
const record =
  /^\W{0,8}(?:[^\s:]{1,300} {1,8}){0,3}(?:\w{1,40}=)?["'[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d)|^[ \t]{0,8}\{.{0,4000}"(?:ts|time|timestamp|@timestamp|stageTimestamp|lastTimestamp|T)" ?:|^(?:NAMESPACE +)?LAST SEEN |"items" ?: ?\[/m;

/** The result of an input. */
export interface ScanResult
  extends Pick<ScanReport, 'window' | 'summary' | 'callouts' | 'notKept' | 'matches' | 'nearest'> {
  readonly bytes: number;
  readonly examined: number;
  readonly damaged: number;
  readonly kind: ScanReport['source']['kind'];
}

interface Input {
  readonly now: Date;
  readonly counts: ReturnType<typeof tally>;
  bytes: number;
  examined: number;
  damaged: number;
  /** The beginning of an input that is not a log. */
  text: string | undefined;
}

/** Reads any log, audit log or list of events in pieces, and counts webhook calls. */
export function scanner(
  now: Date,
  causesOf: CausesOf,
): { readonly take: (piece: Buffer) => void; readonly end: () => ScanResult } {
  const input: Input = { now, counts: tally(causesOf), bytes: 0, examined: 0, damaged: 0, text: undefined };
  let head: Buffer[] = [];
  let headSize = 0;
  let finder: Finder | undefined;
  const start = (): Finder => {
    const first = Buffer.concat(head);
    head = [];
    return startFinder(input, first);
  };
  return {
    take(piece) {
      input.bytes += piece.length;
      if (finder !== undefined) {
        finder.take(piece);
        return;
      }
      head.push(Buffer.from(piece));
      headSize += piece.length;
      if (headSize >= headLength) finder = start();
    },
    end() {
      finder ??= start();
      finder.end();
      return scanned(input, causesOf);
    },
  };
}

function startFinder(input: Input, first: Buffer): Finder {
  const begin = first.toString('utf8');
  if (!record.test(begin)) input.text = begin;
  const read = (text: string): void => readText(input, text);
  const lost = (): void => {
    input.damaged += 1;
  };
  const finder = isDocument(first) ? findObjects(read, lost) : findLines(read);
  finder.take(first);
  return finder;
}

/** Counts the sightings in one record: a JSON object, or a line of text. */
function readText(input: Input, text: string): void {
  input.examined += 1;
  const { counts, now } = input;
  const isObject = text.trimStart().startsWith('{');
  const object = isObject ? parsedJson(text) : undefined;
  if (isObject && object === undefined) input.damaged += 1;
  const calls = object === undefined ? readCalls(text, now.getTime()) : readObject(object, now.getTime());
  for (const call of calls) counts.add(call);
}

function scanned({ counts, bytes, examined, damaged, text }: Input, causesOf: CausesOf): ScanResult {
  const result = counts.result();
  const kind = text === undefined ? 'log' : 'text';
  const found = { ...result, bytes, examined, damaged, kind } as const;
  if (text === undefined || result.callouts.length > 0) return found;
  const { texts: matches } = explainTexts(text, causesOf);
  const nearest = matches.length === 0 ? nearestTo(text) : undefined;
  return { ...found, matches, ...(nearest === undefined ? {} : { nearest }) };
}
