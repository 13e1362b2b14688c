import { adviceParts, endOfSentence, type FilledAdvice } from '../../phrases/advice.ts';

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

/** A step: a sentence, and the commands below it. */
export interface AdviceStep {
  readonly sentence: string;
  readonly commands: readonly string[];
}

/** The steps of an advice in order. */
export function adviceSteps(advice: FilledAdvice): readonly AdviceStep[] {
  const steps: { sentence: string; commands: string[] }[] = [];
  for (const line of adviceLines(advice).split('\n'))
    if (line.startsWith('  ')) steps.at(-1)?.commands.push(line);
    else for (const sentence of line.split(endOfSentence)) steps.push({ sentence, commands: [] });
  return steps;
}

/** These steps as lines: sentences without a command share them. */
export const stepLines = (steps: readonly AdviceStep[]): string =>
  steps
    .map(({ sentence, commands }, at) => {
      const before = steps[at - 1];
      const between = before === undefined ? '' : before.commands.length > 0 ? '\n' : ' ';
      return [between + sentence, ...commands].join('\n');
    })
    .join('');
