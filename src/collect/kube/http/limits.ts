import { limits } from '../../../basics/limits.ts';

/** A limit was exceeded. The message is a predicate of the list: `holds more than 200000 objects`. */
export class LimitExceeded extends Error {}

/** One response exceeded the limit: smaller pages may avoid it. */
export class ResponseLimitExceeded extends LimitExceeded {}

/** The size in bytes above which values are counted: smaller responses cannot contain too many. */
const countedBytes = 4 * 1024 * 1024;

/**
 * Counts the values in JSON; 0 for small bodies. Throws {@link ResponseLimitExceeded} if they would need much
 * more memory than the text.
 */
export function checkShape(json: Buffer, before = 0): number {
  if (json.length + before < countedBytes) return 0;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === 0x22) {
      for (at += 1; at < json.length && json[at] !== 0x22; at += 1) if (json[at] === 0x5c) at += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > limits.depth)
        throw new ResponseLimitExceeded(`is nested deeper than ${limits.depth} levels`);
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x2c) values += 1;
    if (values > limits.values) throw new ResponseLimitExceeded(`holds more than ${limits.values} values`);
  }
  return values;
}
