const bars = '▁▂▃▄▅▆▇█';
/** Bars for a locale without block characters. */
const plainBars = '_.:-=+*#';

/** Counts as one line of bars; only a count of zero gets the empty bar. */
export function sparkline(counts: readonly number[], unicode: boolean): string {
  const most = Math.max(...counts, 0);
  const steps = unicode ? bars : plainBars;
  return counts
    .map((count) => {
      if (count <= 0) return unicode ? '·' : ' ';
      return steps[Math.min(steps.length - 1, Math.floor((count / most) * (steps.length - 1)))] ?? '';
    })
    .join('');
}

/** Adds adjacent counts until at most `most` remain. */
export function fewer(counts: readonly number[], most: number): readonly number[] {
  const width = Math.max(1, Math.ceil(counts.length / Math.max(1, most)));
  return Array.from({ length: Math.ceil(counts.length / width) }, (_, index) =>
    counts.slice(index * width, (index + 1) * width).reduce((sum, count) => sum + count, 0),
  );
}
