import { type FilledAdvice, filledSteps, type Role, textOfParts } from '../../phrases/advice.ts';
import { andMore } from '../../phrases/lists.ts';

/** A step for a terminal: its prose, and the commands below it, without backticks, to be copied. */
export interface AdviceStep {
  readonly role: Role;
  readonly sentence: string;
  readonly commands: readonly string[];
}

/** The steps of an advice in order. */
export const adviceSteps = (advice: FilledAdvice): readonly AdviceStep[] =>
  filledSteps(advice).map(({ role, prose, commands, others }) => ({
    role,
    sentence: `${textOfParts(prose)}${prose.length > 0 && commands.length > 0 ? ':' : ''}`,
    commands: [
      ...commands.map(({ text }) => `  ${text}`),
      // The number of further commands has its own line, too.
      ...(others > 0 ? [andMore(others)] : []),
    ],
  }));

/** These steps as lines: sentences without a command share them. */
export const stepLines = (steps: readonly AdviceStep[]): string =>
  steps
    .map(({ sentence, commands }, at) => {
      const before = steps[at - 1];
      const between = (before?.commands.length ?? 0) > 0 ? '\n' : ' ';
      return (at === 0 ? '' : between) + [...(sentence === '' ? [] : [sentence]), ...commands].join('\n');
    })
    .join('');

/** An advice as lines. */
export const adviceLines = (advice: FilledAdvice): string => stepLines(adviceSteps(advice));

const isLook = ({ role }: AdviceStep): boolean => role === 'look' || role === 'see';

/** The steps, without the commands of those that only find something out. */
const withoutLooks = (steps: readonly AdviceStep[]): readonly AdviceStep[] =>
  steps.flatMap((step) => {
    if (!isLook(step) || step.commands.length === 0) return [step];
    return step.role === 'see' ? [] : [{ ...step, sentence: `${step.sentence.slice(0, -1)}.`, commands: [] }];
  });

/** The number of steps that may end the failure. */
export const endingSteps = (steps: readonly AdviceStep[]): number =>
  steps.filter((step) => !isLook(step) && step.role !== 'prevent' && step.role !== 'with').length;

/**
 * The steps to show: all, then fewer. Those that only find something out are hidden first; if the others do not fit, they
 * are shown alone. No condition of a step that is shown is hidden.
 */
export function stepChoices(
  steps: readonly AdviceStep[],
): readonly [readonly AdviceStep[], ...(readonly AdviceStep[])[]] {
  const brief = endingSteps(steps) === 0 ? [] : [withoutLooks(steps)];
  const fewer = [steps, ...brief].flatMap((all) =>
    all.flatMap((_, at) => {
      const shown = all.slice(0, all.length - at);
      const hasPurpose = endingSteps(shown) > 0 || shown.some(({ commands }) => commands.length > 0);
      return hasPurpose && all[shown.length]?.role !== 'with' ? [shown] : [];
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
