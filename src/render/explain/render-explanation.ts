import { groupBy } from '../../basics/collections.ts';
import type { ClusterFinding, ExplainedText, Explanation, LikelyCause } from '../../explain/explanation.ts';
import { agreeing, andMore, counted, firstOf } from '../../phrases/lists.ts';
import type { ScanReport } from '../../scan/scan-report.ts';
import { adviceLines } from '../terminal/advice-text.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';

const label = 12;

/** Indented lines with a label before the first. */
export const labelledLines = (name: string, lines: readonly string[], { width }: Look): readonly string[] =>
  lines
    .flatMap((line) => wrap(line, width - label - 2, '', /^\d\. /.test(line) ? '   ' : ''))
    .map((line, index) => `  ${(index === 0 ? name : '').padEnd(label)}${line}`);

/** Number of causes whose manual steps are printed. */
const mostFixes = 3;

/** The manual steps of the likeliest causes, with the rank of the cause; those of several causes once. */
function fixes(causes: readonly LikelyCause[]): readonly (readonly [steps: string, likely: number])[] {
  const all = causes
    .slice(0, mostFixes)
    .flatMap(({ advice, likely }) => (advice === undefined ? [] : [[adviceLines(advice), likely] as const]));
  return all.filter(([steps], at) => all.findIndex(([other]) => other === steps) === at);
}

/** Lines about each recognised text; about the most similar known text if none is recognised. */
export function matchLines(
  { matches = [], nearest }: Pick<ScanReport, 'matches' | 'nearest'>,
  look: Look,
  answers: readonly ClusterFinding[] = [],
): readonly string[] {
  const { paint } = styleOf(look);
  const labelled = (name: string, lines: readonly string[]) => labelledLines(name, lines, look);
  const holds = (check: string, configuration: string | undefined): string =>
    answers.some(({ callout, because }) => callout === configuration && because.includes(check))
      ? ', found now'
      : '';
  const part = ({ text, configuration, link, means, denial, causes, commands }: ExplainedText): string[] => [
    ...wrap(text, look.width).map((line) => paint.bold(line)),
    ...labelled('Means', [means]),
    ...(denial === undefined ? [] : labelled('Message', [denial])),
    ...labelled('Link', [link]),
    ...labelled(
      'Causes',
      causes.map(
        ({ check, title, likely }) => `${likely}. ${title} (${check}${holds(check, configuration)})`,
      ),
    ),
    ...causes.flatMap(({ likely, behind = [] }) =>
      behind.length === 0 ? [] : labelled(`Causes of ${likely}`, [behind.join(', ')]),
    ),
    ...fixes(causes).flatMap(([steps, likely]) => labelled(`Fix for ${likely}`, steps.split('\n'))),
    ...labelled('Run', commands),
    '',
  ];
  return [
    ...matches.flatMap(part),
    ...(matches.length > 0 ? [] : ['No known webhook error in this text.']),
    ...(nearest === undefined
      ? []
      : [
          'The nearest known text:',
          ...wrap(nearest.says, look.width - 2).map((line) => `  ${line}`),
          ...labelled('Means', [nearest.means]),
        ]),
  ];
}

/** Maximum number of different causes in the cluster. */
const mostStates = 5;

/** The present states of webhooks and APIServices: one text for those with the same cause. */
function statesNow(answers: readonly ClusterFinding[]): readonly string[] {
  const texts = groupBy(answers, ({ state, because, message }) => {
    const [check] = because;
    const why = message ?? because.join(', ');
    return `${state} now${why === '' ? '' : `: ${why}`}${message === undefined || check === undefined ? '' : ` (${check})`}`;
  });
  const lines = [...texts].map(([text, some]) => {
    const names = some.map(({ callout }) => callout);
    return `${firstOf(names)} ${agreeing(names.length, 'is', 'are')} ${text}`;
  });
  const hidden = lines.splice(mostStates).length;
  return hidden === 0 ? lines : [...lines, andMore(hidden, 'kubectl webhook doctor lists them')];
}

/** Renders the explanation of a pasted text. */
export function renderExplanation(explanation: Explanation, look: Look): string {
  const harmless = harmlessDocument(explanation, look.unicode);
  const { cluster, clusterMore = [], notLive, notLookedAt = [], notRead = 0 } = harmless;
  const answers = [...(cluster === undefined ? [] : [cluster]), ...clusterMore];
  return [
    ...matchLines(harmless, look, answers),
    ...(notRead === 0
      ? []
      : [
          `${counted(notRead, 'more record was', 'more records were')} not read. For a log: kubectl webhook scan FILE`,
        ]),
    ...statesNow(answers).flatMap((state) => wrap(`In this cluster: ${state}`, look.width)),
    ...(notLive === undefined ? [] : wrap(`In this cluster: ${notLive}`, look.width)),
    ...notLookedAtLines(notLookedAt, styleOf(look), false),
  ]
    .join('\n')
    .replace(/\n*$/, '\n');
}
