import { limits } from '../facts/limits.ts';

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
export function findLines(each: (line: string) => void): {
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
