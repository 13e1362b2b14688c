import { serverHost } from '../../apiserver/routing/server-host.ts';
import { behaves } from '../../apiserver/server-version.ts';
import { type Callout, isReviewed } from '../../facts/callout.ts';
import type { ProbeConnection, ProxyResponse, ReplicaProbe } from '../../facts/probes.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import { directPeer, forwardedPeer, type Peer } from './connection/peer.ts';
import {
  decisiveTimeout,
  hasTimedOut,
  longestTimeout,
  probePeerOnce,
  resultFor,
} from './connection/shared-connections.ts';
import { connectionKey, type Planned } from './plan.ts';
import { againTo, hasNoResponse, isClosed } from './proxy/probe-through-proxy.ts';
import type { ProxyGet } from './proxy/proxy-gets.ts';
import { isUnread, orCutOff, type ProbeRun } from './run.ts';
import type { ReplicaTarget } from './targets.ts';

const forwardRule = (namespace: string, version: string | undefined): AllowRule => ({
  apiGroups: [''],
  resources: ['pods/portforward'],
  verbs: behaves(version, 'port-forward-create') ? ['get', 'create'] : ['get'],
  namespace,
});

const unanswered = (connection: ProbeConnection): ProbeConnection => ({
  ...connection,
  failure: { stage: 'http', kind: 'timed-out', text: 'no response to a GET', milliseconds: decisiveTimeout },
});
const closed = (connection: ProbeConnection): ProbeConnection => ({
  ...connection,
  failure: { stage: 'http', kind: 'closed', text: 'EOF', milliseconds: 0 },
});

/**
 * A port-forward needs a Pod, the API server's proxies forward only to addresses of Pods
 * (pkg/registry/core/service/storage isValidAddress), and this address may belong to another machine in the
 * local network.
 */
const podless =
  "no Pod has this address, so neither a port-forward nor the API server's proxies can reach it";

/** A Pod to probe, and the ways to connect to it. */
interface Replica {
  readonly target: ReplicaTarget & { readonly pod: string };
  readonly callout: Callout;
  readonly asks: boolean;
  readonly key: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly forwarded: Peer;
  readonly straight: Peer;
}

/** Probes one replica: by port-forward, the API server's proxy to the Pod, and directly if useful. */
export async function probeReplica(
  run: ProbeRun,
  { callout, calloutPayload: { payload } }: Planned,
  target: ReplicaTarget,
  proxied: ProxyGet,
): Promise<ReplicaProbe> {
  const { namespace, pod, port, endpoint, ready } = target;
  const base = { ...(pod === undefined ? {} : { pod }), port, endpoint, ready };
  if (pod === undefined) {
    return { ...base, dialogues: [], notTried: [{ what: endpoint, why: 'not-requested', detail: podless }] };
  }
  const serverName = serverHost(callout) ?? '';
  const key = connectionKey(target, serverName);
  return {
    ...base,
    ...(await probeWays(
      run,
      {
        target: { ...target, pod },
        callout,
        asks: payload.reviews.length > 0,
        key,
        timeout: longestTimeout(run, key),
        forwarded: forwardedPeer(run.prober, { namespace, pod, port }, serverName),
        straight: directPeer(target.address, port, serverName),
      },
      proxied,
    )),
  };
}

async function probeWays(
  run: ProbeRun,
  replica: Replica,
  proxied: ProxyGet,
): Promise<Pick<ReplicaProbe, 'dialogues' | 'proxy' | 'notTried'>> {
  const { namespace, ready } = replica.target;
  const permission = { resource: 'pods/portforward', verb: 'get', namespace };
  const forwarded = probeForward(run, replica, permission);
  const [forward, proxyResponse] = await Promise.all([
    forwarded,
    proxied(replica.target, replica.timeout, forwarded),
  ]);
  const { outcome, part } = forward;
  for (const unread of part.notTried) run.refused.rememberIfNeeded(permission, unread);
  const proxyUnread = proxyResponse !== undefined && isUnread(proxyResponse);
  const extent = directExtent(run, 'connections' in outcome, proxyUnread);
  const direct = extent && (await probeDirectly(run, replica, extent));
  const connections = [...part.dialogues, ...(direct === undefined ? [] : [direct])];
  const proxy = await provenProxy(run, replica, proxyResponse, { connections, direct });
  // An APIService is called with a GET, as the proxy sends it. The handler of a webhook may fail without a review.
  const isMute = proxyResponse !== undefined && proxy === undefined && !isReviewed(replica.callout);
  const whenMute = proxyResponse !== undefined && isClosed(proxyResponse) ? closed : unanswered;
  // A direct connection shows everything that a port-forward would, and is closer to a call.
  const replaced = extent === 'whole' && direct?.handshake !== undefined;
  const notTried = replaced ? [] : part.notTried;
  for (const unread of notTried) run.refused.remember(permission, unread);
  // A Pod that does not run, or was deleted, does not accept a port-forward; its objects show that.
  if ('broken' in outcome && ready)
    for (const unread of notTried.filter(({ detail = '' }) => !/not found$/.test(detail)))
      run.refused.broke(permission, unread);
  return {
    dialogues: isMute ? connections.map(whenMute) : connections,
    ...(proxy === undefined || isUnread(proxy) ? {} : { proxy }),
    notTried: [...notTried, ...(proxy !== undefined && isUnread(proxy) ? [proxy] : [])],
  };
}

async function probeForward(
  run: ProbeRun,
  replica: Replica,
  permission: Parameters<ProbeRun['refused']['known']>[0],
) {
  const { target, callout, key, forwarded, asks } = replica;
  const { namespace, pod } = target;
  const what = `port-forward to Pod ${namespace}/${pod}`;
  const outcome =
    run.refused.known(permission) ?? (await orCutOff(run, what, () => probePeerOnce(run, key, forwarded)));
  const allow = forwardRule(namespace, run.facts.version);
  return { outcome, part: resultFor(run, outcome, callout, { what, asks, allow }) };
}

/**
 * The extent of a direct connection: `whole` replaces a port-forward that failed; `handshake` supplements one
 * that succeeded, if the proxy does not show whether the address is reachable.
 */
type DirectExtent = 'whole' | 'handshake';

/** The useful extent of a direct connection; undefined: it would add or prove nothing. */
function directExtent(run: ProbeRun, forwarded: boolean, proxyUnread: boolean): DirectExtent | undefined {
  if (run.prober.amongPods !== true || run.signal.aborted) return undefined;
  if (!forwarded) return 'whole';
  return proxyUnread ? 'handshake' : undefined;
}

/**
 * Connects to the Pod's own address: through the Pod network, without kubelet and API server. Only if this
 * program runs in a Pod of the cluster: elsewhere the same address may belong to another machine.
 */
async function probeDirectly(
  run: ProbeRun,
  { target, callout, straight, key }: Replica,
  extent: DirectExtent,
): Promise<ProbeConnection | undefined> {
  const what = `a connection to ${target.endpoint}`;
  const outcome = await orCutOff(run, what, () => probePeerOnce(run, key, straight, extent));
  const allow = { apiGroups: [], resources: [], verbs: [] };
  return resultFor(run, outcome, callout, { what, asks: false, allow }).dialogues[0];
}

/**
 * Returns the response through the API server's proxy. If it has none, this is confirmed by another
 * connection on which the Pod responds.
 */
async function provenProxy(
  run: ProbeRun,
  { target, straight, forwarded, timeout }: Replica,
  response: ProxyResponse | Unread | undefined,
  {
    connections,
    direct,
  }: { readonly connections: readonly ProbeConnection[]; readonly direct: ProbeConnection | undefined },
): Promise<ProxyResponse | Unread | undefined> {
  const responding = connections.find(
    (connection) => connection.handshake !== undefined && !hasTimedOut(connection),
  );
  if (response === undefined || !hasNoResponse(response) || responding === undefined) return response;
  return againTo(run, responding === direct ? straight : forwarded, target, timeout);
}
