import { setTimeout as sleep } from 'node:timers/promises';
import { complete, type Lookup, nothingRead } from '../../../facts/lookup.ts';
import {
  type MetricsReading,
  type ServerMetrics,
  type ServerReading,
  sameProcess,
} from '../../../facts/metrics.ts';
import { isReadyEndpoint } from '../../../facts/objects/endpoint-slice.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { type Attempts, isRead, type Reading } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';
import { countWebhooks } from './count-webhooks.ts';

const path = '/metrics';

/** A control plane usually has three, five or seven API servers. */
const most = 16;

/**
 * Returns `address:port` of the cluster's API servers, from the EndpointSlices of the Service
 * default/kubernetes, which the API servers maintain themselves; none if those could not be read. Excludes
 * the one that `server` names.
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
        .filter(isReadyEndpoint)
        .flatMap((endpoint) => endpoint.addresses)
        .flatMap((address) =>
          (ports ?? []).map(
            ({ port = 443 }) => `${addressType === 'IPv6' ? `[${address}]` : address}:${port}`,
          ),
        ),
    );
  const host = URL.canParse(server) ? new URL(server).host : undefined;
  return [...new Set(addresses)].filter((address) => address.replace(/:443$/, '') !== host).slice(0, most);
}

async function readOnce(
  lines: (take: (line: string) => void) => Promise<Reading<true>>,
): Promise<Reading<MetricsReading>> {
  const counts = countWebhooks();
  const reading = await lines(counts.take);
  return isRead(reading) ? { value: counts.reading(new Date().toISOString()) } : reading;
}

/** The metrics of another API server, or the reason why they could not be read. */
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

/** Removes duplicates of the API server at the kubeconfig's URL: it is identified by its start time. */
function together(own: ServerReading, others: readonly Other[]): ServerMetrics {
  // A server without a start time could be any of them.
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

/** Adds the earlier metrics of the same API server processes. */
const withBefore = (now: ServerMetrics, before: ServerMetrics): ServerMetrics => ({
  ...now,
  servers: now.servers.map((server) => {
    const earlier = before.servers.find((one) => sameProcess(one, server));
    return earlier === undefined ? server : { ...server, before: earlier };
  }),
});

/** The maximum number of attempts: two reads through a load balancer may reach two API servers. */
const tries = 4;

/**
 * Reads the metrics of the API servers, under the key `server`: once, or twice to compute rates. A forbidden
 * read is reported only if rates were requested.
 *
 * @param others `address:port` of the API servers other than the one at `server`
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

/** Collects the metrics of all API servers, under the key `server`: megabytes, so only on request. */
export const metrics = defineCollector({
  fact: 'metrics',
  needs: ['endpointSlices'],
  permissions: ({ metrics: wished }) =>
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
