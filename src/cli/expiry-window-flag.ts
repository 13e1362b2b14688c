import { Flags } from '@oclif/core';
import { parseGoDuration } from '../facts/duration.ts';

const day = 24 * 60 * 60 * 1000;
const units: Readonly<Record<string, number>> = { d: day, w: 7 * day, y: 365 * day };

/** A flag that takes days, weeks or years (`30d`, `2w`, `1y`) or a Go duration, and yields milliseconds. */
export const expiryWindow = Flags.custom<number>({
  helpValue: '30d',
  parse: async (text) => {
    const [, amount, unit = ''] = /^(\d+)([dwy])$/.exec(text) ?? [];
    const value = amount === undefined ? parseGoDuration(text) : Number(amount) * (units[unit] ?? 0);
    if (value === undefined || value <= 0 || !Number.isSafeInteger(Math.round(value))) {
      throw new Error(`"${text}" is not a length of time; give a number with a unit: 30d, 2w, 12h`);
    }
    return value;
  },
});
