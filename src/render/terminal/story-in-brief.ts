import { calloutId } from '../../facts/callout.ts';
import { shellWord } from '../../phrases/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { andMore } from '../../phrases/lists.ts';
import type { Story } from '../resolved-stories.ts';
import { asResult, certainty, commandLabel, labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { stepLines } from './advice-text.ts';
import { type Labelled, labelled } from './labelled.ts';
import { shortenedLines, stateSentence, stepsOf, storyHeadline } from './story-words.ts';
import { type Style, wrap } from './style.ts';

/** One of several causes: webhook, message, commands; manual steps on request, if no command fixes it. */
export function storyInBrief(
  story: Story,
  nameOf: (id: string) => string,
  style: Style,
  withSteps: boolean,
): string[] {
  const { callouts, cause, next } = story;
  const [first, ...others] = callouts;
  const message = story.message ?? stateSentence(first);
  const name = style.paint.bold(calloutId(first));
  const more = others.length === 0 ? '' : ` ${andMore(others.length)}`;
  const [fix] = next.filter(({ when }) => when === 'fix');
  // The same fix, for each of its configurations.
  const commands = [
    ...next.filter(({ when }) => when === 'now').slice(0, 1),
    ...next.filter(({ when, id }) => when === 'fix' && id === fix?.id),
  ];
  const [log] = logsOf(first);
  const logged = brief(log?.lines.at(-1) ?? '');
  const ending = logged.replace(/^error: /i, '').replace(/ ?…$/, '');
  const lines: Labelled = [
    [labels.log, story.values.some(({ text }) => text.includes(ending)) ? undefined : logged],
    ...commands.map(({ when, command, deletes, title, because }): Labelled[number] => {
      const notes = [deletes === true ? asResult(title) : [], (when === 'fix' && because) || []].flat();
      return [commandLabel[when], [command.text, ...notes.map((note) => `(${note})`)].join('\n')];
    }),
  ];
  const details: Labelled = [
    [
      labels.details,
      `kubectl webhook doctor ${shellWord(nameOf(calloutId(first)))}${cause?.advice.flags ?? ''}`,
    ],
  ];
  const sure = certainty[cause?.confidence ?? first.verdict.confidence];
  const steps = withSteps ? stepLines(stepsOf(story)) : '';
  // A mitigation is no fix.
  const hasFix = fix !== undefined || steps !== '';
  return [
    ...wrap(
      `${storyHeadline(story, style)}  ${name}${more}  ${style.paint.dim(sure)}`,
      style.width,
      '',
      '  ',
    ),
    ...shortenedLines(wrap(message, style.width, '  '), style),
    ...labelled([...lines, [labels.manualFix, steps], ...(hasFix ? [] : details)], style).slice(1),
  ];
}
