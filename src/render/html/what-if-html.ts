import { createHash } from 'node:crypto';
import { wholeSeconds } from '../../facts/seconds.ts';
import { unreadText } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import type { RankedLoss, WhatIfReport } from '../../what-if/what-if-report.ts';
import { harmlessDocument } from '../harmless.ts';
import { labels } from '../labels.ts';
import {
  conclusionText,
  type Item,
  registerHeadings,
  registerRow,
  sectionsOf,
  statesText,
} from '../what-if/sections.ts';
import { html, type Markup, raw } from './markup.ts';
import { startUpPicture } from './start-up-picture.ts';
import { style } from './style.ts';

const hash = createHash('sha256').update(style).digest('base64');
/** Content-Security-Policy: loads and runs nothing, whatever text the report contains. */
const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;

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

/**
 * Renders the report as a single HTML file for offline use, with a picture of the start-up order and its
 * cycles.
 */
export function renderWhatIfHtml(given: WhatIfReport): string {
  const report = harmlessDocument(given, true);
  const { cluster, assume, takenAt, recovery, ranking, notLookedAt } = report;
  const question = `What if ${listed(assume.map(({ text }) => text))}?`;
  const { ranking: _, ...rest } = report;
  const sections = sectionsOf(rest).map(({ title, items }) => html`<h2>${title}</h2>${items.map(article)}`);
  const unread =
    notLookedAt.length === 0
      ? undefined
      : html`<h2>Not looked at</h2><ul>${notLookedAt.map((one) => html`<li>${unreadText(one)}: ${one.detail ?? one.why}</li>`)}</ul>`;
  return `${
    html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${question}</title>
<style>${raw(style)}</style></head><body>
<h1>${question}</h1><p class="soft">${cluster.context ?? cluster.server} · ${cluster.version ?? 'version unknown'} · ${wholeSeconds(takenAt)}</p>
<p class="message">${conclusionText(report)}</p><p>${statesText(report)}</p>
${recovery === undefined ? undefined : html`<h2>Start-up order</h2>${startUpPicture(recovery)}`}
${ranking === undefined ? undefined : register(ranking)}
${sections}${unread}
</body></html>`.text
  }\n`;
}
