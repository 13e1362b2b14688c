import { Flags } from '@oclif/core';
import { parseGoDuration } from '../facts/duration.ts';

/** A flag that takes a Go duration (`90s`, `1m30s`) or whole seconds, and yields milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => {
    const value = /^\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
    if (value === undefined || value <= 0 || value > 2 ** 31 - 1) {
      throw new Error(`"${text}" is not a length of time; give a number with a unit: 30s, 2m, 1m30s`);
    }
    return value;
  },
});
