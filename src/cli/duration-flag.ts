import { Flags } from '@oclif/core';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a Go duration (`90s`, `1m30s`, `500ms`) or of whole seconds; undefined when it is neither. */
export function milliseconds(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0),
    0,
  );
}

/** A flag that takes a duration and yields milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => {
    const value = milliseconds(text);
    if (value === undefined || value <= 0)
      throw new Error(`"${text}" is no duration; write it like 30s, 2m or 1m30s`);
    return value;
  },
});
