import type {
  AdmissionCallout,
  AggregatedApiCallout,
  Callout,
  ConversionCallout,
} from '../../facts/callout.ts';
import { behaves } from '../../facts/server-version.ts';
import { calloutUrl } from '../routing/callout-url.ts';

/** The error of a connection or a request as Go's http client quotes it: `Post "https://…?timeout=10s": CAUSE`. */
const post = (callout: Callout, cause: string): string =>
  `Post "${calloutUrl(callout) ?? ''}?timeout=${callout.timeoutSeconds}s": ${cause}`;

/**
 * A call failure of an admission webhook from the words of the stage where it ended, `could not get REST client: …`:
 * apiserver/pkg/util/webhook/error.go ErrCallingWebhook.
 */
export const admissionFailure = (callout: Pick<AdmissionCallout, 'webhook'>, stage: string): string =>
  `failed calling webhook "${callout.webhook}": ${stage}`;

/**
 * A failed conversion from its cause. The version named is that of the object at hand; for one read from storage the
 * storage version (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
 */
export const conversionFailure = (callout: ConversionCallout, cause: string): string =>
  `${conversionOf(callout)} failed: ${cause}`;

function conversionOf({ resource: { group, kind }, versions }: ConversionCallout): string {
  const stored = versions.find(({ storage }) => storage)?.name ?? '';
  return `conversion webhook for ${group}/${stored}, Kind=${kind}`;
}

/** A conversion whose answer was refused: `0 objects, expected 1`. */
export const conversionRefused = (callout: ConversionCallout, what: string): string =>
  `${conversionOf(callout)} returned ${what}`;

/**
 * How a failed conversion of one stored object reaches the client that asked for it (GET, and the read before a write):
 * from 1.37 on an object that cannot be decoded counts as corrupt, whatever the cause
 * (apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go, feature AllowUnsafeMalformedObjectDeletion).
 *
 * @param key of the object in etcd without the prefix: `/example.com/widgets/shop/one`.
 * @param revision of the object in etcd.
 */
export const storedObjectFailure = (
  sentence: string,
  key: string,
  revision: string,
  version?: string,
): string =>
  behaves(version, 'corrupt-object')
    ? internalError(
        `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=${revision}: ${sentence}`,
      )
    : sentence;

/** What {@link storedObjectFailure} was told of: the sentence of the conversion, without what is around it. */
export const storedObjectCause = (message: string): string =>
  message.replace(/^Internal error occurred: StorageError: .*? object not decodable revision=\d+: /, '');

/**
 * The answer to a request for an aggregated API. While the APIService is not Available, or when no address was found,
 * there is no more than `service unavailable` (kube-aggregator/pkg/apiserver/handler_proxy.go).
 */
const proxyFailure = (cause: string): string => `error trying to reach service: ${cause}`;

/** The address at which an APIService's availability is checked; the host is the resolved one. */
export const discoveryUrl = (callout: AggregatedApiCallout, address: string): string =>
  `https://${address}/${callout.group === '' ? 'api' : `apis/${callout.group}`}/${callout.version}`;

/**
 * What the API server says when a call over a new connection ends in `cause`, the words after `Post "…": `
 * (`service "x" not found`, `dial tcp 203.0.113.9:443: connect: connection refused`): an admission webhook's call
 * failure, a failed conversion, or the answer to a request for an aggregated API that still counts as Available.
 *
 * @param version the API server's; up to 1.22 the sentence had no `failed to call webhook: `.
 */
export function callSentence(callout: Callout, cause: string, version?: string): string {
  switch (callout.kind) {
    case 'aggregated-api':
      return proxyFailure(cause);
    case 'conversion':
      return conversionFailure(callout, post(callout, cause));
    case 'validating':
    case 'mutating': {
      const stage = behaves(version, 'call-stage') ? 'failed to call webhook: ' : '';
      return admissionFailure(callout, `${stage}${post(callout, cause)}`);
    }
  }
}

/** Of an answer whose body did not come to its end (client-go/rest/request.go transformResponse). */
export function unreadBody(callout: Callout, cause: string): string {
  const text = `unexpected error when reading response body. Please retry. Original error: ${cause}`;
  switch (callout.kind) {
    case 'aggregated-api':
      return cause;
    case 'conversion':
      return conversionFailure(callout, text);
    case 'validating':
    case 'mutating':
      return admissionFailure(callout, `failed to call webhook: ${text}`);
  }
}

/** The envelope in which a client meets an admission call failure (apimachinery NewInternalError). */
export const internalError = (sentence: string): string => `Internal error occurred: ${sentence}`;
