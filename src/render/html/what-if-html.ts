import { createHash } from 'node:crypto';
import { unreadText } from '../../facts/unread.ts';
import type { RankedLoss, WhatIfReport } from '../../what-if/what-if-report.ts';
import { harmlessDocument } from '../harmless.ts';
import { answerText, briefly, countsText, type Item, lossText, sectionsOf } from '../what-if/sections.ts';
import { html, type Markup, raw } from './markup.ts';
import { startUpPicture } from './start-up-picture.ts';
import { style } from './style.ts';

const hash = createHash('sha256').update(style).digest('base64');
/** Nothing is loaded or run, whatever stands in the report. */
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
    ([label, text]) => html`<p><b>${label}</b> ${text}</p>`,
  )}</article>`;

const row = (loss: RankedLoss): Markup => {
  const { rank, backend, blocks, unchecked, stops, effect } = loss;
  const state = { blocks: 'failing', 'fails-open': 'degraded', none: 'healthy' }[effect];
  return html`<tr class="${state}"><td>${rank}</td><td>${backend}</td><td>${lossText(loss)}</td><td>${briefly([...blocks, ...unchecked], 3)}</td><td>${briefly(stops, 3)}</td></tr>`;
};

const register = (ranking: readonly RankedLoss[]): Markup =>
  html`<h2>Risk register: the loss of each backend alone</h2><table class="broken"><tr><th></th><th>Backend</th><th>Effect</th><th>Blocks, or admits unchecked</th><th>Cannot start</th></tr>${ranking.map(row)}</table>`;

/** The answer as one file that opens anywhere, offline, with a picture of the start-up order and its cycles. */
export function renderWhatIfHtml(given: WhatIfReport): string {
  const report = harmlessDocument(given, true);
  const { cluster, assume, takenAt, before, after, recovery, ranking, notLookedAt } = report;
  const question = `What if ${assume.map(({ text }) => text).join(', ')}?`;
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
<h1>${question}</h1><p class="soft">${cluster.context ?? cluster.server} · ${cluster.version ?? 'version unknown'} · ${takenAt}</p>
<p class="message">${answerText(report)}</p><p>before: ${countsText(before.callouts)}; after: ${countsText(after.callouts)}</p>
${recovery === undefined ? undefined : html`<h2>Start-up order</h2>${startUpPicture(recovery)}`}
${ranking === undefined ? undefined : register(ranking)}
${sections}${unread}
</body></html>`.text
  }\n`;
}
