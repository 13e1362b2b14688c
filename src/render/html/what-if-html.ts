import { groupBy } from '../../basics/collections.ts';
import { wholeSeconds } from '../../basics/time.ts';
import { unreadText } from '../../facts/unread.ts';
import { andMore, listed } from '../../phrases/lists.ts';
import type {
  DependencyReport,
  RankedLoss,
  RecoveryReport,
  WhatIfReport,
} from '../../what-if/what-if-report.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { labels } from '../text/labels.ts';
import {
  conclusionText,
  type Item,
  registerHeadings,
  registerRow,
  sectionsOf,
  statesText,
} from '../what-if/sections.ts';
import { html, type Markup, raw } from './markup.ts';
import { page } from './page.ts';

/** Pixels of a box, and of the gaps between columns and rows. */
const size = { width: 220, height: 34, gap: 90, row: 14 };
/** Maximum number of boxes in a column; with more, the picture is not readable. */
const tallest = 14;
const longest = 30;

interface Box {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly look: 'good' | 'bad' | 'unknown' | 'open';
}

interface Column {
  readonly title: string;
  readonly look: Box['look'];
  readonly texts: readonly string[];
}

/** Columns for the rounds of the start-up order, followed by workloads that do not start. */
function columnsOf({ order, stuck, notRecreated, unknown }: RecoveryReport): readonly Column[] {
  const inCycle = new Set(stuck.flatMap(({ cycle }) => cycle.map(({ workload }) => workload)));
  const waiting = new Set(stuck.flatMap((one) => one.waiting.filter((text) => !inCycle.has(text))));
  const columns: readonly Column[] = [
    ...order.map((texts, at) => ({ title: `starts in round ${at + 1}`, look: 'good' as const, texts })),
    { title: 'start unknown', look: 'unknown', texts: unknown.map(({ workload }) => workload) },
    { title: 'deadlock', look: 'bad', texts: [...inCycle] },
    { title: 'waits for the deadlock', look: 'open', texts: [...waiting] },
    { title: 'not recreated', look: 'bad', texts: notRecreated },
  ];
  return columns.filter(({ texts }) => texts.length > 0);
}

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

const top = 26;

/** Boxes with their positions. If there are too many, those with dependencies are kept. */
function boxesOf(columns: readonly Column[], linked: ReadonlySet<string>): readonly Box[] {
  return columns.flatMap(({ texts, look }, column) =>
    [...texts]
      .sort((a, b) => Number(linked.has(b)) - Number(linked.has(a)))
      .slice(0, tallest)
      .map((text, row) => ({
        text,
        look,
        x: column * (size.width + size.gap) + 30,
        y: top + row * (size.height + size.row),
      })),
  );
}

/** An arrow from a dependency to its dependent; within a column or backwards it is drawn around the boxes. */
function arrow(from: Box, to: Box, says: string): Markup {
  const [startY, endY] = [from.y + size.height / 2, to.y + size.height / 2];
  const bad = from.look === 'bad' && to.look === 'bad' ? 'bad' : 'open';
  const [startX, endX] = [from.x + size.width, to.x + size.width];
  const back =
    from === to
      ? `M${startX} ${startY - 8}c44 -14 44 30 3 16m7 5l-7 -5l8 -3`
      : `M${startX} ${startY}C${startX + 50} ${startY} ${endX + 50} ${endY} ${endX + 3} ${endY}m7 -4l-7 4l7 4`;
  const path =
    from.x < to.x
      ? `M${startX} ${startY}C${startX + size.gap / 2} ${startY} ${to.x - size.gap / 2} ${endY} ${to.x - 3} ${endY}m-6 -4l6 4l-6 4`
      : back;
  return html`<path class="arrow ${bad}" d="${path}"><title>${says}</title></path>`;
}

const saying = ({ workload, on, needs, webhook }: DependencyReport): string =>
  webhook === undefined
    ? `${workload} needs ${needs} of ${on}`
    : `${workload}: ${webhook}, which ${on} serves, intercepts ${needs}`;

/** Draws in which order workloads start, what each waits for, and the cycles that never start. */
function startUpPicture(recovery: RecoveryReport): Markup | undefined {
  const columns = columnsOf(recovery);
  if (columns.length === 0) return undefined;
  const { dependencies } = recovery;
  const linked = new Set(dependencies.flatMap(({ workload, on }) => [workload, on]));
  const boxes = boxesOf(columns, linked);
  const at = new Map(boxes.map((box) => [box.text, box]));
  const between = groupBy(dependencies, ({ workload, on }) => JSON.stringify([workload, on]));
  const arrows = [...between.values()].map((same) => {
    const [{ workload, on }] = same;
    const [from, to] = [at.get(on), at.get(workload)];
    return from === undefined || to === undefined ? undefined : arrow(from, to, same.map(saying).join('\n'));
  });
  const width = columns.length * (size.width + size.gap) + 30;
  const rows = Math.max(...columns.map(({ texts }) => Math.min(tallest, texts.length)));
  const height = top + rows * (size.height + size.row) + 20;
  const titles = columns.map(({ title, look, texts }, column) => {
    const x = column * (size.width + size.gap) + 30 + size.width / 2;
    const more =
      texts.length > tallest
        ? html`<text class="link" x="${x}" y="${height - 6}">${andMore(texts.length - tallest)}</text>`
        : undefined;
    return html`<g class="${look}"><text x="${x}" y="14">${title}</text>${more}</g>`;
  });
  const drawn = boxes.map(
    ({ text, x, y, look }) =>
      html`<g class="${look}"><rect x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="8"><title>${text}</title></rect><text class="link" x="${x + size.width / 2}" y="${y + 21}">${shortened(text)}</text></g>`,
  );
  const description = columns
    .map(({ title, texts }) => `${title}: ${texts.slice(0, tallest).join(', ')}`)
    .join('; ');
  return html`<div class="chain"><svg role="img" aria-label="${description}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${titles}${arrows}${drawn}</svg></div>`;
}

const looks = {
  good: 'healthy',
  bad: 'failing',
  warning: 'degraded',
  unknown: 'unknown',
  open: 'info',
} as const;

const article = ({ mark, head, details }: Item): Markup =>
  html`<article class="${looks[mark]}"><p class="message">${head}</p>${details.map(
    ([label, text]) =>
      html`<p><b>${label}</b> ${label === labels.mitigate ? html`<code>${text}</code>` : text}</p>`,
  )}</article>`;

const row = (loss: RankedLoss): Markup => {
  const state = { blocks: 'failing', 'fails-open': 'degraded', none: 'healthy' }[loss.effect];
  const cells = registerRow(loss);
  return html`<tr class="${state}">${registerHeadings.map((name) => html`<td${name === 'EFFECT' ? raw(' class="state"') : undefined}>${cells[name]}</td>`)}</tr>`;
};

const register = (ranking: readonly RankedLoss[]): Markup =>
  html`<h2>Risk register: the loss of each backend alone</h2><table class="broken"><tr>${registerHeadings.map((name) => html`<th>${name.toLowerCase()}</th>`)}</tr>${ranking.map(row)}</table>`;

/** The report as one HTML file for offline use, with a picture of the start-up order and its cycles. */
export function renderWhatIfHtml(given: WhatIfReport): string {
  const report = harmlessDocument(given, true);
  const { cluster, assume, takenAt, recovery, ranking, notLookedAt } = report;
  const question = `What if ${listed(assume.map(({ text }) => text))}?`;
  const { ranking: _, ...rest } = report;
  const sections = sectionsOf(rest).map(({ title, items }) => html`<h2>${title}</h2>${items.map(article)}`);
  const unread =
    notLookedAt.length === 0
      ? undefined
      : html`<h2>Not examined</h2><ul>${notLookedAt.map((one) => html`<li>${unreadText(one)}: ${one.detail ?? one.why}</li>`)}</ul>`;
  return page(
    question,
    html`<h1>${question}</h1><p class="soft">${cluster.context ?? cluster.server} · ${cluster.version ?? 'version unknown'} · ${wholeSeconds(takenAt)}</p>
<p class="message">${conclusionText(report)}</p><p>${statesText(report)}</p>
${recovery === undefined ? undefined : html`<h2>Start-up order</h2>${startUpPicture(recovery)}`}
${ranking === undefined ? undefined : register(ranking)}
${sections}${unread}`,
  );
}
