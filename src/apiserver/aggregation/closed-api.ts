import type { AggregatedApiCallout } from '../../facts/callout.ts';
import { type CauseKind, linkOfCause } from '../sentences/cause-kind.ts';
import { parseErrorEnding } from '../sentences/parse-call-error.ts';
import type { Unavailable } from './availability.ts';

/** The whole answer to a request for an aggregated API that is not Available. */
export const unavailableResponse = 'service unavailable';

/** Why the API server holds an aggregated API for unavailable, in its own words. */
export interface ClosedApi {
  readonly link: 'registration' | ReturnType<typeof linkOfCause>;
  /** Of the last words of a discovery that failed. */
  readonly kind?: CauseKind;
}

const ofReason: Partial<Record<string, ClosedApi['link']>> = {
  ServiceNotFound: 'routing',
  ServicePortError: 'routing',
  EndpointsNotFound: 'backend',
  MissingEndpoints: 'backend',
} satisfies Partial<Record<Unavailable['reason'], ClosedApi['link']>>;

/**
 * What the condition `Available` of an APIService tells while it stands there and is not True: then every request is
 * answered with {@link unavailableResponse}, and why is written in the condition alone (kube-aggregator/pkg/apiserver/handler_proxy.go,
 * pkg/controllers/status/remote/remote_available_controller.go). undefined: it is True, or was not written yet.
 */
export function closedApi({ conditions }: Pick<AggregatedApiCallout, 'conditions'>): ClosedApi | undefined {
  const available = conditions.find(({ type }) => type === 'Available');
  if (available === undefined || available.status === 'True') return undefined;
  const { reason = '', message = '' } = available;
  const link = ofReason[reason];
  if (link !== undefined) return { link };
  if (reason !== 'FailedDiscoveryCheck') return { link: 'registration' };
  const kind = parseErrorEnding(message)?.cause?.kind;
  return { link: linkOfCause(kind), ...(kind === undefined ? {} : { kind }) };
}
