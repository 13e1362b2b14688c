import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { CalloutProbes, Dialogue, ReplicaProbe } from '../../facts/probes.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { likelyMode } from '../routing/backends.ts';
import type { BackendEndpoint } from '../routing/endpoints.ts';
import { hostPort } from '../routing/host-port.ts';
import { type DialTarget, meantPortOf, routeTo } from '../routing/route.ts';
import { type CallContext, failedResponseBehind, meetReplica, meetUrl } from './meet.ts';
import type { FailedMeeting, Meeting } from './meeting.ts';
import { callErrorText } from './own-call.ts';

/** What tells how a new connection of the API server would fare. */
export type ConnectionFacts = World<'version'> & Partial<Pick<Facts, 'probes' | 'clock'>>;

/** What was tried at a callout; undefined where nothing was. */
export function probesOf(
  callout: Callout,
  { probes }: Pick<ConnectionFacts, 'probes'>,
): CalloutProbes | undefined {
  const id = calloutId(callout);
  return probes?.getIfKnown(id);
}

/** Milliseconds by which the API server's clock is ahead of ours; its header has whole seconds only. */
export function clockSkewMilliseconds({ clock }: Pick<ConnectionFacts, 'clock'>): number {
  const skew = clock === undefined ? 0 : Date.parse(clock.server) - Date.parse(clock.here);
  return Math.abs(skew) < 2000 || Number.isNaN(skew) ? 0 : skew;
}

/** The moment of the snapshot by the API server's clock; RFC 3339. */
export const serverTime = (facts: Pick<ConnectionFacts, 'clock' | 'takenAt'>): string =>
  new Date(Date.parse(facts.takenAt) + clockSkewMilliseconds(facts)).toISOString();

const endpointText = ({ address, port }: BackendEndpoint): string => hostPort(address, port);

/** The probe of the replica behind an endpoint. */
const probeOf = (endpoint: BackendEndpoint, probes: CalloutProbes): ReplicaProbe | undefined =>
  probes.replicas.find((probe) => probe.endpoint === endpointText(endpoint)) ??
  probes.replicas.find(
    ({ pod, port, endpoint: at }) =>
      at === undefined && pod !== undefined && pod === endpoint.pod?.name && port === endpoint.port,
  );

/** Asked, and not to the end: the time was over, the run was interrupted, or a backend sent more than is taken. */
export const isEndedEarly = ({ why, what }: Unread): boolean =>
  why === 'timeout' || (why === 'too-large' && typeof what === 'string');

/** Why nobody was asked to the end. */
export const endedEarly = (
  dialogues: readonly Dialogue[],
  notTried: readonly Unread[],
): Unread | undefined =>
  dialogues.some(({ cutShort }) => !cutShort && !notTried.some(({ why }) => why === 'too-large'))
    ? undefined
    : notTried.find(isEndedEarly);

/** The same for the replica behind an endpoint. */
export function endedEarlyAt(
  callout: Callout,
  endpoint: BackendEndpoint,
  facts: ConnectionFacts,
): Unread | undefined {
  const probes = probesOf(callout, facts);
  const probe = probes && probeOf(endpoint, probes);
  return probe && endedEarly(probe.dialogues, probe.notTried);
}

/** Who would call, and under which address. */
function callerOf(callout: Callout, { serverName }: CalloutProbes, facts: ConnectionFacts): CallContext {
  const { version } = facts;
  return { callout, ...(version === undefined ? {} : { version }), at: serverTime(facts), serverName };
}

/** What a new connection to one endpoint of the route comes to; `undecided` also where nothing was tried. */
export function meetEndpoint(
  callout: Callout,
  endpoint: BackendEndpoint,
  route: Pick<DialTarget, 'via' | 'address'>,
  facts: ConnectionFacts,
): Meeting {
  const probes = probesOf(callout, facts);
  const probe = probes && probeOf(endpoint, probes);
  if (probes === undefined || probe === undefined) return { outcome: 'undecided' };
  const address = route.via === 'endpoint' ? endpointText(endpoint) : route.address;
  const met = meetReplica(probe, { ...callerOf(callout, probes, facts), address });
  return inOwnWords(met, probes);
}

/**
 * Where only the beginning of the API server's words is known, what it said of its own call a moment ago is how they go
 * on. A patch that makes another kind of the object ends in one of two ways: that kind is known, or it is not.
 */
function inOwnWords(meeting: Meeting, { dryRun, notTried }: CalloutProbes): Meeting {
  if (meeting.outcome !== 'fails' || meeting.sentence !== undefined) return meeting;
  // Of words that name no webhook a dry run alone cannot tell whose they are.
  const message = dryRun?.message ?? notTried.find(({ why }) => why === 'server-error')?.detail;
  const { answer } = meeting;
  if (message === undefined || answer === undefined || !('text' in answer) || answer.complete) return meeting;
  const said = callErrorText(message);
  const otherKind =
    answer.outcome === 'api-server-error' && /^converting \(\S+\) to \(\S+\): unknown conversion$/.test(said);
  const goesOn = said.startsWith(callErrorText(answer.text)) || otherKind;
  return goesOn ? { ...meeting, said, sentence: said } : meeting;
}

/** One server that was probed, and what a call that meets it comes to. */
export interface ProbedEndpoint {
  /** `Pod policy-1`, an address, or a URL. */
  readonly name: string;
  /** Name of the Pod, where it is one. */
  readonly pod?: string;
  /** Whether the next call can meet it, or could if it named the port of the Service. */
  readonly usable: boolean;
  readonly meeting: Meeting;
  /** How the process responds wrongly to whoever gets through, although a call does not. */
  readonly behind?: FailedMeeting;
  /** Absent for a URL. */
  readonly probe?: ReplicaProbe;
}

const nameOf = ({ pod, endpoint, port }: ReplicaProbe): string =>
  pod === undefined ? (endpoint ?? `port ${port}`) : `Pod ${pod}`;

/**
 * Everything that was probed behind a callout, each with what a call that meets it comes to. Throws NotKnown when the
 * Service or its slices could not be read, though something was probed.
 */
export function observed(
  callout: Callout,
  facts: ConnectionFacts & Pick<Facts, 'services' | 'endpointSlices' | 'routing'>,
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
            meeting: inOwnWords(meetUrl(url, caller), probes),
          },
        ];
  }
  const key = keyOf(callout.client.service);
  const service = facts.services.get(key);
  const slices = service === undefined ? [] : (facts.endpointSlices.get(key) ?? []);
  const reference = callout.client.service;
  const { port = reference.port } = (service && meantPortOf(service, reference.port)) ?? {};
  const route = routeTo({ ...reference, port }, service, slices, likelyMode(facts), facts.version);
  const usable = route.kind === 'dials' ? route.endpoints : [];
  return probes.replicas.map((probe): ProbedEndpoint => {
    const endpoint = usable.find((one) => probeOf(one, probes) === probe);
    const own = probe.endpoint === undefined ? {} : { address: probe.endpoint };
    const dialled = route.kind === 'dials' && route.via === 'cluster-ip' ? { address: route.address } : own;
    const meeting = inOwnWords(meetReplica(probe, { ...caller, ...dialled }), probes);
    const isUsable = endpoint !== undefined;
    const isMet = isUsable && meeting.outcome !== 'fails';
    const next = isMet ? undefined : failedResponseBehind(probe, caller);
    const isSame = isUsable && meeting.outcome === 'fails' && meeting.fault === next?.fault;
    const behind = isSame ? undefined : next;
    return {
      name: nameOf(probe),
      ...(probe.pod === undefined ? {} : { pod: probe.pod }),
      usable: isUsable,
      meeting,
      ...(behind === undefined ? {} : { behind }),
      probe,
    };
  });
}
