import type { CallResult, Fault } from '../../apiserver/connection/call-result.ts';
import { calledWith } from '../../apiserver/connection/called-with.ts';
import { type ProbedEndpoint, probedServers } from '../../apiserver/connection/probed-servers.ts';
import { findComponentText } from '../../apiserver/sentences/component-texts/component-texts.ts';
import { lastLogLines, relevantLogLines } from '../../apiserver/sentences/logs/log-lines.ts';
import type { Check } from '../../checks/check.ts';
import { explanations } from '../../checks/explanations.ts';
import { type Callout, calloutId, type ServiceReference } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { GivenObject, SampledObject } from '../../facts/sample.ts';
import type { Facts, Snapshot } from '../../facts/snapshot.ts';
import { ifKnown } from '../../facts/unread.ts';
import { leaderNames } from '../../facts/workloads/leaders.ts';
import { type Replica, replicasOf } from '../../facts/workloads/replicas.ts';
import { loggedRequest } from '../../pods/logged-denial.ts';
import type { LogReport, ReplicaReport, ResponseReport, SampleReport } from '../report.ts';

/** States whose name differs from their fault. */
const stateNames: Partial<Record<Fault, string>> = {
  refused: 'not-listening',
  certificate: 'tls-rejected',
  alert: 'tls-refused',
  'path-not-found': 'http-error',
  redirects: 'http-error',
  unauthorized: 'http-error',
  'server-error': 'http-error',
};

function probeResult(callResult: CallResult): Partial<ReplicaReport> {
  switch (callResult.outcome) {
    case 'fails':
      return { state: stateNames[callResult.fault] ?? callResult.fault, error: callResult.detail };
    case 'undecided':
      return {};
    default: {
      const denial = callResult.answer?.outcome === 'denied' ? callResult.answer.message : undefined;
      return {
        latencyMs: Math.round(callResult.milliseconds * 10) / 10,
        ...(denial === undefined ? {} : { state: 'denies', error: denial }),
      };
    }
  }
}

/** False for a Pod that does not run: its own state is reported, not the result of a connection. */
const isUp = ({ state }: Replica): boolean => ['ready', 'not-ready', 'starting'].includes(state);

/** The test object that Pods were called with; undefined if none was. */
function testObject(callout: Callout, { probes }: Pick<Facts, 'probes'>): SampleReport | undefined {
  const id = calloutId(callout);
  const [review] = (probes.getIfKnown(id)?.replicas ?? []).flatMap(({ dialogues }) =>
    dialogues.flatMap(({ reviews }) => reviews),
  );
  const { kind, metadata } = (review?.object ?? {}) as Partial<GivenObject>;
  if (review === undefined || kind === undefined || metadata?.name === undefined) return undefined;
  const { name, namespace } = metadata;
  const object = { kind, ...(namespace === undefined ? {} : { namespace }), name };
  return { object, by: 'made-up', operation: review.operation };
}

/** Findings name the further test objects that fail; the others are not reported. */
const isReal = ({ by }: Pick<SampledObject, 'by'>): boolean => by !== 'made-up';

/** The objects that a webhook was called with; empty if there is no real object among them. */
export function sampleReports(callout: Callout, { facts }: Snapshot): readonly SampleReport[] {
  const id = calloutId(callout);
  const samples = (facts.samples.getIfKnown(id) ?? []).filter(isReal);
  const test = testObject(callout, facts);
  const real = samples.map(
    ({ object, by, operation, notAsked, dryRun }): SampleReport => ({
      object,
      by,
      operation,
      ...(notAsked === undefined ? {} : { notCalled: notAsked }),
      ...(dryRun === undefined ? {} : { dryRun: { status: dryRun.status, message: dryRun.message } }),
    }),
  );
  return real.length === 0 || test === undefined ? real : [test, ...real];
}

/**
 * The response of a Pod to an object. `own`: the result of all its probes: it also has the error of the control plane,
 * which ends a call before the object matters.
 */
function answerOf(
  { callResult }: ProbedEndpoint,
  about: Pick<ResponseReport, 'object' | 'operation'>,
  own?: CallResult,
): ResponseReport {
  switch (callResult.outcome) {
    case 'fails': {
      const isSame =
        own?.outcome === 'fails' && own.fault === callResult.fault && callResult.link !== 'response';
      return { ...about, outcome: 'failed', message: isSame ? own.detail : callResult.detail };
    }
    case 'undecided':
      return { ...about, outcome: 'unknown' };
    case 'denies':
      return {
        ...about,
        outcome: 'denied',
        ...(callResult.answer?.outcome === 'denied' ? { message: callResult.answer.message } : {}),
      };
    case 'answers':
      return { ...about, outcome: callResult.answer === undefined ? 'unknown' : 'allowed' };
  }
}

type ProbedSamples = readonly (Pick<ResponseReport, 'object' | 'operation'> & {
  readonly probed: readonly ProbedEndpoint[];
})[];

/** The responses of each Pod to each sample; empty if there are none. */
function probedSamples(callout: Callout, snapshot: Snapshot): ProbedSamples {
  const { facts } = snapshot;
  const id = calloutId(callout);
  if (!(facts.samples.getIfKnown(id) ?? []).some(isReal)) return [];
  const test = testObject(callout, facts);
  return calledWith(callout, facts).flatMap(({ sample, facts: seen }) => {
    const about = sample ?? test;
    if (about === undefined || (sample !== undefined && !isReal(sample))) return [];
    const { object, operation } = about;
    return [{ object, operation, probed: ifKnown(() => probedServers(callout, seen), []) }];
  });
}

/** A headline, and the line before it. */
const mostLogLines = 2;

/**
 * Lines of the log of a Pod of this Service: those that explain a failure, else the last ones. A request that is
 * permitted by now explains none.
 */
function logOf(
  service: ServiceReference,
  pod: string,
  facts: Pick<Facts, 'logs' | 'rbacDenials'>,
): LogReport | undefined {
  const isPast = (line: string): boolean => loggedRequest(line, keyOf(service), facts)?.now === 'permitted';
  for (const [key, kept] of facts.logs.entries()) {
    const [inNamespace, ofPod, container = ''] = key.split('/');
    if (inNamespace !== service.namespace || ofPod !== pod) continue;
    const text = kept
      .split('\n')
      .filter((line) => !isPast(line))
      .join('\n');
    if (text.trim() === '') continue;
    const relevant = relevantLogLines(text, mostLogLines);
    const lines = relevant.length > 0 ? relevant : lastLogLines(text, mostLogLines);
    const meantLine = lines.findLastIndex((line) => findComponentText(line) !== undefined);
    const means = findComponentText(lines[meantLine] ?? '')?.means;
    return { container, lines, ...(means === undefined ? {} : { means, meantLine }) };
  }
  return undefined;
}

/** The replica without the meaning of its log line, if the message of this check says it more precisely. */
export function withoutMeaning(replica: ReplicaReport, check: Check | undefined): ReplicaReport {
  if (replica.log?.meantLine === undefined) return replica;
  const { container, lines, meantLine } = replica.log;
  const { kind } = findComponentText(lines[meantLine] ?? '') ?? {};
  const isExplained =
    kind !== undefined && check !== undefined && explanations[kind]?.includes(check.meta.id) === true;
  return isExplained ? { ...replica, log: { container, lines } } : replica;
}

/** The replicas of a webhook or APIService, with the results of probes. */
export function replicaReports(callout: Callout, snapshot: Snapshot): readonly ReplicaReport[] {
  const { facts } = snapshot;
  const probed = ifKnown(() => probedServers(callout, snapshot.facts), []);
  const leaders = leaderNames(callout, facts);
  const sampled = probedSamples(callout, snapshot);
  return replicasOf(callout, facts).map((replica): ReplicaReport => {
    const isOfReplica = ({ probe, pod }: ProbedEndpoint): boolean =>
      probe?.endpoint === undefined ? pod === replica.pod : probe.endpoint === replica.endpoint;
    const endpoint = probed.find(isOfReplica);
    const answers = sampled.flatMap(({ probed: all, ...about }) => {
      const found = all.find(isOfReplica);
      return found === undefined ? [] : [answerOf(found, about, endpoint?.callResult)];
    });
    const { service } = callout.client;
    const log = replica.pod && service ? logOf(service, replica.pod, facts) : undefined;
    // Nothing more is known about most replicas of a large cluster.
    if ((endpoint ?? leaders ?? log ?? answers[0]) === undefined) return replica;
    const { state, ...rest } = endpoint === undefined ? {} : probeResult(endpoint.callResult);
    const leader =
      leaders === undefined || replica.pod === undefined ? {} : { leader: leaders.has(replica.pod) };
    return {
      ...replica,
      ...(state === undefined || !isUp(replica) ? {} : { state }),
      ...leader,
      ...rest,
      ...(log === undefined ? {} : { log }),
      ...(answers.length === 0 ? {} : { answers }),
    };
  });
}
