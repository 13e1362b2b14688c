import { createHash } from 'node:crypto';

/** The decision about a request: the API server's answer about its caller, or the reason that there is none. */
export type Admission = 'allowed' | 'forbidden' | 'unauthenticated' | 'busy' | 'unknown';

/** Milliseconds that a decision is cached, the number of cached ones, and new reviews in a second: for all, and for one address. */
const age = 10_000;
const most = 256;
const eachSecond = 20;
const eachAddress = 10;
/** Callers that were allowed before: the rate limit for new callers does not apply to them. */
const mostAllowed = 64;

const keepNewest = (
  keys: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  limit: number,
) => {
  const { value } = keys.keys().next();
  if (keys.size > limit) keys.delete(value as string);
};

/**
 * Decides whether a caller may read a path, by the API server's access review. Results are cached for a short
 * time, and the number of new reviews in a second is limited for all and for each address. `review` may
 * throw: then access is denied.
 */
export function callerCache(
  review: (token: string, path: string) => Promise<Admission>,
  now: () => number = Date.now,
): (token: string | undefined, path: string, address: string) => Promise<Admission> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Admission> }>();
  const allowedCallers = new Set<string>();
  let second = 0;
  let reviews = new Map<string, number>();
  const isTooOften = (address: string): boolean => {
    const thisSecond = Math.floor(now() / 1000);
    if (thisSecond !== second) [second, reviews] = [thisSecond, new Map()];
    const ofIt = reviews.get(address) ?? 0;
    const all = [...reviews.values()].reduce((sum, count) => sum + count, 0);
    if (all >= eachSecond || ofIt >= eachAddress) return true;
    reviews.set(address, ofIt + 1);
    return false;
  };
  return async (token, path, address) => {
    if (token === undefined) return 'unauthenticated';
    const key = createHash('sha256').update(`${path}\n${token}`).digest('base64');
    const before = known.get(key);
    if (before !== undefined && now() - before.at < age) return before.answer;
    if (!allowedCallers.has(key) && isTooOften(address)) return 'busy';
    const answer = review(token, path).catch((): Admission => 'unknown');
    known.delete(key);
    known.set(key, { at: now(), answer });
    keepNewest(known, most);
    const admission = await answer;
    if (admission === 'unknown') known.delete(key);
    else allowedCallers.delete(key);
    if (admission === 'allowed') keepNewest(allowedCallers.add(key), mostAllowed);
    return admission;
  };
}
