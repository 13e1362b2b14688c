import { groupBy } from '../../basics/collections.ts';
import type { ClusterFinding, ExplainedText, Explanation, LikelyCause } from '../../explain/explanation.ts';
import { commandsWith, type FilledAdvice } from '../../phrases/advice.ts';
import { andMore, counted, firstOf } from '../../phrases/lists.ts';
import type { ScanReport } from '../../scan/scan-report.ts';
import { linkTitles } from '../checks/check-document.ts';
import { adviceLines } from '../terminal/advice-text.ts';
import { stateWord } from '../terminal/broken-table.ts';
import { labelled } from '../terminal/labelled.ts';
import { nextLines } from '../terminal/next-lines.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { labels } from '../text/labels.ts';
import type { Look } from '../text/look.ts';

const label = 12;

/** Indented lines with a label before the first. */
export const labelledLines = (name: string, lines: readonly string[], { width }: Look): readonly string[] =>
  lines
    .flatMap((line) => wrap(line, width - label - 2, '', /^\d\. /.test(line) ? '   ' : ''))
    .map((line, index) => `  ${(index === 0 ? name : '').padEnd(label)}${line}`);

/** Number of causes whose steps are printed: possible ones of a text, or present ones of the cluster. */
const mostFixes = 3;

/** Whether a command names an object that the text does not name. */
const isUnnamed = ({ steps, names: { kind } }: FilledAdvice): boolean =>
  kind !== 'apiservice' && [...commandsWith(steps, 'kind'), ...commandsWith(steps, 'crd')].length > 0;

/** Steps with the command that prints their KIND and NAME: at the end, or before a deletion, so that it is read first. */
function withNameCommand(advice: FilledAdvice, named: string | undefined): string {
  const { steps, names } = advice;
  const hasKind = names.kind === undefined && commandsWith(steps, 'kind').length > 0;
  const [first] = steps.filter(({ command }) => command !== undefined);
  const isDeletion = hasKind && first?.needs.includes('leftover') === true;
  const lines = adviceLines(advice);
  if (named === undefined && !isDeletion) return lines;
  const listing = [
    `${hasKind ? 'KIND and NAME are' : 'NAME is'} in the output of:`,
    `  ${['kubectl webhook list', named].filter(Boolean).join(' ')}`,
  ];
  return (isDeletion ? [...listing, lines] : [lines, ...listing]).join('\n');
}

/**
 * The manual steps of the likeliest causes, with the rank of the cause; those of several causes once. The first ones with
 * KIND and NAME have the command that prints these.
 */
function fixes({ causes, commands }: ExplainedText): readonly (readonly [steps: string, likely: number])[] {
  const all = causes
    .slice(0, mostFixes)
    .flatMap(({ advice, likely }) =>
      advice === undefined ? [] : [{ advice, lines: adviceLines(advice), likely }],
    );
  const named = /^kubectl webhook doctor (.+)$/.exec(commands[0] ?? '')?.[1];
  const first = all.find(({ advice }) => isUnnamed(advice));
  return all
    .filter(({ lines }, at) => all.findIndex((other) => other.lines === lines) === at)
    .map((one) => [one === first ? withNameCommand(one.advice, named) : one.lines, one.likely]);
}

/**
 * The text with the server and the timeout of a webhook instead of its URL, and without paths: the reader has it, and
 * needs to see which of several it is, and how it ends.
 */
const shortened = (text: string): string =>
  text
    .replace(
      /(failed calling (?:admission )?webhook "[^"]{1,300}"): (?:failed to call webhook: )?(?:Post|Get) "?https:\/\/([^\s"/?]{1,300})(?:\/[^\s"?]{0,500})?(\?[^\s"]{0,200}?)?(?:": |: )(?=\S)/g,
      (_all, called: string, host: string, query = '') =>
        `${called} (${[
          host,
          ...query
            .slice(1)
            .split('&')
            .filter((part: string) => part.startsWith('timeout=')),
        ].join(', ')}): `,
    )
    .replace(/(https?:\/\/[^/\s"]{1,300}\/)[^\s":)]{12,}/g, '$1...');

/** The beginning and the end of a long text, so that its explanation is on the first screen. */
const headed = (lines: readonly string[]): readonly string[] =>
  lines.length <= 4 ? lines : [...lines.slice(0, 2), '...', ...lines.slice(-1)];

/** Said where several causes are about as likely. */
const undecided = 'Several causes give this error. To find the one that applies:';

/** Whether most public incidents with this text had one cause, or the text has only one. */
const isDecided = ({ causes, incidents }: ExplainedText): boolean =>
  causes.length < 2 || (incidents !== undefined && incidents.withLikeliest >= 0.8 * incidents.known);

const shareOf = ({ incidents }: ExplainedText): string =>
  incidents === undefined || incidents.withLikeliest < 2
    ? ''
    : `: ${incidents.withLikeliest} of ${incidents.known} known incidents`;

/** The command of this plugin that finds the cause, and one of kubectl whose output differs between the causes. */
function confirmingCommands(commands: readonly string[]): readonly string[] {
  const [own] = commands;
  const other = commands.find((one) => !/^kubectl webhook |\b[A-Z]{4,}\b/.test(one));
  return [own, other].filter((one) => one !== undefined);
}

/** Whether a command prints the page of a check. */
const isPage = (command: string): boolean => command.startsWith('kubectl webhook checks ');

/** Where a call fails: a link of the chain, and what that is. */
function placeOf(link: string): readonly string[] {
  const title = (linkTitles as Readonly<Record<string, string>>)[link];
  return title === undefined || link === 'effect' ? [] : [`${link}: ${title}`];
}

/** The causes of a recognised text: those that the cluster has now, if there are any. */
function shownCauses({ causes, configuration }: ExplainedText, answers: readonly ClusterFinding[]) {
  const isFound = ({ check }: LikelyCause): boolean =>
    answers.some(({ callout, because }) => callout === configuration && because.includes(check));
  const found = causes.filter(isFound);
  const isNow = found.length > 0;
  const named = (cause: LikelyCause): string =>
    `${cause.title} (${cause.check}${isFound(cause) ? ', found now' : ''})`;
  return { isNow, shown: isNow ? found : causes, named };
}

/** Lines about a recognised text. */
function matchPart(match: ExplainedText, look: Look, answers: readonly ClusterFinding[]): readonly string[] {
  const { text, link, means, denial, causes, commands } = match;
  const section = (name: string, lines: readonly string[]) => labelledLines(name, lines, look);
  const { isNow, shown, named } = shownCauses(match, answers);
  const hidden = causes.length - shown.length;
  const [first, ...others] = shown;
  const confirming = first === undefined || isNow ? [] : confirmingCommands(commands);
  const further = commands.filter((command) => !confirming.includes(command));
  const steps = isNow ? [] : fixes(match);
  const stepLines = (isOfFirst: boolean) =>
    steps
      .filter(([, likely]) => (likely === 1) === isOfFirst)
      .flatMap(([lines, likely]) => section(isOfFirst ? 'Fix' : `Fix for ${likely}`, lines.split('\n')));
  const likeliest = first === undefined ? [] : [named(first) + (isNow ? '' : shareOf(match))];
  return [
    ...headed(wrap(shortened(text), look.width)).map((line) => styleOf(look).paint.bold(line)),
    ...section('Means', [means]),
    ...section('Message', denial === undefined ? [] : [denial]),
    ...section(isNow ? 'Cause' : 'Likeliest', likeliest),
    ...section(
      'Confirm',
      confirming.length > 0 && !isDecided(match) ? [undecided, ...confirming] : confirming,
    ),
    ...stepLines(true),
    ...section('Where', placeOf(link)),
    ...section('Others', [
      ...others.map((one) => `${one.likely}. ${named(one)}`),
      ...(hidden === 0 ? [] : [andMore(hidden, '--no-cluster lists them')]),
    ]),
    ...shown.flatMap(({ likely, behind = [] }) =>
      behind.length === 0 || isNow
        ? []
        : section(likely === 1 ? 'Its causes' : `Causes of ${likely}`, [
            `found by \`kubectl webhook doctor\` (${counted(behind.length, 'check')})`,
          ]),
    ),
    ...stepLines(false),
    ...section(
      confirming.length === 0 && steps.length === 0 ? 'Run' : 'Also run',
      further.filter((command) => !isPage(command)),
    ),
    ...section(labels.docs, further.filter(isPage)),
    '',
  ];
}

/** Lines about each recognised text; about the most similar known text if none is recognised. */
export const matchLines = (
  { matches = [], nearest }: Pick<ScanReport, 'matches' | 'nearest'>,
  look: Look,
  answers: readonly ClusterFinding[] = [],
): readonly string[] => [
  ...matches.flatMap((match) => matchPart(match, look, answers)),
  ...(matches.length > 0 ? [] : ['No known webhook error in this text.']),
  ...(nearest === undefined
    ? []
    : [
        'The nearest known text:',
        ...wrap(nearest.says, look.width - 2).map((line) => `  ${line}`),
        ...labelledLines('Means', [nearest.means], look),
      ]),
];

/** Maximum number of different causes in the cluster. */
const mostStates = 5;

/** The mitigation and the fix of a finding; the manual steps if no remedy fixes it. */
const fixLines = ({ next = [], advice }: ClusterFinding, style: Style): readonly string[] =>
  labelled(
    [
      ...nextLines(next, true),
      ...(advice === undefined || next.some(({ when }) => when === 'fix')
        ? []
        : [[labels.manualFix, adviceLines(advice)] as const]),
    ],
    style,
  ).slice(1);

/**
 * The present states of webhooks and APIServices, those with the same cause together. With few causes, the commands for
 * each.
 */
function clusterLines(findings: readonly ClusterFinding[], look: Look): readonly string[] {
  const style = styleOf(look);
  const groups = [
    ...groupBy(findings, ({ state, because: [cause], message }) => `${state} ${cause} ${message}`).values(),
  ];
  const hidden = groups.length - mostStates;
  return [
    ...groups.slice(0, mostStates).flatMap(([first, ...others]) => {
      const { state, because, message = because.join(', ') } = first;
      const check = first.message === undefined ? '' : ` (${because[0]})`;
      const names = [first, ...others].map(({ callout }) => callout);
      return [
        ...wrap(`${stateWord(state, style)}  ${firstOf(names)}`, look.width, '  ', '    '),
        ...(message === '' ? [] : wrap(`${message}${check}`, look.width, '    ')),
        ...(groups.length <= mostFixes ? fixLines(first, style).map((line) => `  ${line}`) : []),
      ];
    }),
    ...(hidden > 0 ? [`  ${andMore(hidden, 'kubectl webhook doctor lists them')}`] : []),
  ];
}

/** Renders the explanation of a pasted text. */
export function renderExplanation(explanation: Explanation, look: Look): string {
  const harmless = harmlessDocument(explanation, look.unicode);
  const { cluster, clusterMore = [], notLive, notLookedAt = [], notRead = 0 } = harmless;
  const answers = [...(cluster === undefined ? [] : [cluster]), ...clusterMore];
  const states = clusterLines(answers, look);
  const unseen = notLive === undefined ? [] : wrap(notLive, look.width, '  ');
  return [
    ...(states.length === 0 ? [] : ['In this cluster', ...states, ...unseen, '']),
    ...matchLines(harmless, look, answers),
    ...(states.length > 0 || unseen.length === 0 ? [] : ['In this cluster', ...unseen, '']),
    ...(notRead === 0
      ? []
      : [
          `${counted(notRead, 'more record was', 'more records were')} not read. For a log: kubectl webhook scan FILE`,
        ]),
    ...notLookedAtLines(notLookedAt, styleOf(look), false),
  ]
    .join('\n')
    .replace(/\n*$/, '\n');
}
