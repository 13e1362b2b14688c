import type { ProbedEndpoint } from './observe.ts';
import { type ProbedCallout, type ProbeFacts, usableEndpoints } from './probed.ts';

/** A server that a new connection can meet, and how long its answer to a review took. */
export interface ResponseTime {
  readonly met: ProbedEndpoint;
  readonly milliseconds: number;
}

/** Of servers whose answer the API server would take. Throws NotKnown where nobody could probe. */
export const responseTimes = (probed: ProbedCallout, facts: ProbeFacts): readonly ResponseTime[] =>
  usableEndpoints(probed, facts).flatMap((met) => {
    const { meeting } = met;
    if (meeting.outcome !== 'answers' && meeting.outcome !== 'denies') return [];
    return meeting.answer === undefined ? [] : [{ met, milliseconds: meeting.milliseconds }];
  });

/** Those that take more than half of the webhook's timeout. */
export const slowAmong = (times: readonly ResponseTime[], timeoutSeconds: number): readonly ResponseTime[] =>
  times.filter(({ milliseconds }) => milliseconds > (timeoutSeconds * 1000) / 2);

/** `1.4 s` */
export const secondsText = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
