import { unavailableCode } from '../admission/failure-policy.ts';
import { writeSeconds } from '../budget/budget.ts';
import { outOfTime } from '../budget/timeline.ts';
import { admissionFailure } from '../sentences/call-sentence.ts';
import { behaves } from '../server-version.ts';
import type { EvaluatedResponse, RawResponse, ReviewContext } from './raw-response.ts';
import { evaluateResponse, secondsUntilRetry } from './response.ts';

/** Maximum number of requests when Go's client follows redirects (net/http defaultCheckRedirect). */
const mostRedirects = 10;
/** Maximum number of retries after a Retry-After (client-go/rest/request.go maxRetries). */
export const mostRetries = 10;

/** The URL of a call, and its timeout. */
export interface RepeatedCall {
  /** Without `?timeout=`. */
  readonly url: string;
  readonly timeoutSeconds: number;
}

/**
 * The result of a call if the backend sends the same response to every request: this decides a redirect to
 * itself, and a Retry-After. The error quotes the Location header as it was sent. A redirect to another host
 * stays unknown.
 */
export function evaluateRepeated(
  answer: RawResponse,
  context: ReviewContext,
  call: RepeatedCall,
): EvaluatedResponse {
  const once = evaluateResponse(answer, context);
  if (once.outcome !== 'unknown') return once;
  const { location = '' } = answer.headers;
  const fails = (url: string, cause: string): EvaluatedResponse => {
    const stage = behaves(context.server, 'call-stage') ? 'failed to call webhook: ' : '';
    const text = admissionFailure(context, `${stage}Post "${url}": ${cause}`);
    return { outcome: 'call-failure', text, complete: true, code: unavailableCode(context.server) };
  };
  if (answer.status < 400 && location !== '' && URL.canParse(location, call.url)) {
    const target = new URL(location, call.url);
    if (target.host !== new URL(call.url).host || target.protocol !== 'https:') return once;
    return fails(location, `stopped after ${mostRedirects} redirects`);
  }
  const wait = secondsUntilRetry(answer);
  if (wait === undefined) return once;
  if (wait >= writeSeconds && !behaves(context.server, 'retry-after-bounded'))
    return { outcome: 'api-server-error', text: outOfTime, complete: true, code: 504 };
  if (wait * mostRetries >= call.timeoutSeconds) {
    return fails(`${call.url}?timeout=${call.timeoutSeconds}s`, 'context deadline exceeded');
  }
  const { 'retry-after': _, ...headers } = answer.headers;
  return evaluateResponse({ ...answer, headers }, context);
}
