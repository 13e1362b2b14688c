import { createHash } from 'node:crypto';

/** What becomes of a request for a page: what the API server says of whoever asks, or why nobody could say. */
export type Admission = 'allowed' | 'forbidden' | 'unauthenticated' | 'busy' | 'unknown';

/** Milliseconds that an answer is kept, how many are, and new ones that are asked for in a second. */
const age = 10_000;
const most = 256;
const eachSecond = 20;

/**
 * Whether callers may have a path, as the API server says. A short memory spares it the same question; how many new ones
 * it gets in a second is limited, whoever sends them. `review` may throw: then nobody is let in.
 */
export function callerCache(
  review: (token: string, path: string) => Promise<Admission>,
  now: () => number = Date.now,
): (token: string | undefined, path: string) => Promise<Admission> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Admission> }>();
  let second = 0;
  let asked = 0;
  return async (token, path) => {
    if (token === undefined) return 'unauthenticated';
    const key = createHash('sha256').update(`${path}\n${token}`).digest('base64');
    const before = known.get(key);
    if (before !== undefined && now() - before.at < age) return before.answer;
    const thisSecond = Math.floor(now() / 1000);
    if (thisSecond !== second) [second, asked] = [thisSecond, 0];
    if (asked >= eachSecond) return 'busy';
    asked += 1;
    const answer = review(token, path).catch((): Admission => 'unknown');
    known.delete(key);
    known.set(key, { at: now(), answer });
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    if ((await answer) === 'unknown') known.delete(key);
    return answer;
  };
}
