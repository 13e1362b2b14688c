const bars = '▁▂▃▄▅▆▇█';
/** Where the locale has no blocks. */
const plainBars = '_.:-=+*#';

/** Counts as one line of bars; a count that is not zero never looks like zero. */
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

/** Adds neighbours up until there are at most so many. */
export function fewer(counts: readonly number[], most: number): readonly number[] {
  const width = Math.max(1, Math.ceil(counts.length / Math.max(1, most)));
  return Array.from({ length: Math.ceil(counts.length / width) }, (_, index) =>
    counts.slice(index * width, (index + 1) * width).reduce((sum, count) => sum + count, 0),
  );
}
