import type { AggregatedApiCallout } from '../../facts/callout.ts';
import type { AggregatedDiscovery } from '../../facts/probes.ts';
import type { Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { statusOf } from '../status.ts';
import { connectionUnread } from './unread.ts';

/** Sends one GET for an APIService's group and version, through the aggregator. */
export async function requestDiscovery(
  prober: ClusterProber,
  { group, version, timeoutSeconds }: AggregatedApiCallout,
  signal: AbortSignal,
): Promise<AggregatedDiscovery | Unread> {
  const path = `/apis/${group}/${version}`;
  const started = performance.now();
  const late = AbortSignal.timeout(timeoutSeconds * 1000 + 1000);
  try {
    const answer = await prober.get(path, AbortSignal.any([signal, late]));
    const ok = answer.status >= 200 && answer.status < 300;
    const message = statusOf(answer)?.message ?? Buffer.from(answer.body).toString('utf8', 0, 2048).trim();
    return { status: answer.status, message: ok ? '' : message, milliseconds: performance.now() - started };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) return { status: 0, message: '', milliseconds: performance.now() - started };
    return connectionUnread(`GET ${path}`, error, { apiGroups: [group], resources: ['*'], verbs: ['get'] });
  }
}
