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
export function findObjects(
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
