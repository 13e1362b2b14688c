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
  /** Its command, which is hidden, only reads. */
  readonly onlyReads?: true;
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

/** A command whose condition, limit or conclusion may be in a later sentence. */
const changes = /\bkubectl (?:-n \S+ )?(?:delete|drain|patch|replace|scale) |\bhelm uninstall /;
const condition = /^(?:But|Before|Do|If|Keep|Never|Only|Then|Unless|Wait|While)\b/;

/** Whether a step can be hidden below a change: another command, or what prevents the failure in the future. */
const canFollow = ({ sentence, commands }: AdviceStep): boolean =>
  (commands.length > 0 || sentence.startsWith('To ')) && !condition.test(sentence);

const isChange = ({ sentence, commands }: AdviceStep): boolean =>
  [sentence, ...commands].some((text) => changes.test(text));

/** A command that only reads. */
const reads =
  /^ *(?:curl|openssl s_client|kubectl (?:.* )?(?:get|describe|logs|top|can-i|api-resources|cert-check)(?: |$))/;
/** The beginning of a sentence that says what to read. */
const inspects = /^(?:Check|Compare|Find|List|Look|Read|See|Test)\b/;

/** Whether a step only finds something out: no failure ends with it. */
const isInspection = ({ sentence, commands, onlyReads }: AdviceStep): boolean =>
  commands.length === 0
    ? onlyReads === true || inspects.test(sentence)
    : commands.every((line) => isRest(line) || (reads.test(line) && !changes.test(line)));

/** A sentence that only introduces the command of a step. */
const introduces = /^(?:Its|The)\b/;

/** The steps, without the commands of those that only find something out. */
const withoutInspection = (steps: readonly AdviceStep[]): readonly AdviceStep[] =>
  steps.flatMap((step) => {
    if (step.commands.length === 0 || !isInspection(step)) return [step];
    return introduces.test(step.sentence)
      ? []
      : [{ sentence: step.sentence.replace(/:$/, '.'), commands: [], onlyReads: true }];
  });

/** The number of steps that may end the failure. */
export const endingSteps = (steps: readonly AdviceStep[]): number =>
  steps.filter((step) => !isInspection(step)).length;

/**
 * The steps to show: all, then fewer. Those that only find something out are hidden first; if the others do not fit, they
 * are shown alone. No condition of a change that is shown is hidden.
 */
export function stepChoices(
  steps: readonly AdviceStep[],
): readonly [readonly AdviceStep[], ...(readonly AdviceStep[])[]] {
  const brief = endingSteps(steps) === 0 ? [] : [withoutInspection(steps)];
  const fewer = [steps, ...brief].flatMap((all) =>
    all.flatMap((_, at) => {
      const [shown, hidden] = [all.slice(0, all.length - at), all.slice(all.length - at)];
      const isSafe = !shown.some(isChange) || hidden.every(canFollow);
      const hasPurpose = endingSteps(shown) > 0 || shown.some(({ commands }) => commands.length > 0);
      return isSafe && hasPurpose ? [shown] : [];
    }),
  );
  const byText = new Map(fewer.map((shown) => [stepLines(shown), shown]));
  byText.delete(stepLines(steps));
  return [steps, ...[...byText.values()].toSorted((a, b) => endingSteps(b) - endingSteps(a))];
}

/** These steps, and where the others are. */
export const shownSteps = (shown: readonly AdviceStep[], all: readonly AdviceStep[]): string =>
  shown === all ? stepLines(all) : `${stepLines(shown)}\n(--details shows more steps)`;

/** The fewest steps that can be shown alone; one of them ends the failure, if any step does. */
export const leastSteps = (steps: readonly AdviceStep[]): readonly AdviceStep[] => {
  const choices = stepChoices(steps);
  return choices.findLast((shown) => endingSteps(shown) > 0) ?? choices.at(-1) ?? [];
};
