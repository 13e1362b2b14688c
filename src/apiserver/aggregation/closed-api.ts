import type { AggregatedApiCallout } from '../../facts/callout.ts';
import type { World } from '../../facts/snapshot.ts';
import { endpointsChangedWithin } from '../routing/endpoints-changed.ts';
import { type CauseKind, causesOfAddress, linkOfCause } from '../sentences/call-error/cause-kind.ts';
import { parseErrorEnding } from '../sentences/call-error/parse-call-error.ts';
import type { Unavailable } from './availability.ts';

/** The complete response body for a request to an aggregated API that is not Available. */
export const unavailableResponse = 'service unavailable';

/** The reason and message with which the API server marks an aggregated API as not Available. */
export interface ClosedApi {
  readonly link: 'registration' | ReturnType<typeof linkOfCause>;
  /** The cause in the error of a failed discovery. */
  readonly kind?: CauseKind;
  /** That error. */
  readonly error?: string;
}

const ofReason: Partial<Record<string, ClosedApi['link']>> = {
  ServiceNotFound: 'routing',
  ServicePortError: 'routing',
  EndpointsNotFound: 'backend',
  MissingEndpoints: 'backend',
} satisfies Partial<Record<Unavailable['reason'], ClosedApi['link']>>;

/**
 * Reads the condition `Available` of an APIService. If it is not True, the API server responds to every
 * request with {@link unavailableResponse}, and only the condition contains the reason
 * (kube-aggregator/pkg/apiserver/handler_proxy.go,
 * pkg/controllers/status/remote/remote_available_controller.go). Returns undefined if it is True or not set
 * yet.
 */
export function closedApi({ conditions }: Pick<AggregatedApiCallout, 'conditions'>): ClosedApi | undefined {
  const available = conditions.find(({ type }) => type === 'Available');
  if (available === undefined || available.status === 'True') return undefined;
  const { reason = '', message = '' } = available;
  const link = ofReason[reason];
  if (link !== undefined) return { link };
  if (reason !== 'FailedDiscoveryCheck') return { link: 'registration' };
  const kind = parseErrorEnding(message)?.cause?.kind;
  return { link: linkOfCause(kind), error: message, ...(kind === undefined ? {} : { kind }) };
}

/** Seconds in which the API server checks an APIService again (remote_available_controller.go: 30 s), and sets its condition. */
const checkedAgain = 35;

/**
 * True if the condition of an APIService reports a connection that failed, and may be older than the endpoints: it does not
 * show that they cannot be reached.
 */
export function mayPrecedeEndpoints(
  callout: AggregatedApiCallout,
  facts: World<'services' | 'endpointSlices'>,
): boolean {
  const kind = closedApi(callout)?.kind;
  return (
    kind !== undefined &&
    causesOfAddress.includes(kind) &&
    endpointsChangedWithin(callout, facts, checkedAgain)
  );
}

const ofApi = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)\//;

/** The aggregated API that serves a path of kube-apiserver; `api` is the name of its APIService. Undefined for others. */
export function apiOfPath(path: string) {
  const { group, version } = ofApi.exec(path)?.groups ?? {};
  return group === undefined || version === undefined
    ? undefined
    : { group, version, api: `${version}.${group}` };
}
