/** An object larger than this is let go: an event is a few kilobytes. */
const largest = 4 * 1024 * 1024;

const open = 0x7b;
const close = 0x7d;
const bracket = 0x5b;
const endBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Hands out the items of JSON lists (`kubectl get events -o json`, whatever its layout), each as text, from bytes that
 * arrive in pieces; documents that are no list are handed out whole. `lost` is told of what is too large or cut.
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
  /** Where in the present piece the present object begins; -1: in none. */
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
