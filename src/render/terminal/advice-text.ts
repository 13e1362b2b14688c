import { adviceParts, type FilledAdvice } from '../../phrases/advice.ts';

/**
 * Prepares advice for a terminal: a command that ends a clause (`…: `kubectl …`;`) gets its own line without
 * backticks, to be copied. A command inside a sentence stays there and is not broken.
 */
export function adviceLines(advice: FilledAdvice): string {
  const parts = adviceParts(advice);
  let alone = false;
  const lines = parts.map((part, at) => {
    // The number of further commands has its own line, too.
    if (typeof part === 'string')
      return `${alone ? part.replace(/^[.;,]?\s*/, '') : part}${alone && typeof parts[at + 1] === 'string' ? '\n' : ''}`;
    const text = 'code' in part ? part.code : part.text;
    const [before, after] = [parts[at - 1] ?? '', parts[at + 1] ?? ''];
    alone = !('code' in part) && /(^ ?|: )$/.test(String(before)) && /^([.;,]|\s*$)/.test(String(after));
    return alone ? `\n  ${text}\n` : `\`${text}\``;
  });
  return lines
    .join('')
    .replaceAll(': \n', ':\n')
    .replaceAll('\n\n', '\n')
    .replace(/^\n|\n$/g, '');
}
