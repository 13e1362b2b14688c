import type { Callout } from '../../facts/callout.ts';
import { failingServers } from './failing-servers.ts';
import type { ProbeFacts } from './probed-callouts.ts';
import { usableEndpoints } from './probed-endpoints.ts';
import type { ProbedEndpoint } from './probed-servers.ts';

/** A server that a new connection can reach, and the time of its response to a review. */
export interface ResponseTime {
  readonly endpoint: ProbedEndpoint;
  readonly milliseconds: number;
}

/** Response times of servers with an accepted response. Throws NotKnown if the callout was not probed. */
export const responseTimes = (callout: Callout, facts: ProbeFacts): readonly ResponseTime[] =>
  usableEndpoints(callout, facts).flatMap((endpoint) => {
    const { callResult } = endpoint;
    if (callResult.outcome !== 'answers' && callResult.outcome !== 'denies') return [];
    return callResult.answer === undefined ? [] : [{ endpoint, milliseconds: callResult.milliseconds }];
  });

/** Response times above half of the webhook's timeout. */
export const slowAmong = (times: readonly ResponseTime[], timeoutSeconds: number): readonly ResponseTime[] =>
  times.filter(({ milliseconds }) => milliseconds > (timeoutSeconds * 1000) / 2);

/**
 * True if all servers respond to this machine, and one in less than half of the webhook's timeout. Responses that
 * are slow for this machine are slower for the API server.
 */
export function respondsInTime(callout: Callout, facts: ProbeFacts): boolean {
  const usable = usableEndpoints(callout, facts);
  const times = responseTimes(callout, facts);
  return (
    times.length > 0 &&
    times.length === usable.length &&
    slowAmong(times, callout.timeoutSeconds).length < times.length
  );
}

/** The servers whose responses come after the timeout; `slowest` is in milliseconds. */
export function lateServers(callout: Callout, facts: ProbeFacts) {
  const found = failingServers(callout, facts, ({ callResult }) => callResult.fault === 'late');
  if (found === undefined) return undefined;
  const slowest = Math.max(...found.endpoints.map(({ callResult: { milliseconds = 0 } }) => milliseconds));
  return {
    extent: found.extent,
    evidence: found.evidence,
    slowest,
    data: { ...found.data, slowest: secondsText(slowest) },
  };
}

/** `1.4 s` */
export const secondsText = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
