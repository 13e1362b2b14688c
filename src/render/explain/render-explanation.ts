import type { ClusterAnswer, ExplainedText, Explanation } from '../../explain/explanation.ts';
import { counted } from '../../phrases/numbers.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { styleOf } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';

const label = 12;

/** Renders what a pasted text means, for people. */
export function renderExplanation(explanation: Explanation, look: Look): string {
  const {
    matches,
    nearest,
    cluster,
    clusterMore = [],
    notLive,
    notLookedAt = [],
    notRead = 0,
  } = harmlessDocument(explanation, look.unicode);
  const style = styleOf(look);
  const { paint } = style;
  const labelled = (name: string, lines: readonly string[]): string[] =>
    lines
      .flatMap((line) => wrap(line, look.width - label - 2))
      .map((line, index) => `  ${(index === 0 ? name : '').padEnd(label)}${line}`);

  const told = ({ text, link, means, denial, causes, commands }: ExplainedText): string[] => [
    ...wrap(text, look.width).map((line) => paint.bold(line)),
    ...labelled('Means', [means]),
    ...(denial === undefined ? [] : labelled('Message', [denial])),
    ...labelled('Link', [link]),
    ...labelled(
      'Causes',
      causes.map(({ check, title, likely }) => `${likely}. ${title} (${check})`),
    ),
    ...labelled('Run', commands),
    '',
  ];
  const now = ({ callout, state, because, message }: ClusterAnswer): string => {
    const why = message ?? because.join(', ');
    return `${callout} is ${state} now${why === '' ? '' : `: ${why}`}${message === undefined || because.length === 0 ? '' : ` (${because[0]})`}`;
  };
  return [
    ...matches.flatMap(told),
    ...(matches.length > 0 ? [] : ['No known webhook error in this text.']),
    ...(nearest === undefined
      ? []
      : [
          'The nearest known text:',
          ...wrap(nearest.says, look.width - 2).map((line) => `  ${line}`),
          ...labelled('Means', [nearest.means]),
        ]),
    ...(notRead === 0
      ? []
      : [
          `${counted(notRead, 'record', 'records')} more ${notRead === 1 ? 'was' : 'were'} not read. For a log: kubectl webhook scan FILE`,
        ]),
    ...[...(cluster === undefined ? [] : [cluster]), ...clusterMore].flatMap((answer) =>
      wrap(`In this cluster: ${now(answer)}`, look.width),
    ),
    ...(notLive === undefined ? [] : wrap(`In this cluster: ${notLive}`, look.width)),
    ...notLookedAtLines(notLookedAt, style, false),
  ]
    .join('\n')
    .replace(/\n*$/, '\n');
}
