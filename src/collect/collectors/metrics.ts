import { setTimeout as sleep } from 'node:timers/promises';
import { complete, type Lookup, nothingRead } from '../../facts/lookup.ts';
import {
  type MetricsReading,
  type ServerMetrics,
  type ServerReading,
  sameProcess,
} from '../../facts/metrics.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { defineCollector } from '../collector.ts';
import { countWebhooks } from './count-webhooks.ts';

const path = '/metrics';

/** A control plane has three, five or seven. */
const most = 16;

const withoutDefault = (host: string): string => host.replace(/:443$/, '');

/**
 * `address:port` of the cluster's API servers, from the EndpointSlices of the Service default/kubernetes, which they keep
 * themselves; none where those could not be read. The one that `server` names is left out.
 */
export function otherApiServers(
  { endpointSlices }: Pick<Facts, 'endpointSlices'>,
  server: string,
): readonly string[] {
  const slices = endpointSlices.getIfKnown('default/kubernetes') ?? [];
  const addresses = slices
    .filter(({ addressType }) => addressType !== 'FQDN')
    .flatMap(({ addressType, ports, endpoints }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap((endpoint) => endpoint.addresses)
        .flatMap((address) =>
          (ports ?? []).map(
            ({ port = 443 }) => `${addressType === 'IPv6' ? `[${address}]` : address}:${port}`,
          ),
        ),
    );
  const host = URL.canParse(server) ? new URL(server).host : undefined;
  return [...new Set(addresses)].filter((address) => withoutDefault(address) !== host).slice(0, most);
}

async function readOnce(
  lines: (take: (line: string) => void) => Promise<Reading<true>>,
): Promise<Reading<MetricsReading>> {
  const counts = countWebhooks();
  const reading = await lines(counts.take);
  return isRead(reading) ? { value: counts.reading(new Date().toISOString()) } : reading;
}

/** What another API server counted, or why nobody knows. */
interface Other {
  readonly server: string;
  readonly reading: Reading<MetricsReading>;
}

const readOthers = (read: Attempts, others: readonly string[]): Promise<readonly Other[]> =>
  Promise.all(
    others.map(async (address) => ({
      server: `https://${address}`,
      reading: await readOnce((take) => read.linesAt(address, path, take)),
    })),
  );

/** Each process once: which one the kubeconfig's URL leads to shows by when it started. */
function together(own: ServerReading, others: readonly Other[]): ServerMetrics {
  // Who does not tell when it started may be any of them.
  if (own.since === undefined) return { servers: [own], unread: [], missing: 0 };
  const servers = [own];
  const unread: { server: string; detail: string }[] = [];
  let ownAddress = false;
  for (const { server, reading } of others) {
    if (!isRead(reading)) unread.push({ server, detail: reading.unread.detail ?? reading.unread.why });
    else if (reading.value.since === undefined)
      unread.push({ server, detail: 'it does not report when it started (process_start_time_seconds)' });
    else if (sameProcess(own, reading.value)) ownAddress = true;
    else if (!servers.some((known) => sameProcess(known, reading.value)))
      servers.push({ ...reading.value, server });
  }
  return { servers, unread, missing: Math.max(0, unread.length - (ownAddress ? 0 : 1)) };
}

/** With what was read of the same processes before. */
const withBefore = (now: ServerMetrics, before: ServerMetrics): ServerMetrics => ({
  ...now,
  servers: now.servers.map((server) => {
    const earlier = before.servers.find((one) => sameProcess(one, server));
    return earlier === undefined ? server : { ...server, before: earlier };
  }),
});

/** Behind a load balancer two readings may come from two instances: then it is asked again, a few times. */
const tries = 4;

/**
 * What the API servers counted, under the key `server`: one reading of each, or two. Who asked for rates is told when they
 * cannot be had; for everybody else the counts are an extra, and a refusal is not held against the run.
 * @param others `address:port` of the API servers beside the one at `server`
 */
export async function collectMetrics(
  read: Attempts,
  server: string,
  { sample }: { readonly sample?: number },
  others: readonly string[] = [],
): Promise<Lookup<ServerMetrics>> {
  const extra = sample === undefined;
  const readOwn = () =>
    readOnce((take) => read.lines(path, take, { what: 'metrics of the API server', extra }));
  const [first, around] = await Promise.all([readOwn(), readOthers(read, others)]);
  if (!isRead(first)) return nothingRead(first.unread);
  const before = together({ ...first.value, server }, around);
  if (sample === undefined) return complete([['server', before]]);
  await sleep(sample);
  let latest = first.value;
  const again = readOthers(read, others);
  for (let count = 0; count < tries; count += 1) {
    const reading = await readOwn();
    if (!isRead(reading)) break;
    latest = reading.value;
    if (sameProcess(first.value, latest)) break;
  }
  const now = together({ ...latest, server }, await again);
  return complete([['server', withBefore(now, before)]]);
}

/** One count for all API servers, under the key `server`; megabytes, and only where somebody wishes them. */
export const metrics = defineCollector({
  fact: 'metrics',
  topics: ['failures'],
  needs: ['endpointSlices'],
  rights: ({ metrics: wished }) =>
    wished === undefined
      ? []
      : [
          {
            group: '',
            resource: path,
            verbs: ['get'],
            scope: 'cluster',
            use: 'metrics of the API server: for named webhooks, --deep, --sample',
          },
        ],
  otherwise: 'metrics of the API server',
  wants: (_facts, { metrics: wished }) => (wished === undefined ? [] : ['server']),
  read: (access, _keys, facts, { metrics: wished = {} }) =>
    collectMetrics(access, access.server, wished, otherApiServers(facts, access.server)),
});
