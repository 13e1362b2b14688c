/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const sample = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})?\s+(?<value>[^\s{}]+)(?:\s+-?\d+)?\s*$/;
const label = /(?<name>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\.)*)"\s*,?\s*/gy;
const escapes: Readonly<Record<string, string>> = { n: '\n' };

function labelsOf(text: string): Record<string, string> | undefined {
  const labels: [string, string][] = [];
  let end = 0;
  for (const match of text.matchAll(label)) {
    const { name = '', value = '' } = match.groups ?? {};
    labels.push([name, value.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped)]);
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === '' ? Object.fromEntries(labels) : undefined;
}

/**
 * Parses a line of the text format 0.0.4; undefined for comments and for lines that are not valid samples.
 */
export function parseMetricLine(line: string): Sample | undefined {
  const groups = sample.exec(line)?.groups;
  if (groups?.name === undefined || groups.value === undefined) return undefined;
  const labels = labelsOf(groups.labels ?? '');
  const value = Number(groups.value.replace(/^([+-]?)Inf$/, '$1Infinity'));
  return labels === undefined || Number.isNaN(value) ? undefined : { name: groups.name, labels, value };
}
