const millisecondsPer: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration such as `1m30s`; undefined if it is invalid. Source: time.ParseDuration. */
export function parseGoDuration(text: string): number | undefined {
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g))
    total += Number(amount) * (millisecondsPer[unit ?? ''] ?? 0);
  return total;
}
