import { groupBy } from '../../basics/collections.ts';
import { wholeSeconds } from '../../basics/time.ts';
import { severities } from '../../checks/chain.ts';
import {
  type CalloutReport,
  calloutStates,
  type DoctorReport,
  type FindingReport,
  type LinkState,
  type ReplicaReport,
} from '../../diagnose/report.ts';
import { byId, calloutId } from '../../facts/callout.ts';
import { refText } from '../../facts/object-ref.ts';
import { type NotLookedAt, unreadText } from '../../facts/unread.ts';
import { type AdvicePart, adviceParts } from '../../phrases/advice.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import { clusterCounts, clusterName, fleetFacts, worstClustersFirst } from '../fleet/fleet.ts';
import { causeText, storiesOf, storyRows, worstFirst, worstState } from '../resolved-stories.ts';
import { blockedBy, openedText } from '../terminal/broken-table.ts';
import { linksOf } from '../terminal/chain-line.ts';
import { effectText } from '../terminal/effect.ts';
import { coverageText, stateCounts } from '../terminal/header.ts';
import { impactLines } from '../terminal/impact-lines.ts';
import { outageSections } from '../terminal/outage-lines.ts';
import { stateSentence } from '../terminal/story-words.ts';
import { styleOf } from '../terminal/style.ts';
import { backendText } from '../terminal/subject-lines.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { asResult, certainty, commandLabel, errorLabel, labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { html, type Markup, type Part } from './markup.ts';
import { page } from './page.ts';

const marks: Readonly<Record<LinkState, string>> = {
  good: '✔',
  bad: '✖',
  warning: '▲',
  unknown: '?',
  open: '·',
};

const words: Readonly<Record<LinkState, string>> = {
  good: 'good',
  bad: 'broken',
  warning: 'degraded',
  unknown: 'unknown',
  open: 'not checked',
};

/** Pixels of a box, and of the arrow after it. */
const size = { width: 92, height: 44, gap: 18 };

function box({ link, state, count }: ReturnType<typeof linksOf>[number], at: number): Markup {
  const x = at * (size.width + size.gap);
  const middle = x + size.width / 2;
  const arrow =
    at === 0
      ? undefined
      : html`<path class="arrow ${state}" d="M${x - size.gap + 2} 24h${size.gap - 5}m-5 -4l5 4l-5 4"/>`;
  return html`${arrow}<g class="${state}"><rect x="${x + 1}" y="2" width="${size.width - 2}" height="${size.height}" rx="8"/><text class="link" x="${middle}" y="20">${link}</text><text class="mark" x="${middle}" y="38">${marks[state]}${count === undefined ? undefined : ` ${count}`}</text></g>`;
}

/** Draws the chain of a webhook from the API server to the Pod as SVG, described for screen readers. */
function chainPicture(callout: CalloutReport): Markup {
  const parts = linksOf(callout);
  const width = parts.length * (size.width + size.gap) - size.gap;
  const description = parts.map(({ link, state }) => `${link}: ${words[state]}`).join(', ');
  return html`<div class="chain"><svg role="img" aria-label="${description}" viewBox="0 0 ${width} ${size.height + 4}" width="${width}" height="${size.height + 4}">${parts.map(box)}</svg></div>`;
}

/** Shows articles with a selected state that contain every typed word. Without this script all are shown. */
const script = `
const form = document.querySelector('form');
const articles = [...document.querySelectorAll('article')];
const texts = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
function show() {
  const words = form.elements.words.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const states = [...form.querySelectorAll('[name=state]:checked')].map((box) => box.value);
  for (const article of articles) {
    article.hidden = !states.includes(article.dataset.state) || !words.every((word) => texts.get(article).includes(word));
  }
  form.querySelector('output').value = articles.filter((article) => !article.hidden).length + ' of ' + articles.length;
}
form.addEventListener('input', show);
form.addEventListener('submit', (event) => event.preventDefault());
form.hidden = false;
show();
`;

const plain = styleOf({ width: 80, colour: false, unicode: true });

/** This program's prose; text in backticks becomes `<code>`. */
const prose = (text: string): readonly Part[] =>
  text.split(/(`[^`]+`)/).map((part, at) => (at % 2 === 1 ? html`<code>${part.slice(1, -1)}</code>` : part));

const advicePart = (part: AdvicePart): readonly Part[] =>
  typeof part === 'string' ? prose(part) : [html`<code>${'code' in part ? part.code : part.text}</code>`];

const evidenceRows = ({ evidence }: FindingReport): Markup | undefined =>
  evidence.length === 0
    ? undefined
    : html`<table class="parts">${evidence.map(({ object, field, value }) => html`<tr><td>${refText(object)} <span class="soft">${field}</span></td><td><code>${value}</code></td></tr>`)}</table>`;

function findingPart(finding: FindingReport): Markup {
  const { check, severity, confidence, message, why, remedies } = finding;
  const commands = remedies.map(({ title, command }) => html`<p>${title}</p><pre>${command.text}</pre>`);
  return html`<h3>${severity}: ${check} <span class="soft">(${certainty[confidence]})</span></h3>
<p class="message">${message}</p>${evidenceRows(finding)}<p>${prose(why)}</p><p>${adviceParts(finding.advice).flatMap(advicePart)}</p>${commands}`;
}

/** What must be known before a command runs: a risk, or another command that is needed, too. */
const notePart = (because: string | undefined): Markup | undefined =>
  because === undefined ? undefined : html`<p class="soft">${because}</p>`;

const commands = ({ cause }: CalloutReport, findings: readonly FindingReport[]): readonly Markup[] =>
  findings
    .flatMap(({ id, next = [] }) => (id === cause ? next : []))
    .map(
      ({ when, command, title, because }) =>
        html`<p><b>${commandLabel[when]}</b> <span class="soft">(${when === 'fix' ? asResult(title) : title})</span></p><pre>${command.text}</pre>${notePart(because)}`,
    );

const replicaRows = (replicas: readonly ReplicaReport[]): Markup | undefined =>
  replicas.length === 0
    ? undefined
    : html`<h3>${counted(replicas.length, 'replica')}</h3><table class="parts">${replicas.map(
        ({ pod, endpoint, state, error }) =>
          html`<tr><td>${pod ?? endpoint}</td><td>${state}</td><td><code>${error}</code></td></tr>`,
      )}</table>`;

const logParts = (callout: CalloutReport): readonly Markup[] =>
  logsOf(callout, true).map(
    ({ of, lines, means }) =>
      html`<p>${of}:</p><pre>${lines.join('\n')}</pre>${means === undefined ? undefined : html`<p>${labels.means}: ${means}</p>`}`,
  );

/** A webhook: its cause in a line, and folded below it commands, effects and all findings. */
function calloutPart(callout: CalloutReport, findings: readonly FindingReport[]): Markup {
  const { verdict, failurePolicy, timeoutSeconds, replicas, cause } = callout;
  const { state, error, confidence } = verdict;
  const effect =
    state === 'healthy' || state === 'unknown'
      ? []
      : ([[labels.impact, effectText(callout)], ...impactLines(callout)] as const);
  const finding = findings.find(({ id }) => id === cause);
  return html`<article class="${state}" data-state="${state}"><details><summary><span class="state">${state}</span> <b>${calloutId(callout)}</b> <span class="soft">${certainty[finding?.confidence ?? confidence]}</span> ${finding?.message ?? (state === 'healthy' ? undefined : stateSentence(callout))}</summary>
<p class="soft">${backendText(callout.backend)} · ${failurePolicy === undefined ? '' : `failurePolicy ${failurePolicy} · `}timeout ${timeoutSeconds} s</p>
${commands(callout, findings)}${effect.map(([label, text]) => html`<p><b>${label}</b> ${text}</p>`)}
${chainPicture(callout)}${error === undefined ? undefined : html`<p>${errorLabel(verdict)}:</p><pre>${error}</pre>`}${logParts(callout)}
${findings.map((finding) => findingPart(finding))}${replicaRows(replicas)}
</details></article>
`;
}

const otherPart = (finding: FindingReport): Markup =>
  html`<article class="${finding.severity}" data-state="other"><details><summary><span class="state">${finding.severity}</span> ${finding.message}</summary>${findingPart(finding)}</details></article>
`;

/** Outages that are printed before the others, which are folded. */
const mostOutages = 10;

function outagePart({ title, note, state, texts }: ReturnType<typeof outageSections>[number]): Markup {
  const list = (some: readonly string[]): Markup =>
    html`<ul>${some.map((text) => html`<li>${text}</li>`)}</ul>`;
  const folded = texts.slice(mostOutages);
  return html`<section class="${state}"><h2>${title} <span class="soft">${note}</span></h2>${list(texts.slice(0, mostOutages))}${
    folded.length === 0
      ? undefined
      : html`<details><summary>${andMore(folded.length)}</summary>${list(folded)}</details>`
  }</section>
`;
}

/** More broken webhooks than this have one row for each cause. */
const mostRows = 30;

/** A row per broken webhook or cause, the widest outage first. */
function brokenRows(report: DoctorReport): Markup | undefined {
  const blocks = blockedBy(report);
  const rows = storyRows(storiesOf(report).stories, mostRows).map(({ callout, cause, more }) => {
    const { verdict, failurePolicy = '-', opened } = callout;
    const why = opened === undefined ? causeText(cause, callout) : openedText(opened, report.takenAt);
    return html`<tr class="${verdict.state}"><td class="state">${verdict.state}</td><td>${calloutId(callout)}${more}</td><td>${failurePolicy}</td><td>${blocks(callout)}</td><td>${why}</td></tr>
`;
  });
  return rows.length === 0
    ? undefined
    : html`<table class="broken"><tr><th>Status</th><th>Webhook</th><th>Policy</th><th>Blocks</th><th>Cause</th></tr>
${rows}</table>`;
}

const unreadPart = (unread: NotLookedAt): Markup =>
  html`<article class="unread" data-state="unread"><span class="state">not examined</span><p>${unreadText(unread)}: ${unread.why}</p><p class="soft">${unread.detail}</p></article>
`;

/** A checkbox of the state filter; none for a state without webhooks. */
const choice = (value: string, label: string, count: number): Markup | undefined =>
  count === 0
    ? undefined
    : html`<label><input type="checkbox" name="state" value="${value}" checked> ${label} ${count}</label>
`;

/** Findings that are not part of any webhook's section, the most severe first. */
const othersOf = ({ findings }: DoctorReport): readonly FindingReport[] =>
  findings
    .filter(({ callout }) => callout === undefined)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

const titleOf = (report: DoctorReport): string => `Webhooks of ${clusterName(report)}`;

/** Summary of the problems, and the next commands. */
function overview(report: DoctorReport): Markup {
  const { cluster, takenAt, next } = report;
  return html`<p class="soft">${cluster.server} ${cluster.version} · ${wholeSeconds(takenAt)} · ${stateCounts(report, plain)} · ${coverageText(report)}</p>
${outageSections(report).map(outagePart)}${brokenRows(report)}
${next === undefined ? undefined : html`<p><b>Next</b> <span class="soft">${next.fixes === true ? asResult(next.title) : next.title}</span></p><pre>${next.command.text}</pre>${notePart(next.because)}`}`;
}

function filterForm(reports: readonly DoctorReport[]): Markup {
  const sum = (count: (report: DoctorReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  return html`<form hidden>
${calloutStates.map((state) =>
  choice(
    state,
    state,
    sum(({ summary }) => summary.callouts[state]),
  ),
)}${choice(
  'other',
  labels.otherFindings.toLowerCase(),
  sum((report) => othersOf(report).length),
)}${choice(
  'unread',
  'not examined',
  sum(({ notLookedAt }) => notLookedAt.length),
)}<input type="search" name="words" placeholder="filter by words" aria-label="filter by words">
<output></output>
</form>
`;
}

function details(report: DoctorReport): Markup {
  const { callouts, findings, notLookedAt } = report;
  const about = groupBy(findings, ({ callout }) => callout);
  const reports = byId(callouts);
  const part = (id: string): Markup[] => {
    const callout = reports.get(id);
    return callout === undefined ? [] : [calloutPart(callout, about.get(id) ?? [])];
  };
  return html`${worstFirst(report).flatMap(part)}
${othersOf(report).map(otherPart)}
${notLookedAt.map(unreadPart)}`;
}

const reportPage = (title: string, body: Markup): string =>
  page(
    title,
    html`<h1>${title}</h1>
${body}
<footer>Written by kubectl webhook doctor. Each verdict is about the next call by the API server over a new connection.</footer>`,
    script,
  );

/** Renders a report as a page. Every text from the cluster is escaped. */
export function renderHtml(given: DoctorReport): string {
  const report = harmlessDocument(given, true);
  return reportPage(
    titleOf(report),
    html`${overview(report)}
${filterForm([report])}<main>
${details(report)}
</main>`,
  );
}

/** Renders the reports of several clusters as one page: a line each, then a section each. */
export function renderFleetHtml(given: readonly DoctorReport[]): string {
  const reports = worstClustersFirst(harmlessDocument(given, true));
  const rows = reports.map(
    (report, at) =>
      html`<tr class="${worstState(report)}"><td class="state">${worstState(report)}</td><td><a href="#cluster-${at}">${clusterName(report)}</a></td><td>${report.cluster.version}</td><td>${clusterCounts(report)}</td></tr>
`,
  );
  const sections = reports.map(
    (report, at) => html`<section id="cluster-${at}"><h2>${titleOf(report)}</h2>
${overview(report)}
${details(report)}
</section>
`,
  );
  return reportPage(
    fleetFacts(reports).join(' · '),
    html`<table class="broken"><tr><th>Status</th><th>Cluster</th><th>Version</th><th>Webhooks</th></tr>
${rows}</table>
${filterForm(reports)}<main>
${sections}</main>`,
  );
}
