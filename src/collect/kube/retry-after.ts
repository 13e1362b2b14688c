import type { Answer } from './exchange.ts';

/** Tries of one request, the first included. */
const mostTries = 6;
/** Milliseconds; a server that wants a longer pause is not waited for. */
const longestPause = 60_000;

/**
 * Milliseconds to wait before the same request is made again; undefined: the answer stands. Asked again is only what the
 * server itself wants asked again: 429 and 5xx with Retry-After. Source: client-go/rest/with_retry.go.
 */
export function pauseBeforeRetry(answer: Answer, tries: number, now = Date.now()): number | undefined {
  const asked = answer.headers['retry-after'];
  if (asked === undefined || tries >= mostTries) return undefined;
  if (answer.status !== 429 && answer.status < 500) return undefined;
  const pause = /^\d+$/.test(asked) ? Number(asked) * 1000 : httpDate(asked) - now;
  return Number.isNaN(pause) || pause > longestPause ? undefined : Math.max(pause, 0);
}

/** `Thu, 01 Jan 2026 00:00:07 GMT`; NaN for anything else, of which Date.parse understands too much. */
function httpDate(text: string): number {
  return / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
