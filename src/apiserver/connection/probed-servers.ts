import { defined } from '../../basics/collections.ts';
import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { CalloutProbes, ProbeConnection, ReplicaProbe } from '../../facts/probes.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { likelyMode } from '../routing/backends.ts';
import type { BackendEndpoint } from '../routing/endpoints.ts';
import { hostPort } from '../routing/host-port.ts';
import { remainingEndpoints } from '../routing/removed-endpoints.ts';
import { type DialTarget, meantPortOf, routeTo } from '../routing/route.ts';
import type { CallResult, FailedCallResult } from './call-result.ts';
import { callErrorText, ownCallEnd } from './own-call.ts';
import {
  type CallContext,
  callResultAtReplica,
  failedResponseBehind,
  resultOfConnection,
} from './predict-call-result.ts';

/** Facts that decide the result of a new connection of the API server. */
export type ConnectionFacts = World<'version'> & Partial<Pick<Facts, 'probes' | 'clock'>>;

/** The probes of a callout; undefined if there are none. */
export function probesOf(
  callout: Callout,
  { probes }: Pick<ConnectionFacts, 'probes'>,
): CalloutProbes | undefined {
  const id = calloutId(callout);
  return probes?.getIfKnown(id);
}

/** Milliseconds by which the API server's clock is ahead of this computer; in whole seconds only. */
export function clockSkewMilliseconds({ clock }: Pick<ConnectionFacts, 'clock'>): number {
  const skew = clock === undefined ? 0 : Date.parse(clock.server) - Date.parse(clock.here);
  return Math.abs(skew) < 2000 || Number.isNaN(skew) ? 0 : skew;
}

/** The time of the snapshot on the API server's clock; RFC 3339. */
export const serverTime = (facts: Pick<ConnectionFacts, 'clock' | 'takenAt'>): string =>
  new Date(Date.parse(facts.takenAt) + clockSkewMilliseconds(facts)).toISOString();

const endpointText = ({ address, port }: BackendEndpoint): string => hostPort(address, port);

const probeOf = (endpoint: BackendEndpoint, probes: CalloutProbes): ReplicaProbe | undefined =>
  probes.replicas.find((probe) => probe.endpoint === endpointText(endpoint)) ??
  probes.replicas.find(
    ({ pod, port, endpoint: at }) =>
      at === undefined && pod !== undefined && pod === endpoint.pod?.name && port === endpoint.port,
  );

/** True if a probe started and did not end: timeout, interrupted run, or a response above the limit. */
export const isEndedEarly = ({ why, what }: Unread): boolean =>
  why === 'timeout' || (why === 'too-large' && typeof what === 'string');

/** The reason why none of these probes ended; undefined if one did. */
export const endedEarly = (
  connections: readonly ProbeConnection[],
  notTried: readonly Unread[],
): Unread | undefined =>
  connections.some(({ cutShort }) => !cutShort && !notTried.some(({ why }) => why === 'too-large'))
    ? undefined
    : notTried.find(isEndedEarly);

/** The reason why no probe of the replica of an endpoint ended. */
export function endedEarlyAt(
  callout: Callout,
  endpoint: BackendEndpoint,
  facts: ConnectionFacts,
): Unread | undefined {
  const probes = probesOf(callout, facts);
  const probe = probes && probeOf(endpoint, probes);
  return probe && endedEarly(probe.dialogues, probe.notTried);
}

function callerOf(callout: Callout, probes: CalloutProbes, facts: ConnectionFacts): CallContext {
  const { version } = facts;
  // An object that is stored in an older version is read in it without a conversion.
  const isConverted = callout.kind === 'conversion' && callout.storedVersions.length === 1;
  const readsConverted = isConverted && ownCallEnd(callout, probes).outcome === 'passes' ? true : undefined;
  return {
    callout,
    at: serverTime(facts),
    serverName: probes.serverName,
    ...defined({ version, readsConverted }),
  };
}

/** The result of a new connection to one endpoint of the route; `undecided` also if it was not probed. */
export function callResultAtEndpoint(
  callout: Callout,
  endpoint: BackendEndpoint,
  route: Pick<DialTarget, 'via' | 'address'>,
  facts: ConnectionFacts,
): CallResult {
  const probes = probesOf(callout, facts);
  const probe = probes && probeOf(endpoint, probes);
  if (probes === undefined || probe === undefined) return { outcome: 'undecided' };
  const address = route.via === 'endpoint' ? endpointText(endpoint) : route.address;
  const result = callResultAtReplica(probe, { ...callerOf(callout, probes, facts), address });
  return withOwnError(result, probes);
}

/**
 * Completes an error of which only the beginning is known with the error of the API server's own call in this
 * run. A patch that changes the kind of the object has one of two errors: the kind is known, or it is not.
 */
function withOwnError(callResult: CallResult, { dryRun, notTried }: CalloutProbes): CallResult {
  if (callResult.outcome !== 'fails' || callResult.sentence !== undefined) return callResult;
  // A dry run alone does not show the webhook of an error that names none.
  const message = dryRun?.message ?? notTried.find(({ why }) => why === 'server-error')?.detail;
  const { answer } = callResult;
  if (message === undefined || answer === undefined || !('text' in answer) || answer.complete)
    return callResult;
  const ownError = callErrorText(message);
  const otherKind =
    answer.outcome === 'api-server-error' &&
    /^converting \(\S+\) to \(\S+\): unknown conversion$/.test(ownError);
  const isSameError = ownError.startsWith(callErrorText(answer.text)) || otherKind;
  return isSameError ? { ...callResult, detail: ownError, sentence: ownError } : callResult;
}

/** One server that was probed, and the result of a call to it. */
export interface ProbedEndpoint {
  /** `Pod policy-1`, an address, or a URL. */
  readonly name: string;
  /** Name of the Pod, where it is one. */
  readonly pod?: string;
  /** The next call can reach it, or could with the right port of the Service. */
  readonly usable: boolean;
  readonly callResult: CallResult;
  /** The wrong response of the process to a probe, if calls fail before they get one. */
  readonly behind?: FailedCallResult;
  /** Absent for a URL. */
  readonly probe?: ReplicaProbe;
}

const nameOf = ({ pod, endpoint, port }: ReplicaProbe): string =>
  pod === undefined ? (endpoint ?? `port ${port}`) : `Pod ${pod}`;

/**
 * Every server of a callout that was probed, with the result of a call to it; without Pods that were deleted in the
 * meantime. Throws NotKnown if the Service or its EndpointSlices could not be read although servers were probed.
 */
export function probedServers(
  callout: Callout,
  facts: ConnectionFacts & Pick<Facts, 'services' | 'endpointSlices' | 'routing' | 'pods'>,
): readonly ProbedEndpoint[] {
  const probes = probesOf(callout, facts);
  if (probes === undefined) return [];
  const caller = callerOf(callout, probes, facts);
  if (!isServiceBacked(callout)) {
    const { url } = probes;
    return url === undefined
      ? []
      : [
          {
            name: callout.client.url ?? 'the URL',
            usable: true,
            callResult: withOwnError(resultOfConnection(url, caller), probes),
          },
        ];
  }
  const key = keyOf(callout.client.service);
  const service = facts.services.get(key);
  const slices = service === undefined ? [] : (facts.endpointSlices.get(key) ?? []);
  const reference = callout.client.service;
  const { port = reference.port } = (service && meantPortOf(service, reference.port)) ?? {};
  const route = routeTo(
    { reference: { ...reference, port }, service, slices },
    likelyMode(facts),
    facts.version,
  );
  const routed = route.kind === 'dials' ? route.endpoints : [];
  const usable = remainingEndpoints(routed, callout, facts, serverTime(facts));
  const removed = routed.filter((endpoint) => !usable.includes(endpoint)).map((one) => probeOf(one, probes));
  const remaining = probes.replicas.filter((probe) => !removed.includes(probe));
  return remaining.map((probe): ProbedEndpoint => {
    const endpoint = usable.find((one) => probeOf(one, probes) === probe);
    const own = probe.endpoint === undefined ? {} : { address: probe.endpoint };
    const dialled = route.kind === 'dials' && route.via === 'cluster-ip' ? { address: route.address } : own;
    const callResult = withOwnError(callResultAtReplica(probe, { ...caller, ...dialled }), probes);
    const isUsable = endpoint !== undefined;
    const responds = isUsable && callResult.outcome !== 'fails';
    const next = responds ? undefined : failedResponseBehind(probe, caller);
    const isSame = isUsable && callResult.outcome === 'fails' && callResult.fault === next?.fault;
    const behind = isSame ? undefined : next;
    return {
      name: nameOf(probe),
      ...(probe.pod === undefined ? {} : { pod: probe.pod }),
      usable: isUsable,
      callResult,
      ...(behind === undefined ? {} : { behind }),
      probe,
    };
  });
}
