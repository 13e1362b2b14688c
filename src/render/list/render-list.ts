import { calloutStates, effects, type ListItem, type WebhookList } from '../../diagnose/report.ts';
import { calloutId, calloutKinds } from '../../facts/callout.ts';
import { unreadText } from '../../facts/unread.ts';
import { listed, noneChosen } from '../../phrases/lists.ts';
import { columns } from '../certificates/columns.ts';
import { reportDocument } from '../data-formats/document.ts';
import { nameLines } from '../data-formats/name.ts';
import { documentList, documentText, isDataFormat } from '../data-formats/print-document.ts';
import type { ListColumn, OutputFormat } from '../render-report.ts';
import { styleOf } from '../terminal/style.ts';
import { harmless, harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';

type Cell = (item: ListItem) => string;

const nothing = '-';

/** Configuration and webhook in the form that commands accept; unique within its kind. */
const nameOf: Cell = ({ kind, configuration, webhook }) =>
  calloutKinds[kind].review === 'AdmissionReview' ? `${configuration}/${webhook}` : configuration;

const serviceOf: Cell = ({ backend: { service, url = nothing } }) =>
  service === undefined ? url : `${service.namespace}/${service.name}:${service.port}`;

/** State and cause. A webhook without a finding is not `healthy`: no connection was made. */
const statusOf: Cell = ({
  deleted,
  verdict: {
    state,
    because: [cause],
  },
}) => {
  if (deleted) return 'deleted';
  if (state === 'healthy') return 'not probed';
  return cause === undefined ? state : `${state} (${cause})`;
};

const certificateOf: Cell = ({ certificateExpires }) =>
  certificateExpires === undefined ? nothing : `${certificateExpires.slice(0, 10)}(CA)`;

const readyOf: Cell = ({ ready, backend }) => {
  if (ready !== undefined) return `${ready.ready}/${ready.total}`;
  return backend.service === undefined ? nothing : '?';
};

const narrow = {
  name: nameOf,
  kind: ({ kind }) => calloutKinds[kind].prefix,
  policy: ({ failurePolicy = nothing }) => failurePolicy,
  timeout: ({ timeoutSeconds }) => `${timeoutSeconds}s`,
  service: serviceOf,
  ready: readyOf,
  'cert-expires': certificateOf,
  status: statusOf,
} satisfies Record<string, Cell>;

const wide = {
  ...narrow,
  intercepts: ({ intercepts }: ListItem) => intercepts,
  'managed-by': ({ managedBy = nothing }: ListItem) => managedBy,
  rules: ({ rules }: ListItem) => String(rules ?? nothing),
  order: ({ order }: ListItem) => String(order ?? nothing),
} satisfies Record<ListColumn, Cell>;

const numbers: Readonly<Partial<Record<ListColumn, (item: ListItem) => number>>> = {
  timeout: ({ timeoutSeconds }) => timeoutSeconds,
  ready: ({ ready }) => ready?.ready ?? -1,
  rules: ({ rules = -1 }) => rules,
  order: ({ order = Number.POSITIVE_INFINITY }) => order,
  status: ({ verdict: { state } }) => calloutStates.indexOf(state),
};

/** What a failure does, as `doctor` sorts it: blocked requests before unchecked ones; then Fail before Ignore. */
const harm = ({ verdict: { effect }, failurePolicy }: ListItem): number =>
  2 * effects.indexOf(effect) + (failurePolicy === 'Ignore' ? 1 : 0);

/** Items sorted by a column; items of one status by their effect; items with equal rank by name. */
function sortedBy<I extends ListItem>(items: readonly I[], column: ListColumn): readonly I[] {
  const rank = numbers[column];
  const by = (a: ListItem, b: ListItem, cell: Cell): number => cell(a).localeCompare(cell(b), 'en');
  return items.toSorted(
    (a, b) =>
      (rank === undefined ? by(a, b, wide[column]) : Math.sign(rank(a) - rank(b)) || 0) ||
      (column === 'status' ? harm(a) - harm(b) : 0) ||
      by(a, b, nameOf),
  );
}

/** Layout of a list. `folds`: a row that is too wide continues on further lines. */
export interface ListLook extends Look {
  readonly headers: boolean;
  readonly sortBy?: ListColumn | undefined;
  readonly folds: boolean;
  /** Column widths shared by consecutive tables; they only increase. */
  readonly widths?: number[];
}

function table<I extends ListItem>(
  items: readonly I[],
  cells: Readonly<Record<string, (item: I) => string>>,
  look: ListLook,
): string {
  const { headers, folds, width, widths = [] } = look;
  const { paint } = styleOf(look);
  const paints = { failing: paint.red, degraded: paint.yellow, unknown: paint.magenta, healthy: paint.dim };
  const rows = items.map((item) =>
    Object.entries(cells).map(([column, cell]) =>
      column === 'status' ? paints[item.verdict.state](cell(item)) : cell(item),
    ),
  );
  const names = Object.keys(cells);
  const all = headers ? [names.map((name) => name.toUpperCase()), ...rows] : rows;
  const lines = columns(all, widths);
  if (!folds || linesWithin(width, widths).length === 1) return lines.map((line) => `${line}\n`).join('');
  const order = names.map((_, at) => at).sort((a, b) => leads(names[a]) - leads(names[b]));
  const inOrder = <T>(row: readonly T[]): readonly T[] => order.flatMap((at) => row.slice(at, at + 1));
  const folded = linesWithin(width, inOrder(widths)).map(([start, end]) =>
    columns(
      all.map((row) => inOrder(row).slice(start, end)),
      inOrder(widths).slice(start, end),
    ),
  );
  return all.map((_, row) => `${folded.map((line) => line[row]).join('\n  ')}\n`).join('');
}

/** The columns of the first line of a row that continues on a second line. */
const leading: readonly (string | undefined)[] = ['cluster', 'name', 'status', 'ready'];

const leads = (column: string | undefined): number =>
  leading.includes(column) ? leading.indexOf(column) : leading.length;

/** The columns on each line of a row, as start and end. Further lines are indented. */
function linesWithin(width: number, widths: readonly number[]): readonly (readonly [number, number])[] {
  const lines: [number, number][] = [];
  let used = 0;
  for (const [at, column] of widths.entries()) {
    const last = lines.at(-1);
    if (last !== undefined && used + column <= width) last[1] = at + 1;
    else {
      lines.push([at, at + 1]);
      used = at === 0 ? 0 : 2;
    }
    used += column + 2;
  }
  return lines;
}

/** Rows that differ from the previous list, as `kubectl get -w` prints them; deleted ones are marked. */
export function changedRows(before: WebhookList, now: WebhookList): readonly ListItem[] {
  const known = new Set(before.items.map((item) => JSON.stringify(item)));
  const left = new Set(now.items.map(calloutId));
  return [
    ...now.items.filter((item) => !known.has(JSON.stringify(item))),
    ...before.items.flatMap((item) =>
      left.has(calloutId(item)) ? [] : [{ ...item, deleted: true as const }],
    ),
  ];
}

function noItems({ leftOut, notLookedAt }: Pick<WebhookList, 'leftOut' | 'notLookedAt'>): string {
  if (leftOut !== undefined) return noneChosen(leftOut);
  return notLookedAt.length === 0
    ? 'No webhooks found.'
    : 'No webhooks found, but not everything could be read.';
}

/** Renders what the objects alone show, without a connection to any webhook, in one format. */
export async function renderList(
  given: WebhookList,
  format: OutputFormat | undefined,
  look: ListLook,
): Promise<string> {
  const { sortBy } = look;
  const list = sortBy === undefined ? given : { ...given, items: sortedBy(given.items, sortBy) };
  if (isDataFormat(format)) return documentText(reportDocument(list), format);
  if (format === 'name') return nameLines(list.items.map(calloutId));
  const { items } = harmlessDocument(list, look.unicode);
  if (items.length === 0) return `${noItems(given)}\n`;
  return table(items, format === 'wide' ? wide : narrow, look);
}

/** The same for several clusters in one table, the worst first unless sorted otherwise. */
export async function renderLists(
  given: readonly WebhookList[],
  format: OutputFormat | undefined,
  look: ListLook,
): Promise<Iterable<string>> {
  if (isDataFormat(format)) return documentList(given.map(reportDocument), format);
  if (format === 'name')
    return given.map(({ items, cluster: { context } }) => nameLines(items.map(calloutId), context));
  const lists = harmlessDocument(given, look.unicode);
  const items = lists.flatMap((list) =>
    list.items.map((item) => ({ ...item, cluster: list.cluster.context ?? list.cluster.server })),
  );
  if (items.length === 0) {
    const leftOut = given.reduce((sum, list) => sum + (list.leftOut ?? 0), 0);
    const notLookedAt = given.flatMap((list) => list.notLookedAt);
    return [`${noItems({ notLookedAt, ...(leftOut === 0 ? {} : { leftOut }) })}\n`];
  }
  const cells = {
    cluster: ({ cluster }: { cluster: string }) => cluster,
    ...(format === 'wide' ? wide : narrow),
  };
  return [table(sortedBy(items, look.sortBy ?? 'status'), cells, look)];
}

/** For stderr: resources that could not be read, and the command that prints the missing RBAC rules. */
export function unlistedLines({ notLookedAt }: WebhookList, before = ''): string {
  const forbidden = notLookedAt.filter(({ why }) => why === 'forbidden');
  const others = notLookedAt.filter(({ why }) => why !== 'forbidden');
  const lines = [
    ...(forbidden.length === 0
      ? []
      : [`not listed, forbidden: ${listed(forbidden.map(unreadText))}`, 'Next  kubectl webhook rbac list']),
    ...others.map((unread) => `not listed: ${unreadText(unread)}: ${unread.detail ?? unread.why}`),
  ];
  return lines.map((line) => `${before}${harmless(line)}\n`).join('');
}
