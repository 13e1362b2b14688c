import { nextNeedle } from './needles.ts';

/** A line longer than this is handed out in the pieces that hold a needle: nobody writes such a line whole. */
const longestLine = 8 * 1024 * 1024;

const lineFeed = 0x0a;

/**
 * Hands out the lines that hold a needle, from bytes that arrive in pieces; all others are never made into text. Holds
 * one piece and the line that it broke off in.
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
      // The stream may use the piece's memory again.
      begun.push(Buffer.from(rest));
      length += rest.length;
      if (length > longestLine) finish();
    },
    end: finish,
  };
}
