import { limits } from '../basics/limits.ts';

/** Finds records in bytes that come in pieces. */
export interface Finder {
  readonly take: (piece: Buffer) => void;
  readonly end: () => void;
}

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
export function findObjects(each: (text: string) => void, lost: () => void): Finder {
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
export function findLines(each: (line: string) => void): Finder {
  let pieces: Buffer[] = [];
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
    if (length > 0) search(Buffer.concat(pieces));
    pieces = [];
    length = 0;
  };
  return {
    take(piece) {
      const last = piece.lastIndexOf(lineFeed);
      if (last >= 0) {
        const first = length === 0 ? 0 : piece.indexOf(lineFeed) + 1;
        if (length > 0) {
          pieces.push(piece.subarray(0, first));
          finish();
        }
        search(piece.subarray(first, last + 1));
      }
      const rest = piece.subarray(last + 1);
      if (rest.length === 0) return;
      // The stream may reuse the chunk's memory.
      pieces.push(Buffer.from(rest));
      length += rest.length;
      if (length > limits.logLine) finish();
    },
    end: finish,
  };
}
