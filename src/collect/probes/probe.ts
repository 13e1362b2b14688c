import { setMaxListeners } from 'node:events';
import { mayPrecedeEndpoints, unavailableResponse } from '../../apiserver/aggregation/closed-api.ts';
import { dialErrorOf, ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { serverHost } from '../../apiserver/routing/server-host.ts';
import { groupBy } from '../../basics/collections.ts';
import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  calloutId,
  isUrlBacked,
} from '../../facts/callout.ts';
import { type Lookup, lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { AggregatedDiscovery, CalloutProbes } from '../../facts/probes.ts';
import { apiReadText, type Unread, unreadText } from '../../facts/unread.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import type { ClusterProber } from '../cluster.ts';
import { slots } from '../slots.ts';
import { statusOf } from '../status.ts';
import { dryRunOf, invalidAfter, planDryRun, sendDryRun } from './api-server/dry-run.ts';
import { repeatCalls } from './api-server/repeat-calls.ts';
import { probeStored } from './api-server/stored-read.ts';
import { directPeer } from './connection/peer.ts';
import { hasUnknownError, probePeerOnce, resultFor } from './connection/shared-connections.ts';
import type { CalloutPayload } from './payload.ts';
import { type Planned, payloadsByPeer, probePlan, urlKey } from './plan.ts';
import { probeReplica } from './probe-replica.ts';
import { orderedProxyGets } from './proxy/proxy-gets.ts';
import { probeRefusals } from './refusals.ts';
import { isUnread, orCutOff, type ProbePlan, type ProbePlanFacts, type ProbeRun } from './run.ts';
import { urlAddress } from './targets.ts';
import { connectionUnread, cutOff } from './unread.ts';

/** Sends a dry run for which the API server calls this webhook. */
async function probeDryRun(
  run: ProbeRun,
  callout: AdmissionCallout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'invalid' | 'notTried'>> {
  if (run.plan.level !== 'review') return { notTried: [] };
  const { facts, prober, signal } = run;
  const planned = planDryRun(callout, facts.callouts, facts, facts.version);
  if (isUnread(planned)) return { notTried: [planned] };
  const { verb } = planned.request;
  const { served, request } = planned.sample;
  const permission = { resource: served.resource, verb, dryRun: true, namespace: request.namespace } as const;
  const what = `a server-side dry run: ${apiReadText(permission)}`;
  const sent = await orCutOff(run, what, () =>
    run.dryRuns(planned.key, () =>
      run.slot(() => sendDryRun(prober, planned, callout.timeoutSeconds, signal)),
    ),
  );
  if (isUnread(sent)) return { notTried: [sent] };
  const outcome = dryRunOf(callout, facts, planned, sent);
  if (!isUnread(outcome)) {
    const again = async () =>
      dryRunOf(callout, facts, planned, await sendDryRun(prober, planned, callout.timeoutSeconds, signal));
    const repeated = await orCutOff(run, what, () =>
      run.slot(() => repeatCalls(run, callout, outcome, again)),
    );
    return { dryRun: isUnread(repeated) ? outcome : repeated, notTried: [] };
  }
  run.refused.remember(permission, outcome);
  const invalid = invalidAfter(callout, planned, sent);
  return { ...(invalid === undefined ? {} : { invalid }), notTried: [outcome] };
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Probes a URL directly from this machine. */
async function probeUrl(
  run: ProbeRun,
  callout: Callout,
  { payload }: CalloutPayload,
): Promise<Pick<CalloutProbes, 'url' | 'notTried'>> {
  const at = urlAddress(callout.client.url ?? '');
  const what = `a connection to ${callout.client.url ?? ''}`;
  const left = (detail: string) => ({ notTried: [{ what, why: 'not-requested' as const, detail }] });
  if (at === undefined) return left('it is not an https URL');
  if (loopback.test(at.host)) return left("it points to the API server's own machine, which is not this one");
  const outcome = await orCutOff(run, what, () =>
    probePeerOnce(run, urlKey(callout), directPeer(at.host, at.port, at.host)),
  );
  const allow = { apiGroups: [], resources: [], verbs: [] };
  const part = resultFor(run, outcome, callout, { what, asks: payload.reviews.length > 0, allow });
  const [url] = part.dialogues;
  return { ...(url === undefined ? {} : { url }), notTried: part.notTried };
}

/** Sends one GET for an APIService's group and version, through the aggregator. */
async function requestDiscovery(
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
    return {
      status: answer.status,
      message: ok ? '' : message,
      ...(ok && answer.body.length === 0 ? { isEmpty: true as const } : {}),
      milliseconds: performance.now() - started,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) return { status: 0, message: '', milliseconds: performance.now() - started };
    return connectionUnread(`GET ${path}`, error, { apiGroups: [group], resources: ['*'], verbs: ['get'] });
  }
}

interface ProbeResult {
  readonly probes: Lookup<CalloutProbes>;
  /** Missing permissions, and the deadline of the run: one line each. */
  readonly notLookedAt: readonly Unread[];
}

/** The maximum number of probes at once; one that exceeds the patience (milliseconds) no longer counts. */
const atOnce = 24;
const patience = 1_000;

async function probeDiscovery(
  run: ProbeRun,
  callout: AggregatedApiCallout,
): Promise<Pick<CalloutProbes, 'discovery' | 'notTried'>> {
  const what = `GET /apis/${callout.group}/${callout.version}`;
  const outcome = await orCutOff(run, what, () =>
    run.slot(() => requestDiscovery(run.prober, callout, run.signal)),
  );
  if (isUnread(outcome)) return { notTried: [outcome] };
  const isOutdated = outcome.message === unavailableResponse && mayPrecedeEndpoints(callout, run.facts);
  return isOutdated ? { notTried: [] } : { discovery: outcome, notTried: [] };
}

/** Sends a request for which the API server itself calls the webhook or APIService. */
function probeOwnCall(
  run: ProbeRun,
  callout: Callout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'invalid' | 'discovery' | 'notTried'>> {
  switch (callout.kind) {
    case 'validating':
    case 'mutating':
      return probeDryRun(run, callout);
    case 'conversion':
      return probeStored(run, callout);
    case 'aggregated-api':
      return probeDiscovery(run, callout);
  }
}

async function probeCallout(run: ProbeRun, planned: Planned): Promise<CalloutProbes> {
  const { callout, calloutPayload, targets, unread } = planned;
  const { level, replicasOnly = false } = run.plan;
  const nothing = { notTried: [] };
  const call = replicasOnly ? Promise.resolve(nothing) : probeOwnCall(run, callout);
  const proxied = orderedProxyGets(run, planned, call);
  const [replicas, url, own] = await Promise.all([
    Promise.all(targets.map((target) => probeReplica(run, planned, target, proxied))),
    isUrlBacked(callout) ? probeUrl(run, callout, calloutPayload) : nothing,
    call,
  ]);
  const beyond = [...(calloutPayload.notSent === undefined ? [] : [calloutPayload.notSent]), ...own.notTried];
  return {
    level,
    serverName: serverHost(callout) ?? '',
    replicas,
    ...url,
    ...own,
    notTried: [...unread, ...url.notTried, ...own.notTried],
    ...(beyond.length === 0 ? {} : { beyondReplicas: beyond }),
  };
}

/** Everything that decides which servers are probed and with which review; the caBundle does not. */
const aboutOf = ({ callout: { client, timeoutSeconds }, targets, calloutPayload }: Planned): string => {
  const { caBundle: _, ...where } = client;
  const reviews = calloutPayload.payload.reviews.map(({ about: { operation, resource, version } }) => [
    operation,
    resource,
    version,
  ]);
  return JSON.stringify([where, timeoutSeconds, targets, reviews]);
};

/**
 * Connects to every Pod of the given webhooks and APIServices, in every way that the level and the user's
 * permissions allow. Never throws for a failure of a backend, a kubelet or the API server: these are results.
 */
export async function probe(
  prober: ClusterProber,
  facts: ProbePlanFacts,
  callouts: readonly Callout[],
  plan: ProbePlan,
): Promise<ProbeResult> {
  const { plans, recalled } = recall(
    callouts.map((callout) => probePlan(callout, facts, plan)),
    plan,
  );
  const run = startRun(prober, facts, plan, plans);
  const stage = stagesOf(plans, plan);
  const entries = await Promise.all(
    plans.map(async (planned): Promise<readonly [string, CalloutProbes]> => {
      const id = calloutId(planned.callout);
      const probes = await probeCallout(run, planned);
      stage(planned);
      if (!run.signal.aborted) plan.remembered?.remember(id, aboutOf(planned), probes);
      return [id, probes];
    }),
  );
  const missing: Unread = { what: 'probes of a webhook that was not examined', why: 'not-requested' };
  const early = run.signal.aborted ? [cutOff('some replicas', prober.ended)] : [];
  return {
    probes: lookup(new Map(withDialErrors(callouts, [...entries, ...recalled])), { others: missing }),
    notLookedAt: [...run.refused.lines(), ...unreadOnce(entries.map(([, probes]) => probes)), ...early],
  };
}

/**
 * Adds the errors of connections to a Service port to the probes of its other callouts, unless the API server
 * called one of them: then the address responds to some connections.
 */
function withDialErrors(
  callouts: readonly Callout[],
  entries: readonly (readonly [string, CalloutProbes])[],
): readonly (readonly [string, CalloutProbes])[] {
  const byId = new Map(callouts.map((callout) => [calloutId(callout), callout]));
  const portOf = (id: string): string | undefined => {
    const service = byId.get(id)?.client.service;
    return service && `${keyOf(service)}:${service.port}`;
  };
  const errors = new Map<string, string>();
  const responding = new Set<string>();
  for (const [id, probes] of entries) {
    const callout = byId.get(id);
    const port = portOf(id);
    if (callout === undefined || port === undefined) continue;
    if (ownCallEnd(callout, probes).outcome === 'passes') responding.add(port);
    const error = dialErrorOf(callout, probes);
    if (error !== undefined) errors.set(port, error);
  }
  return entries.map(([id, probes]) => {
    const port = portOf(id) ?? '';
    const dialError = responding.has(port) ? undefined : errors.get(port);
    return [id, dialError === undefined ? probes : { ...probes, dialError }];
  });
}

/** Separates replicas that must be probed from those with remembered results. */
function recall(all: readonly Planned[], { remembered }: ProbePlan) {
  const recalled: (readonly [string, CalloutProbes])[] = [];
  const plans = all.filter((planned) => {
    const id = calloutId(planned.callout);
    const before = remembered?.recall(id, aboutOf(planned));
    if (before !== undefined) recalled.push([id, before]);
    return before === undefined;
  });
  return { plans, recalled };
}

/** Shares one promise between all requests with the same key. */
function shared<T>(): (key: string, make: () => Promise<T>) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key, make) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };
}

function startRun(
  prober: ClusterProber,
  facts: ProbePlanFacts,
  plan: ProbePlan,
  plans: readonly Planned[],
): ProbeRun {
  const signal = AbortSignal.any(prober.ended === undefined ? [] : [prober.ended]);
  // Each of many connections adds a listener.
  setMaxListeners(0, signal);
  return {
    prober,
    facts,
    plan,
    signal,
    refused: probeRefusals(),
    kept: { bytes: 0 },
    slot: slots(atOnce, patience),
    connections: shared(),
    proxies: shared(),
    firstGets: new Map(),
    replaced: new Map(),
    dryRuns: shared(),
    payloads: payloadsByPeer(plans),
  };
}

/** Reports the first webhook or APIService that is not done yet; called when one is done. */
function stagesOf(plans: readonly Planned[], { onStage }: ProbePlan): (done: Planned) => void {
  const waiting = new Set(plans);
  const report = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    const others = waiting.size > 1 ? ` ${andMore(waiting.size - 1)}` : '';
    onStage?.(`probing ${calloutId(next.callout)} (${counted(next.targets.length, 'Pod')})${others}`);
  };
  report();
  return (done) => {
    waiting.delete(done);
    report();
  };
}

/** Omitted probes, because a limit was reached or for an unknown error: one line for each reason. */
function unreadOnce(all: readonly CalloutProbes[]): readonly Unread[] {
  const reported = all.flatMap(({ notTried, replicas, url }) => [
    ...notTried.filter(({ why }) => why === 'too-large' || (url !== undefined && hasUnknownError(url))),
    ...replicas.flatMap((one) =>
      one.notTried.filter(({ why }) => why === 'too-large' || one.dialogues.some(hasUnknownError)),
    ),
  ]);
  return [...groupBy(reported, ({ why }) => why).values()].map(([first, ...others]) => {
    const more = others.length > 0 ? ` ${andMore(others.length)}` : '';
    return { ...first, what: `${unreadText(first)}${more}` };
  });
}
