/** One value of a metric: its labels, and what follows its name (`_total`, `_bucket`). */
export interface MetricValue {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly value: number;
  readonly suffix?: string;
}

/** A metric with all of its values. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram' | 'info';
  readonly help: string;
  readonly samples: readonly MetricValue[];
}

/** https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const escaped = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));

const labelsText = (labels: NonNullable<MetricValue['labels']>): string => {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  );
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
};

/** The text that Prometheus reads. A metric without a value is left out. */
export function openMetricsText(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => {
    if (samples.length === 0) return [];
    const usual = { counter: '_total', info: '_info', gauge: '', histogram: '' }[type];
    return [
      `# TYPE ${name} ${type}`,
      `# HELP ${name} ${escaped(help)}`,
      ...samples.map(
        ({ labels = {}, value, suffix = usual }) => `${name}${suffix}${labelsText(labels)} ${value}`,
      ),
    ];
  });
  return `${[...lines, '# EOF'].join('\n')}\n`;
}
