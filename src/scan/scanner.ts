import { type CausesOf, explainTexts } from '../explain/explain.ts';
import { nearestTo } from '../explain/recognise.ts';
import { limits } from '../facts/limits.ts';
import { readCalls, readObject } from './read-record.ts';
import type { ScanReport } from './scan-report.ts';
import { tally } from './tally.ts';

/** Maximum size of an object: an Event has a few kilobytes. */
const largest = 4 * 1024 * 1024;

const open = 0x7b;
const close = 0x7d;
const bracket = 0x5b;
const endBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Yields the items of JSON lists (`kubectl get events -o json`, with any whitespace) as text, from bytes in
 * chunks; other documents are yielded as one item. `lost` is called for items that are too large or
 * incomplete.
 */
function findObjects(
  each: (text: string) => void,
  lost: () => void,
): { readonly take: (piece: Buffer) => void; readonly end: () => void } {
  let braces = 0;
  let brackets = 0;
  let inText = false;
  let escaped = false;
  let kept: Buffer[] = [];
  let size = 0;
  /** Start of the current object in the current chunk; -1: none. */
  let from = -1;

  const inItem = (): boolean => braces === 2 && brackets === 1;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size <= largest) kept.push(Buffer.from(part));
  };
  const hand = (): void => {
    if (size > largest) lost();
    else each(Buffer.concat(kept).toString('utf8'));
    kept = [];
    size = 0;
  };

  return {
    take(piece) {
      from = size > 0 ? 0 : -1;
      for (let at = 0; at < piece.length; at += 1) {
        const byte = piece[at] as number;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inText = false;
          continue;
        }
        if (byte === quote) inText = true;
        else if (byte === bracket) brackets += 1;
        else if (byte === endBracket) brackets = Math.max(0, brackets - 1);
        else if (byte === open) {
          braces += 1;
          if (inItem() && from < 0) from = at;
        } else if (byte === close) {
          if (inItem() && from >= 0) {
            keep(piece.subarray(from, at + 1));
            from = -1;
            hand();
          }
          braces = Math.max(0, braces - 1);
          if (braces === 0) brackets = 0;
        }
      }
      if (from >= 0) keep(piece.subarray(from));
    },
    end() {
      if (size > 0) lost();
    },
  };
}

/**
 * Strings of which each relevant line contains one. A byte search for them avoids parsing hundreds of
 * megabytes. They are less frequent than "webhook", which is in every audit event of a cluster with mutating
 * webhooks.
 */
const needles: readonly Buffer[] = [
  // failed calling webhook "N"; Failed calling webhook, failing open N; Panic calling webhook, failing open N
  'alling webhook',
  'alling admission webhook',
  'failed to call webhook',
  // admission webhook "N" denied the request
  'denied the request',
  // the audit annotation failed-open.validating.webhook.admission.k8s.io/round_0_index_0
  'failed-open.',
  'conversion webhook for',
  'does not support dry run',
  'attempted to modify the object',
].map((text) => Buffer.from(text));

/**
 * Positions of the needles in a chunk, ascending; a line may contain several. Each needle is searched once
 * per hit and once to the end.
 */
function nextNeedle(piece: Buffer): (from: number) => number {
  const places = needles.map(() => -2);
  return (from) => {
    let nearest = -1;
    for (const [index, needle] of needles.entries()) {
      let place = places[index] as number;
      if (place !== -1 && place < from) {
        place = piece.indexOf(needle, from);
        places[index] = place;
      }
      if (place >= 0 && (nearest < 0 || place < nearest)) nearest = place;
    }
    return nearest;
  };
}

const lineFeed = 0x0a;

/**
 * Yields lines that contain a needle, from bytes in chunks; only these are decoded. Buffers one chunk and its
 * incomplete last line.
 */
function findLines(each: (line: string) => void): {
  readonly take: (piece: Buffer) => void;
  readonly end: () => void;
} {
  let begun: Buffer[] = [];
  let length = 0;

  const search = (bytes: Buffer): void => {
    const next = nextNeedle(bytes);
    for (let place = next(0); place >= 0; ) {
      const start = bytes.lastIndexOf(lineFeed, place) + 1;
      const found = bytes.indexOf(lineFeed, place);
      const end = found < 0 ? bytes.length : found;
      each(bytes.toString('utf8', start, end));
      if (end >= bytes.length) return;
      place = next(end + 1);
    }
  };
  const finish = (): void => {
    if (length > 0) search(Buffer.concat(begun));
    begun = [];
    length = 0;
  };
  return {
    take(piece) {
      const last = piece.lastIndexOf(lineFeed);
      if (last >= 0) {
        const first = length === 0 ? 0 : piece.indexOf(lineFeed) + 1;
        if (length > 0) {
          begun.push(piece.subarray(0, first));
          finish();
        }
        search(piece.subarray(first, last + 1));
      }
      const rest = piece.subarray(last + 1);
      if (rest.length === 0) return;
      // The stream may reuse the chunk's memory.
      begun.push(Buffer.from(rest));
      length += rest.length;
      if (length > limits.logLine) finish();
    },
    end: finish,
  };
}

type Finder = { readonly take: (piece: Buffer) => void; readonly end: () => void };

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
export interface Scanned
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
): { readonly take: (piece: Buffer) => void; readonly end: () => Scanned } {
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

/** Chooses the format of the input by its first bytes. */
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
  const object = text.trimStart().startsWith('{') ? parsed(input, text) : undefined;
  const calls = object === undefined ? readCalls(text, now.getTime()) : readObject(object, now.getTime());
  for (const call of calls) counts.add(call);
}

function parsed(input: Input, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    input.damaged += 1;
    return undefined;
  }
}

function scanned({ counts, bytes, examined, damaged, text }: Input, causesOf: CausesOf): Scanned {
  const result = counts.result();
  const kind = text === undefined ? 'log' : 'text';
  const found = { ...result, bytes, examined, damaged, kind } as const;
  if (text === undefined || result.callouts.length > 0) return found;
  const { texts: matches } = explainTexts(text, causesOf);
  const nearest = matches.length === 0 ? nearestTo(text) : undefined;
  return { ...found, matches, ...(nearest === undefined ? {} : { nearest }) };
}
