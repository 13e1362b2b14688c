import { derive } from '../../basics/derive.ts';
import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { knownPods, replicaPods } from '../../facts/workloads/replicas.ts';
import { allPods, listed, namedList } from '../../phrases/lists.ts';
import type { FailedCallResult } from './call-result.ts';
import { type ProbeFacts, probeFacts, probesAt } from './probed-callouts.ts';
import { type ProbedEndpoint, probedServers } from './probed-servers.ts';

const callResults = derive([...probeFacts, 'takenAt'], (facts: ProbeFacts, callout: Callout) =>
  probedServers(callout, facts),
);

/** Every probed server of a callout, with the result of a call. Throws NotKnown if it was not probed. */
export function probedEndpoints(callout: Callout, facts: ProbeFacts): readonly ProbedEndpoint[] {
  probesAt(callout, facts);
  return callResults(facts, callout);
}

/** The probed servers that the next call can reach. */
export const usableEndpoints = (callout: Callout, facts: ProbeFacts): readonly ProbedEndpoint[] =>
  probedEndpoints(callout, facts).filter(({ usable }) => usable);

/** A server that calls fail at. */
export interface FailedEndpoint extends ProbedEndpoint {
  readonly callResult: FailedCallResult;
}

/** True if the API server's call to this server fails; false also if probes do not decide. */
export const hasFailed = (endpoint: ProbedEndpoint): endpoint is FailedEndpoint =>
  endpoint.callResult.outcome === 'fails';

/** True if all of these servers fail for reviews as of the probe only: other requests pass. */
export const failsPartly = (failed: readonly FailedEndpoint[]): boolean =>
  failed.length > 0 && failed.every(({ callResult }) => callResult.partly !== undefined);

/** The same for all servers of a callout, each of which fails; false if it was not probed. */
export function callsFailPartly(callout: Callout, facts: ProbeFacts): boolean {
  if (!facts.probes.known(calloutId(callout))) return false;
  const usable = usableEndpoints(callout, facts);
  const failed = usable.filter(hasFailed);
  return failed.length === usable.length && failsPartly(failed);
}

const nameOf = ({ pod, name }: ProbedEndpoint): string => pod ?? name;

/** The names of all known Pods and addresses of a callout, also of Pods that were not probed or have no address. */
export const serverNames = (callout: Callout, facts: ProbeFacts): ReadonlySet<string> =>
  new Set([
    ...probedEndpoints(callout, facts).map(nameOf),
    ...replicaPods(knownPods(callout, facts)).map(({ metadata }) => metadata.name),
  ]);

/**
 * `Pod a`, `Pods a and b`, `Pods a, b and 3 more`; addresses and URLs as they are. `all 3 Pods` if these are all
 * of them.
 */
export function namesText(
  endpoints: readonly ProbedEndpoint[],
  all: ReadonlySet<string> = new Set(),
): string {
  const names = [...new Set(endpoints.map(nameOf))];
  if (endpoints.some(({ pod }) => pod === undefined)) return listed(names, { most: 2 });
  return names.length > 1 && names.length === all.size ? allPods(names.length) : namedList('Pod', names, 2);
}

/** Evidence about a probed server: the Pod if there is one, else the Service or the URL. */
export function probedEndpointEvidence(
  callout: Callout,
  { pod, name, probe }: ProbedEndpoint,
  value: string,
): Evidence {
  if (!isServiceBacked(callout))
    return { object: callout.ref, field: 'clientConfig.url', value: `${name}: ${value}` };
  const { namespace, name: service } = callout.client.service;
  const field = probe === undefined ? {} : { field: `port ${probe.port}` };
  if (pod !== undefined) return { object: { kind: 'Pod', namespace, name: pod }, ...field, value };
  return { object: { kind: 'Service', namespace, name: service }, value: `${name}: ${value}` };
}
