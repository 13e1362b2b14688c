import { setTimeout as sleep } from 'node:timers/promises';
import { complete, type Lookup, nothingRead } from '../../facts/lookup.ts';
import { type MetricsReading, type ServerMetrics, sameProcess } from '../../facts/metrics.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import type { MetricsPlan } from '../metrics-plan.ts';
import { countWebhooks } from './count-webhooks.ts';

const path = '/metrics';

/** What {@link collectMetrics} needs. */
export const metricsRights: readonly Right[] = [
  {
    group: '',
    resource: path,
    verbs: ['get'],
    scope: 'cluster',
    use: 'what the API server counted: callouts that are named, --deep, --sample',
  },
];

async function readOnce(read: Attempts, extra: boolean): Promise<Reading<MetricsReading>> {
  const counts = countWebhooks();
  const reading = await read.lines(path, counts.take, { what: 'metrics of the API server', extra });
  return isRead(reading) ? { value: counts.reading(new Date().toISOString()) } : reading;
}

/** Behind a load balancer two readings may come from two instances: then it is asked again, a few times. */
const tries = 4;

/**
 * What the API server counted, under the key `server`: one reading, or two of the same process. Who asked for rates is
 * told when they cannot be had; for everybody else the counts are an extra, and a refusal is not held against the run.
 */
export async function collectMetrics(
  read: Attempts,
  server: string,
  { sample }: MetricsPlan,
): Promise<Lookup<ServerMetrics>> {
  const extra = sample === undefined;
  const first = await readOnce(read, extra);
  if (!isRead(first)) return nothingRead(first.unread);
  if (sample === undefined) return complete([['server', { ...first.value, server }]]);
  await sleep(sample);
  let latest = first.value;
  for (let count = 0; count < tries; count += 1) {
    const again = await readOnce(read, extra);
    if (!isRead(again)) break;
    latest = again.value;
    if (sameProcess(first.value, latest))
      return complete([['server', { ...latest, server, before: first.value }]]);
  }
  return complete([['server', { ...latest, server }]]);
}
