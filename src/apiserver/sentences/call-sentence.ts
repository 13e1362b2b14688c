import type { AdmissionCallout, Callout, ConversionCallout } from '../../facts/callout.ts';
import { calloutUrl } from '../routing/callout-url.ts';
import { behaves } from '../server-version.ts';

/** The error of Go's http client: `Post "https://…?timeout=10s": CAUSE`. */
const post = (callout: Callout, cause: string): string =>
  `Post "${calloutUrl(callout) ?? ''}?timeout=${callout.timeoutSeconds}s": ${cause}`;

/**
 * The error for a failed call of an admission webhook, from the error of its stage, `could not get REST
 * client: …`: apiserver/pkg/util/webhook/error.go ErrCallingWebhook.
 */
export const admissionFailure = (callout: Pick<AdmissionCallout, 'webhook'>, stage: string): string =>
  `failed calling webhook "${callout.webhook}": ${stage}`;

/**
 * The error for a failed conversion, from its cause. It names the version of the object to convert; for an
 * object read from storage, the storage version
 * (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
 */
export const conversionFailure = (callout: ConversionCallout, cause: string): string =>
  `${conversionOf(callout)} failed: ${cause}`;

function conversionOf({ resource: { group, kind }, versions }: ConversionCallout): string {
  const stored = versions.find(({ storage }) => storage)?.name ?? '';
  return `conversion webhook for ${group}/${stored}, Kind=${kind}`;
}

/** The error for a rejected conversion response: `0 objects, expected 1`. */
export const conversionRefused = (callout: ConversionCallout, what: string): string =>
  `${conversionOf(callout)} returned ${what}`;

/**
 * Extracts the conversion error from the error for one stored object (GET, and the read before a write): from
 * 1.37 on, an object that cannot be decoded counts as corrupt, whatever the cause is
 * (apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go, feature AllowUnsafeMalformedObjectDeletion).
 */
export const storedObjectCause = (message: string): string =>
  message.replace(/^Internal error occurred: StorageError: .*? object not decodable revision=\d+: /, '');

/**
 * The error for a request for an aggregated API. While the APIService is not Available, or if no address was
 * found, it is only `service unavailable` (kube-aggregator/pkg/apiserver/handler_proxy.go).
 */
const proxyFailure = (cause: string): string => `error trying to reach service: ${cause}`;

/**
 * The API server's error if a call over a new connection fails with `cause`, the text after `Post "…": `
 * (`service "x" not found`, `dial tcp 203.0.113.9:443: connect: connection refused`): a failed admission
 * call, a failed conversion, or the response to a request for an aggregated API that is still Available.
 *
 * @param version the API server's; up to 1.22 the error had no `failed to call webhook: `.
 */
export function callSentence(callout: Callout, cause: string, version?: string): string {
  switch (callout.kind) {
    case 'aggregated-api':
      return proxyFailure(cause);
    case 'conversion':
      return conversionFailure(callout, post(callout, cause));
    case 'validating':
    case 'mutating':
      return admissionFailure(callout, `${callStage(version)}${post(callout, cause)}`);
  }
}

const callStage = (version: string | undefined): string =>
  behaves(version, 'call-stage') ? 'failed to call webhook: ' : '';

/** The error if the response body ends early (client-go/rest/request.go transformResponse). */
export function unreadBody(callout: Callout, cause: string, version?: string): string {
  const text = `unexpected error when reading response body. Please retry. Original error: ${cause}`;
  switch (callout.kind) {
    case 'aggregated-api':
      return cause;
    case 'conversion':
      return conversionFailure(callout, text);
    case 'validating':
    case 'mutating':
      return admissionFailure(callout, `${callStage(version)}${text}`);
  }
}

/** The text around an admission call failure in the client's error (apimachinery NewInternalError). */
export const internalError = (sentence: string): string => `Internal error occurred: ${sentence}`;
