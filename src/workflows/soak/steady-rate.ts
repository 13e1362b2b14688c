import { setTimeout as sleep } from 'node:timers/promises';

/** Requests under way at once: an API server that hangs is not piled up on. */
const mostUnderWay = 200;

/**
 * Calls `send` so many times a second until `ended`, whether earlier calls have been answered or not; then waits for
 * those that are under way. Answers with how many could not be sent because too many were.
 */
export async function steadyRate(
  rate: number,
  ended: AbortSignal,
  send: (sentAt: number) => Promise<void>,
): Promise<{ readonly milliseconds: number; readonly notSent: number }> {
  const began = performance.now();
  const underWay = new Set<Promise<void>>();
  let notSent = 0;
  for (let number = 0; !ended.aborted; number += 1) {
    const wait = (number * 1000) / rate - (performance.now() - began);
    if (wait > 1) await sleep(wait, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) break;
    if (underWay.size >= mostUnderWay) {
      notSent += 1;
      // Without this a loop that is behind its time would never let an answer in.
      await sleep(0);
      continue;
    }
    const sending = send(performance.now() - began).finally(() => underWay.delete(sending));
    underWay.add(sending);
    if (wait <= 0) await new Promise(setImmediate);
  }
  const milliseconds = performance.now() - began;
  await Promise.all(underWay);
  return { milliseconds, notSent };
}
