import { urlParts } from '../../basics/url.ts';
import type { Callout } from '../../facts/callout.ts';
import { type Confidence, type Evidence, nameIn } from '../../facts/evidence.ts';
import { calloutUrl } from '../routing/callout-url.ts';
import type { CauseKind } from '../sentences/call-error/cause-kind.ts';
import type { FailedCallResult, Fault } from './call-result.ts';
import { ownCallEndedIn } from './own-call-result.ts';
import type { ProbeFacts } from './probed-callouts.ts';
import {
  type FailedEndpoint,
  failsPartly,
  hasFailed,
  namesText,
  probedEndpointEvidence,
  probedEndpoints,
  serverNames,
  usableEndpoints,
} from './probed-endpoints.ts';
import { briefError, errorOf, errorWithBody, responseData } from './response-text.ts';

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
    names: { readonly [N in 'pod' | 'address' | 'port']: string | undefined },
    confidence: Confidence,
  ]
) => Finding;

/** The `run` of a check that reports one way of failing, with the messages `all` and `some`. */
export const reportFailing =
  (wanted: (endpoint: FailedEndpoint) => boolean) =>
  <Finding extends object>(
    callout: Callout,
    facts: ProbeFacts,
    find: Find<FailingServers['extent'], Finding>,
  ): Finding | undefined => {
    const found = failingServers(callout, facts, wanted);
    if (found === undefined) return undefined;
    const names = {
      pod: nameIn(found.evidence, 'Pod'),
      address: found.endpoints[0]?.probe?.endpoint,
      port: `${found.data.port}`,
    };
    const finding = find(
      found.extent,
      { ...found.data, path: requestedPath(callout), ...responseData(found.endpoints) },
      found.evidence,
      names,
      'observed',
    );
    // Requests of another kind than the review pass.
    return failsPartly(found.endpoints) ? { ...finding, consequence: 'degraded' } : finding;
  };

/** The same for the API server's own call, with message `own`: for calls that the probes cannot observe. */
export const reportOwnCall =
  (kinds: readonly CauseKind[]) =>
  <Finding>(
    callout: Callout,
    facts: ProbeFacts,
    find: (
      id: 'own',
      data: { readonly detail: string },
      evidence: readonly Evidence[],
      confidence: Confidence,
    ) => Finding,
  ): Finding | undefined => {
    const own = ownCallEndedIn(callout, facts, kinds);
    return own && find('own', { detail: own.detail }, own.evidence, 'observed');
  };

/** The `run` of a check for a wrong or missing response; message `behind` if calls fail before one. */
export const reportResponse =
  (fault: Fault) =>
  <Finding extends object>(
    callout: Callout,
    facts: ProbeFacts,
    find: Find<FailingServers['extent'] | 'behind', Finding>,
  ): Finding | undefined =>
    reportFailing(({ callResult }) => callResult.fault === fault)(callout, facts, find) ??
    reportBehind(fault, callout, facts, find);

/** Reports the next failure after the current one is fixed, if no call succeeds now. */
export function reportBehind<Finding>(
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
  const names = { pod: nameIn(evidence, 'Pod'), address: first.probe?.endpoint, port: undefined };
  return find('behind', data, evidence, names, 'observed');
}
