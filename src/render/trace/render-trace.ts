import type { RequestTrace, TraceStepReport } from '../../diagnose/report.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import { listed } from '../../phrases/lists.ts';
import { diffLines } from '../change/render-change.ts';
import { type Labelled, labelled } from '../terminal/labelled.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';

function markOf({ outcome, effect }: TraceStepReport, { marks, paint }: Style): string {
  switch (outcome) {
    case 'patched':
    case 'unchanged':
    case 'allowed':
      return paint.green(marks.good);
    case 'denied':
      return paint.red(marks.bad);
    case 'failed':
      return effect === 'blocks' ? paint.red(marks.bad) : paint.yellow(marks.warning);
    case 'not-called':
      return paint.yellow(marks.unknown);
    case 'skipped':
      return paint.dim(marks.open);
  }
}

const outcomes: Readonly<Record<TraceStepReport['outcome'], string>> = {
  patched: 'patched',
  unchanged: 'not changed',
  allowed: 'allowed',
  denied: 'denied',
  failed: 'failed',
  skipped: 'not matched',
  'not-called': 'not called',
};

/** An operation of a JSON Patch as a line of a diff. */
function patchLine(operation: object, { paint }: Style): string {
  const { op, path, from, value } = operation as {
    readonly op?: string;
    readonly path?: string;
    readonly from?: string;
    readonly value?: unknown;
  };
  const shown = value === undefined ? '' : `: ${JSON.stringify(value)}`;
  if (op === 'remove') return paint.red(`- ${path}`);
  if (op === 'add') return paint.green(`+ ${path}${shown}`);
  return paint.cyan(`~ ${path}${shown}${from === undefined ? '' : ` (${op} from ${from})`}`);
}

function stepLines(step: TraceStepReport, printed: readonly string[], style: Style): readonly string[] {
  const { configuration, webhook, outcome, why, message, effect, patch = [], latencyMs } = step;
  const name = configuration === webhook ? configuration : `${configuration} ${style.marks.dot} ${webhook}`;
  const time = latencyMs === undefined ? '' : `  ${Math.round(latencyMs)} ms`;
  const open = effect === 'fails-open' ? ', ignored (failurePolicy: Ignore)' : '';
  const phase = step.phase === 'conversion' ? 'conversion of ' : '';
  const matched = step.matched === 'unknown' ? 'unknown whether it matches' : outcomes[outcome];
  return [
    ...wrap(
      `${markOf(step, style)} ${phase}${name}  ${style.paint.bold(matched)}${open}${time}`,
      style.width,
      '  ',
      '    ',
    ),
    ...wrap(why, style.width, '      '),
    ...(message === undefined || printed.includes(message) ? [] : wrap(message, style.width, '      ')),
    ...patch.flatMap((operation) => wrap(patchLine(operation, style), style.width, '      ', '        ')),
  ];
}

const resultMarks = { admitted: 'good', denied: 'bad', failed: 'bad', unknown: 'unknown' } as const;

const valueText = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));

function fieldText(field: NonNullable<RequestTrace['field']>): string {
  const { path, value, setBy, unknown = [], unlisted, stored } = field;
  const others = listed(
    unknown.map(({ configuration, webhook }) => `${configuration}/${webhook}`),
    { most: 3 },
  );
  const setter = (): string => {
    const uncalled = others && ` (not called: ${others})`;
    const change = value === undefined ? 'removed' : `set to ${valueText(value)}`;
    if (setBy !== undefined) return `${change} by ${setBy.configuration}/${setBy.webhook}${uncalled}`;
    if (unlisted) return 'unknown (mutating webhooks could not be listed)';
    return uncalled === '' ? `no webhook sets it (${valueText(value)})` : `unknown${uncalled}`;
  };
  const now = stored === undefined ? '' : `; the stored object has ${valueText(stored)}`;
  return `${path}: ${setter()}${now}`;
}

function dryRunText({ dryRun, noDryRun }: RequestTrace): string {
  if (dryRun === undefined) return `not made: ${noDryRun}`;
  const result = dryRun.result === 'admitted' ? 'admitted' : `refused: ${dryRun.message}`;
  if (dryRun.agrees === undefined) return result;
  return dryRun.agrees ? `agrees: ${dryRun.result}` : `differs from this trace: ${result}`;
}

function noSteps({ result }: RequestTrace): string {
  switch (result) {
    case 'unknown':
      return 'Not every webhook could be listed: none that was has rules for this resource.';
    case 'failed':
      return 'The API server refuses the request before it calls webhooks.';
    default:
      return 'No webhook has rules for this resource.';
  }
}

/** Renders the trace of a request as text. */
export function renderTrace(report: RequestTrace, look: Look): string {
  const style = styleOf(look);
  const { paint, marks } = style;
  const safe = harmlessDocument(report, look.unicode);
  const { request, user, steps, budget, result, messages, diff, field, notLookedAt } = safe;
  const { operation, group, resource, namespace, name } = request;
  const of = groupResourceOf({ group, resource });
  const object = [namespace, name].filter(Boolean).join('/');
  const section = (title: string, shown: readonly TraceStepReport[]): readonly string[] =>
    shown.length === 0
      ? []
      : [
          '',
          paint.bold(title),
          ...shown.flatMap((step) => stepLines(step, messages.length === 1 ? messages : [], style)),
        ];
  const lastMutating = steps.findLastIndex(({ phase }) => phase === 'mutating');
  const before = steps.slice(0, lastMutating + 1);
  const again = before.findIndex(({ round }) => round === 1);
  const first = again < 0 ? before : before.slice(0, again);
  const refused = result === 'unknown' ? 'yellow' : 'red';
  const mark = paint[result === 'admitted' ? 'green' : refused](marks[resultMarks[result]]);
  const spent = budget.seconds === undefined ? '' : ` of ${budget.seconds} s`;
  const lines: Labelled = [
    ...messages.map((text) => ['Response', text] as const),
    ['Time', `${budget.spent} s${spent} in webhooks`],
    ['Field', field && fieldText(field)],
    ['Dry run', dryRunText(safe)],
  ];
  return [
    `${operation} ${of} ${object}${user === undefined ? '' : ` ${marks.dot} as ${user.username}`}`,
    ...(steps.length === 0 ? ['', noSteps(safe)] : []),
    ...section('Mutating webhooks, one after the other', first),
    ...section('Mutating webhooks, second round', again < 0 ? [] : before.slice(again)),
    ...section('Validating webhooks, at the same time', steps.slice(lastMutating + 1)),
    ...(diff === undefined ? [] : ['', paint.bold('Changes'), ...diffLines(diff, style)]),
    '',
    `${mark} ${paint.bold(result)}`,
    ...labelled(lines, style).slice(1),
    ...(notLookedAt.length === 0 ? [] : ['', ...notLookedAtLines(notLookedAt, style, false)]),
    '',
  ].join('\n');
}
