import type { HttpResponse } from '../../facts/probes.ts';
import type { EvaluatedResponse } from '../response/raw-response.ts';
import { isSuccess } from '../response/response.ts';
import type { ResponseFault } from './call-result.ts';

const byText: readonly (readonly [RegExp, ResponseFault])[] = [
  [/expected response\.uid=/, 'uid-mismatch'],
  [
    /expected webhook response of |unknown conversion|no kind "[^"]*" is registered for version/,
    'version-mismatch',
  ],
  [/undecodable patch|patch type|patchType|response\.patch\b/, 'patch-invalid'],
];

/**
 * What a server writes that refuses a path itself, such as one that must contain a token: `invalid path`. Knative's
 * (knative.dev/pkg/webhook/webhook.go) has no controller registered for it.
 */
const refusesPath =
  /^(?:\W*(?:unauthorized: ?)?(?:invalid|unknown|unexpected|unsupported|wrong) (?:webhook |request )?path(?:\s*$|:|\s['"/])|no controller registered for: \/)/i;
/** The most bytes of such a text. */
const longestRefusal = 100;

const isOfPath = (body: Uint8Array): boolean =>
  refusesPath.test(Buffer.from(body.subarray(0, longestRefusal)).toString('utf8'));

function ofStatus({ status, body }: HttpResponse): ResponseFault {
  if (status >= 300 && status < 400) return 'redirects';
  if (status === 404 || status === 405) return 'path-not-found';
  if ([400, 401, 403].includes(status) && isOfPath(body)) return 'path-not-found';
  if (status === 401 || status === 403 || status === 407) return 'unauthorized';
  return 'server-error';
}

/** The fault of a response; undefined if the API server accepts it. */
export function responseFault(
  response: HttpResponse,
  evaluated: EvaluatedResponse,
): ResponseFault | undefined {
  const { status, headers, body, cutShort } = response;
  if (evaluated.outcome === 'allowed' || evaluated.outcome === 'denied') return undefined;
  // Go repeats the POST at the new location, which may respond correctly.
  if ((status === 307 || status === 308) && headers.location !== undefined) return undefined;
  if (!isSuccess(status)) return ofStatus(response);
  if (evaluated.outcome === 'api-server-error') return 'patch-invalid';
  if (evaluated.outcome === 'unknown') return undefined;
  if (evaluated.unconverted === true) return 'conversion-failed';
  if (cutShort === true) return 'not-a-review';
  if (body.length === 0) return 'empty';
  return byText.find(([pattern]) => pattern.test(evaluated.text))?.[1] ?? 'not-a-review';
}
