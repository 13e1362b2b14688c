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

/** Whether the line is the number of further commands. */
const isRest = (line: string): boolean => /^and \d+ more\.?$/.test(line);

/** The steps of an advice in order. */
export function adviceSteps(advice: FilledAdvice): readonly AdviceStep[] {
  const steps: { sentence: string; commands: string[] }[] = [];
  for (const line of adviceLines(advice).split('\n'))
    if (line.startsWith('  ') || isRest(line)) steps.at(-1)?.commands.push(line);
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

/** The first steps, and where the others are. */
export function firstSteps(steps: readonly AdviceStep[], most: number): string {
  const text = stepLines(steps.slice(0, most));
  return steps.length <= most ? text : `${text}\n(--details shows more steps)`;
}

/** A command whose condition, limit or conclusion may be in a later sentence. */
const changes = /\bkubectl (?:-n \S+ )?(?:delete|drain|patch|replace|scale) |\bhelm uninstall /;
const condition = /^(?:But|Before|Do|If|Keep|Never|Only|Then|Unless|Wait|While)\b/;

/** Whether a step can be hidden below a change: another command, or what prevents the failure in the future. */
const canFollow = ({ sentence, commands }: AdviceStep): boolean =>
  (commands.length > 0 || sentence.startsWith('To ')) && !condition.test(sentence);

/**
 * Numbers of first steps that can be shown alone, the largest first: they have a command, and no condition for a
 * change is hidden.
 */
export function stepCounts(steps: readonly AdviceStep[]): readonly number[] {
  const least = steps.findIndex(({ commands }) => commands.length > 0) + 1;
  const isChange = ({ sentence, commands }: AdviceStep): boolean =>
    [sentence, ...commands].some((text) => changes.test(text));
  return steps
    .map((_, at) => steps.length - at)
    .filter((count) => count >= least)
    .filter((count) => !steps.slice(0, count).some(isChange) || steps.slice(count).every(canFollow));
}

/** The fewest first steps that can be shown alone. */
export const leastSteps = (steps: readonly AdviceStep[]): string =>
  firstSteps(steps, stepCounts(steps).at(-1) ?? 0);
