import { defined } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { urlParts } from '../../basics/url.ts';
import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import { complete } from '../../facts/lookup.ts';
import { type Confidence, type Evidence, nameIn, refText } from '../../facts/objects.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { SampledObject } from '../../facts/sample.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { knownPods, replicaPods } from '../../facts/workloads/replicas.ts';
import { brief, briefEnd, messageOfLine } from '../../phrases/brief.ts';
import { allPods, listed, named } from '../../phrases/lists.ts';
import { calloutUrl } from '../routing/callout-url.ts';
import type { CauseKind } from '../sentences/call-error/cause-kind.ts';
import { parseCallError } from '../sentences/call-error/parse-call-error.ts';
import type { FailedCallResult, Fault } from './call-result.ts';
import { type OwnCallEnd, ownCallEnd } from './own-call.ts';
import { type ProbedEndpoint, probedServers } from './probed-servers.ts';

/** The facts that checks of probe results require. */
export const probeFacts = [
  'version',
  'callouts',
  'services',
  'endpointSlices',
  'pods',
  'routing',
  'probes',
  'clock',
] as const;
export type ProbeFacts = World<(typeof probeFacts)[number]>;

/** Callouts that were probed, or could not be although that was requested. */
export const probedCallouts = derive(
  ['callouts', 'probes'],
  ({ callouts, probes }: Pick<Facts, 'callouts' | 'probes'>): readonly Callout[] =>
    callouts.filter((callout) => {
      const id = calloutId(callout);
      const why = probes.why(id)?.why;
      return why === undefined ? !probes.isAbsent(id) : why !== 'not-requested';
    }),
);

/** The probes of a callout. Throws NotKnown if it could not be probed. */
export const probesAt = (callout: Callout, { probes }: Pick<Facts, 'probes'>): CalloutProbes | undefined =>
  probes.get(calloutId(callout));

/** The result of the API server's own call: a dry run, or the discovery of an APIService; undefined without probes. */
export const ownEndOf = (callout: Callout, facts: Pick<Facts, 'probes'>): OwnCallEnd | undefined => {
  const probes = probesAt(callout, facts);
  return probes && ownCallEnd(callout, probes);
};

/** Its outcome only. */
export const ownCall = (callout: Callout, facts: Pick<Facts, 'probes'>): OwnCallEnd['outcome'] =>
  ownEndOf(callout, facts)?.outcome ?? 'nothing';

/** The error of the API server's own call if it has one of these causes, and the full text as evidence. */
export function ownCallEndedIn(
  callout: Callout,
  facts: Pick<Facts, 'probes'>,
  kinds: readonly CauseKind[],
): { readonly detail: string; readonly evidence: readonly Evidence[] } | undefined {
  const end = ownEndOf(callout, facts);
  if (end?.outcome !== 'fails') return undefined;
  const cause = parseCallError(end.sentence)?.cause;
  if (cause === undefined || !kinds.includes(cause.kind)) return undefined;
  const detail = brief(end.sentence.replace(/^.*? (Post|Get) "[^"]*": /, ''));
  return { detail, evidence: [{ object: callout.ref, value: end.sentence }] };
}

/**
 * The TLS alert to the API server's own call if the handshake of a probe succeeds: the API server offers
 * fewer versions or cipher suites, for example in FIPS mode. No API returns them.
 */
export function ownAlert(callout: Callout, facts: Pick<Facts, 'probes'>, alerts: readonly string[]) {
  const found = facts.probes.get(calloutId(callout));
  const agreed = found?.replicas.flatMap(({ dialogues }) =>
    dialogues.flatMap(({ handshake }) => handshake ?? []),
  );
  const own = ownCallEndedIn(callout, facts, ['tls-alert']);
  const [first] = agreed ?? [];
  if (first === undefined || own === undefined || !alerts.some((alert) => own.detail.endsWith(alert)))
    return undefined;
  return { agreed: `${first.protocol} ${first.cipher}`, evidence: own.evidence };
}

/** An object that the replicas of a callout were called with, and the facts with its probes only. */
export interface CalledWith<F> {
  /** Absent: the test object. */
  readonly sample?: SampledObject;
  /** `the test object`, `ConfigMap shop/cart`. */
  readonly what: string;
  readonly facts: F;
}

/** The test object, and then each real object that replicas were called with. */
export const calledWith = <F extends ProbeFacts & Pick<Facts, 'samples'>>(
  callout: Callout,
  facts: F,
): readonly CalledWith<F>[] => {
  const id = calloutId(callout);
  const real = (facts.samples.getIfKnown(id) ?? []).flatMap((sample): readonly CalledWith<F>[] => {
    const { object, probes } = sample;
    if (probes === undefined) return [];
    return [{ sample, what: refText(object), facts: { ...facts, probes: complete([[id, probes]]) } }];
  });
  return [{ what: 'the test object', facts }, ...real];
};

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
  return names.length > 1 && names.length === all.size ? allPods(names.length) : named('Pod', names, 2);
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

/** Maximum length of the text of a response. */
const longestText = 200;

const answersOf = ({ probe }: ProbedEndpoint) =>
  (probe?.dialogues ?? []).flatMap(({ reviews }) => reviews.flatMap(({ answer }) => answer ?? []));

/** True if a server returned a page in place of a review: the API server's error is about its first characters. */
const returnedPage = (endpoint: FailedEndpoint): boolean =>
  endpoint.callResult.fault === 'not-a-review' &&
  answersOf(endpoint).some(({ body }) =>
    /^\s*<(?:!doctype html|html)\b/i.test(Buffer.from(body).toString('utf8')),
  );

/** The faults that are an HTTP error, with the statuses that are possible if only the API server's error is known. */
const statusesOf: Partial<Record<FailedCallResult['fault'], string>> = {
  'path-not-found': '404 or 405',
  unauthorized: '401 or 403',
  'server-error': 'an HTTP error',
};

/** `HTTP 403`, `HTTP 500 or 503`; empty if the fault is no HTTP error. */
export function statusText([first, ...others]: readonly FailedEndpoint[]): string {
  if (first === undefined || statusesOf[first.callResult.fault] === undefined) return '';
  const statuses = [first, ...others].flatMap(({ callResult: { status } }) =>
    status === undefined ? [] : [String(status)],
  );
  if (statuses.length > 0) return `HTTP ${listed(new Set(statuses), { word: 'or' })}`;
  return statusesOf[first.callResult.fault] ?? '';
}

/** What servers that hang sent before the timeout. A process that responds to a GET does not hang as a whole. */
function sentText(failed: readonly FailedEndpoint[]): string {
  if (failed.every(({ callResult }) => callResult.begun)) return 'an incomplete response';
  const stages = failed.flatMap(({ probe }) => probe?.dialogues.map(({ failure }) => failure?.stage) ?? []);
  if (stages.includes('tls')) return 'nothing, not even a TLS handshake,';
  return failed.every(({ probe }) => probe?.proxy?.reached)
    ? 'no response to a review (only to a GET)'
    : 'no response';
}

/** The status for messages about HTTP errors, and what arrived for those about hanging Pods; others do not use it. */
const responseData = (
  failed: readonly FailedEndpoint[],
): { readonly status: string; readonly sent: string } => {
  const status = statusText(failed);
  const sent = failed.every(({ callResult }) => callResult.fault === 'hangs') ? sentText(failed) : undefined;
  return defined({ status: status === '' ? undefined : status, sent }) as ReturnType<typeof responseData>;
};

/** The error of a server in a few words: its own text, if it returned an HTTP error. */
const briefError = (endpoint: FailedEndpoint): string =>
  returnedPage(endpoint) ? 'an HTML page' : briefEnd(errorBody(endpoint) ?? errorOf(endpoint));

/**
 * What a server returned with an HTTP error, which the API server's error does not contain for 4xx: the message of a
 * JSON body, the title of a page, or the first line of a text. Undefined for compressed and binary bodies.
 */
function errorBody(endpoint: ProbedEndpoint): string | undefined {
  const answer = answersOf(endpoint).find(({ status }) => status >= 400);
  if (answer === undefined || answer.headers['content-encoding'] !== undefined) return undefined;
  const text = Buffer.from(answer.body).toString('utf8').trim();
  const title = /<title>([^<]{1,100})<\/title>/i.exec(text)?.[1]?.trim();
  if (title !== undefined) return title.replace(/^\d{3} /, '');
  const [line = ''] = messageOfLine(text).split('\n', 1);
  return /^[<{]|^$|[\0-\x08\ufffd]/.test(line) ? undefined : line.slice(0, longestText);
}

/** Servers that fail in the same way, with the data of a finding. */
export interface FailingServers {
  /** `all`: every server that a new connection can reach. */
  readonly extent: 'all' | 'some';
  readonly endpoints: readonly FailedEndpoint[];
  readonly data: {
    /** `Pods a and b`. */
    readonly replicas: string;
    readonly bad: number;
    readonly total: number;
    /** The port that was tried. */
    readonly port: number;
    /** The error of the first one, shortened. */
    readonly detail: string;
  };
  readonly evidence: readonly Evidence[];
}

/** The port of a URL; default 443. */
function portOfUrl({ client: { url = '' } }: Callout): number {
  const written = /:(?<port>\d+)$/.exec(urlParts(url)?.host ?? '')?.groups?.port;
  return written === undefined ? 443 : Number(written);
}

/** The path of the requests to a server. */
const requestedPath = (callout: Callout): string =>
  callout.kind === 'aggregated-api'
    ? `/apis/${callout.group}/${callout.version}`
    : (urlParts(calloutUrl(callout) ?? '')?.path ?? '/');

/**
 * The servers that a new connection can reach and that fail in the given way; undefined if none. Throws
 * NotKnown if the callout could not be probed.
 */
export function failingServers(
  callout: Callout,
  facts: ProbeFacts,
  wanted: (endpoint: FailedEndpoint) => boolean,
): FailingServers | undefined {
  const usable = usableEndpoints(callout, facts);
  const failed = usable.filter(hasFailed).filter(wanted);
  const [first] = failed;
  if (first === undefined) return undefined;
  return {
    extent: failed.length === usable.length ? 'all' : 'some',
    endpoints: failed,
    data: {
      ...dataOf(callout, [first, ...failed.slice(1)], serverNames(callout, facts)),
      total: usable.length,
    },
    evidence: failed.map((one) => probedEndpointEvidence(callout, one, errorWithBody(one))),
  };
}

const errorOf = ({ callResult }: FailedEndpoint): string =>
  callResult.detail || callResult.sentence || callResult.fault;

/** The error, and the text of the response if the error does not contain it. */
function errorWithBody(endpoint: FailedEndpoint): string {
  const [error, body] = [errorOf(endpoint), errorBody(endpoint)];
  return body === undefined || error.includes(body) ? error : `${error}; body: ${body}`;
}

const dataOf = (
  callout: Callout,
  failed: readonly [FailedEndpoint, ...FailedEndpoint[]],
  all: ReadonlySet<string>,
): Omit<FailingServers['data'], 'total'> => ({
  replicas: namesText(failed, all),
  bad: failed.length,
  port: failed[0].probe?.port ?? portOfUrl(callout),
  detail: briefError(failed[0]),
});

/** Creates a finding of a check (`checks/check.ts`) about failing servers. */
type Find<Extent, Finding> = (
  id: Extent,
  data: FailingServers['data'] & { readonly path: string; readonly status: string; readonly sent: string },
  ...details: readonly [
    evidence: readonly Evidence[],
    names: { readonly pod: string | undefined; readonly address: string | undefined },
    confidence: Confidence,
  ]
) => Finding;

/** The `run` of a check that reports one way of failing, with the messages `all` and `some`. */
export const reportFailing =
  (wanted: (endpoint: FailedEndpoint) => boolean) =>
  <Finding>(
    callout: Callout,
    facts: ProbeFacts,
    find: Find<FailingServers['extent'], Finding>,
  ): Finding | undefined => {
    const found = failingServers(callout, facts, wanted);
    if (found === undefined) return undefined;
    const names = { pod: nameIn(found.evidence, 'Pod'), address: found.endpoints[0]?.probe?.endpoint };
    return find(
      found.extent,
      { ...found.data, path: requestedPath(callout), ...responseData(found.endpoints) },
      found.evidence,
      names,
      'observed',
    );
  };

/** The `run` of a check for a wrong or missing response; message `behind` if calls fail before one. */
export const reportResponse =
  (fault: Fault) =>
  <Finding>(
    callout: Callout,
    facts: ProbeFacts,
    find: Find<FailingServers['extent'] | 'behind', Finding>,
  ): Finding | undefined =>
    reportFailing(({ callResult }) => callResult.fault === fault)(callout, facts, find) ??
    reportBehind(fault, callout, facts, find);

/** Reports the next failure after the current one is fixed, if no call succeeds now. */
function reportBehind<Finding>(
  fault: Fault,
  callout: Callout,
  facts: ProbeFacts,
  find: Find<'behind', Finding>,
): Finding | undefined {
  const all = probedEndpoints(callout, facts);
  if (all.some(({ usable, callResult }) => usable && callResult.outcome !== 'fails')) return undefined;
  const failed = all.flatMap((one) => {
    const next = [one.usable ? undefined : one.callResult, one.behind];
    const callResult = next.find(
      (one): one is FailedCallResult => one?.outcome === 'fails' && one.fault === fault,
    );
    return callResult === undefined ? [] : [{ ...one, callResult }];
  });
  const [first] = failed;
  if (first === undefined) return undefined;
  const evidence = failed.map((one) => probedEndpointEvidence(callout, one, errorOf(one)));
  const data = {
    ...dataOf(callout, [first, ...failed.slice(1)], serverNames(callout, facts)),
    total: all.length,
    path: requestedPath(callout),
    ...responseData(failed),
  };
  const names = { pod: nameIn(evidence, 'Pod'), address: first.probe?.endpoint };
  return find('behind', data, evidence, names, 'observed');
}
