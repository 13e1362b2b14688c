import { RE2JS } from 're2js';
import { spend } from './cost.ts';
import { NotEvaluable } from './value.ts';

/** Steps of the budget for each character of a pattern and each instruction of the compiled program. */
const toCompile = 300;
const cacheLimit = 1000;
const kept = new Map<string, RE2JS | undefined>();

/**
 * Compiles an RE2 pattern to match this text: the time of a match grows with the length of both. Throws
 * {@link NotEvaluable} if the pattern cannot be compiled, or the budget is exceeded.
 */
function ready(pattern: string, text: string): RE2JS {
  spend(toCompile * pattern.length);
  if (!kept.has(pattern)) {
    if (kept.size >= cacheLimit) kept.clear();
    kept.set(pattern, compile(pattern));
  }
  const compiled = kept.get(pattern);
  if (compiled === undefined) throw new NotEvaluable();
  spend(compiled.programSize() * (toCompile + text.length));
  return compiled;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** Go's Regexp.MatchString: true if any part of the text matches. */
export const matches = (text: string, pattern: string): boolean => ready(pattern, text).test(text);

/** Go's Regexp.FindAllString, `most` at most: an empty match directly after another match is ignored. */
export function findAll(text: string, pattern: string, most = Number.POSITIVE_INFINITY): readonly string[] {
  const found: string[] = [];
  let end = -1;
  if (most <= 0) return found;
  for (const { 0: match, index = 0 } of ready(pattern, text).matchAll(text)) {
    if (match === '' && index === end) continue;
    end = index + match.length;
    if (found.push(match) >= most) break;
  }
  return found;
}
