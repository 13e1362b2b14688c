const mebibyte = 1024 * 1024;

/**
 * What is taken of an API server, at most: whoever answers in its place must not be able to fill this machine's memory.
 * Behind a limit a read ends, as one that failed, and says which limit that was. The table of docs/security.md is this one.
 */
export const limits = {
  /** Bytes of one answer, as it comes and unpacked. */
  answer: 64 * mebibyte,
  /** Bytes as they come, of all answers that are under way. */
  underWay: 128 * mebibyte,
  /** Bytes of an answer that is no success: the rest is not read. */
  error: mebibyte,
  /** Bytes, unpacked, of an answer that is read line by line. */
  lines: 512 * mebibyte,
  /** Values in one answer, and how deep they may be nested. */
  values: 4_000_000,
  depth: 1000,
  /** Of one list: objects, bytes and pages. */
  objects: 200_000,
  list: 256 * mebibyte,
  pages: 5000,
  /** Bytes of a kubeconfig. */
  kubeconfig: 16 * mebibyte,
} as const;

/** A limit was met. The message says what the list did: `holds more than 200000 objects`. */
export class LimitMet extends Error {}

/** One answer met it: asking for less at a time may help. */
export class AnswerLimitMet extends LimitMet {}

/** `is larger than 64 MiB`. */
export const largerThan = (bytes: number): string => `is larger than ${bytes / mebibyte} MiB`;

/** From how many bytes on values are counted: smaller answers do not hold too many. */
const counted = 4 * mebibyte;

/** Throws {@link AnswerLimitMet} for JSON that would take much more memory than its text. */
export function checkShape(json: Buffer): void {
  if (json.length < counted) return;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === 0x22) {
      for (at += 1; at < json.length && json[at] !== 0x22; at += 1) if (json[at] === 0x5c) at += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > limits.depth) throw new AnswerLimitMet(`is nested deeper than ${limits.depth} levels`);
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x2c) values += 1;
    if (values > limits.values) throw new AnswerLimitMet(`holds more than ${limits.values} values`);
  }
}
