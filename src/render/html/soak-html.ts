import { times } from '../../phrases/lists.ts';
import type { SoakReport, SoakSecond } from '../../soak/soak-report.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { html, type Markup, raw } from './markup.ts';
import { page } from './page.ts';

type Outcome = keyof SoakSecond;

/** Results stacked in a bar, from bottom to top. `slow` is a property of these: a row in the table only. */
const stacked = [
  ['checked', 'checked', 'good'],
  ['other', 'refused by others', 'open'],
  ['failed', 'failed', 'warning'],
  ['unchecked', 'admitted unchecked', 'bad'],
] as const;

const [width, height] = [640, 120];

/** One bar per second; the duration of the command is drawn below. */
function timelinePicture({ timeline, seconds, during }: SoakReport): Markup {
  const most = Math.max(1, ...timeline.map((one) => stacked.reduce((sum, [name]) => sum + one[name], 0)));
  const wide = width / Math.max(1, timeline.length);
  const bars = timeline.map((second, at) => {
    let top = height;
    return stacked.map(([name, words, look]) => {
      const count = second[name];
      if (count === 0) return undefined;
      const tall = (count * height) / most;
      top -= tall;
      const shape = `x="${(at * wide).toFixed(1)}" y="${top.toFixed(1)}" width="${Math.max(0.5, wide - 1).toFixed(1)}" height="${tall.toFixed(1)}"`;
      return html`<rect class="bar ${look}" ${raw(shape)}><title>second ${at}: ${count} ${words}</title></rect>`;
    });
  });
  const from = ((during?.from ?? 0) * width) / Math.max(1, seconds);
  const to = ((during?.to ?? seconds) * width) / Math.max(1, seconds);
  const command =
    during === undefined
      ? undefined
      : html`<path class="arrow" d="M${from.toFixed(1)} ${height + 6}H${to.toFixed(1)}"><title>${during.command}</title></path>`;
  return html`<div class="chain"><svg viewBox="0 0 ${width} ${height + 12}" role="img" aria-label="requests by second">${bars}${command}</svg></div>`;
}

const rows: readonly (readonly [Outcome, string])[] = [
  ...stacked.map(([name, words]) => [name, words] as const),
  ['slow', 'slow'],
];

const cell = ({ totals }: SoakReport, outcome: Outcome): string =>
  totals.requests === 0
    ? String(totals[outcome])
    : `${totals[outcome]} (${((100 * totals[outcome]) / totals.requests).toFixed(2)} %)`;

function figures(report: SoakReport, earlier: SoakReport | undefined): Markup {
  const both = earlier === undefined ? [report] : [earlier, report];
  const head = both.map((one, at) => html`<th>${at === both.length - 1 ? 'now' : one.takenAt}</th>`);
  const body = rows.map(
    ([outcome, words]) =>
      html`<tr><td>${words}</td>${both.map((one) => html`<td>${cell(one, outcome)}</td>`)}</tr>`,
  );
  const requests = both.map(({ totals }) => html`<td>${totals.requests}</td>`);
  return html`<table><tr><th></th>${head}</tr><tr><td>requests</td>${requests}</tr>${body}</table>`;
}

function part(report: SoakReport): Markup {
  const { rate, seconds, during, object, failures, takenAt } = report;
  const command =
    during === undefined
      ? undefined
      : html`<p>During <code>${during.command}</code>, exit code ${during.exitCode ?? 'none'}</p>`;
  const failureParts = failures.map(
    ({ count, message }) => html`<p>${times(count)}: <code>${message}</code></p>`,
  );
  const bad = report.totals.unchecked + report.totals.failed > 0;
  return html`<article class="${bad ? 'failing' : 'healthy'}"><h2>${takenAt}</h2>
<p>${rate} dry runs a second of ${object.kind} ${object.namespace ?? ''} ${object.name} for ${seconds} s</p>
${command}${timelinePicture(report)}${failureParts}</article>`;
}

/** Renders a soak as a single HTML file for offline use, compared with an earlier soak if there is one. */
export function renderSoakHtml(given: SoakReport, before?: SoakReport): string {
  const report = harmlessDocument(given, true);
  const earlier = before === undefined ? undefined : harmlessDocument(before, true);
  const { kind, configuration, webhook, failurePolicy, timeoutSeconds } = report.callout;
  const title = `${kind}/${configuration}/${webhook}`;
  const legend = stacked.map(([, words, look]) => html`<span class="${look}">■ ${words} </span>`);
  return page(
    `soak of ${title}`,
    html`<h1>${title}</h1><p class="soft">failurePolicy ${failurePolicy}, ${timeoutSeconds} s</p>
${figures(report, earlier)}<p>${legend}</p>
${earlier === undefined ? undefined : part(earlier)}${part(report)}`,
  );
}
