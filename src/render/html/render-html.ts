import { createHash } from 'node:crypto';
import type { CalloutReport, DoctorReport, FindingReport, ReplicaReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { type NotLookedAt, unreadText } from '../../facts/unread.ts';
import { fillIn } from '../fill-in.ts';
import { groupBy } from '../group-by.ts';
import { harmlessDocument } from '../harmless.ts';
import { effectWords } from '../terminal/effect.ts';
import { impactLines } from '../terminal/impact-lines.ts';
import { remedyLines } from '../terminal/remedy-lines.ts';
import { effects, severities, states } from '../worst-first.ts';
import { chainPicture } from './chain-picture.ts';
import { html, type Markup, raw } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, sent or run but the style and the script below, whatever stands in the report. */
const policy = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`;

function backendOf({ backend: { service, url } }: CalloutReport): string {
  if (service === undefined) return url ?? '';
  return `${service.namespace}/${service.name}:${service.port}${service.path ?? ''}`;
}

const prose = (text: string): readonly Markup[] =>
  text.split('\n').map((line) => {
    const parts = line
      .split(/(`[^`]+`)/)
      .map((part, at) => (at % 2 === 1 ? html`<code>${part.slice(1, -1)}</code>` : part));
    return /^\s*kubectl /.test(line) ? html`<pre>${line.trim()}</pre>` : html`<p>${parts}</p>`;
  });

const evidenceRows = ({ evidence }: FindingReport): Markup | undefined =>
  evidence.length === 0
    ? undefined
    : html`<table class="parts">${evidence.map(({ object, field, value }) => html`<tr><td>${object} <span class="soft">${field}</span></td><td><code>${value}</code></td></tr>`)}</table>`;

function findingPart(finding: FindingReport, callouts: readonly CalloutReport[]): Markup {
  const { check, severity, confidence, message, why, remedies } = finding;
  const commands = remedies.map(({ title, command }) => html`<p>${title}</p><pre>${command}</pre>`);
  return html`<h3>${severity}: ${check} <span class="soft">(${confidence})</span></h3>
<p class="message">${message}</p>${evidenceRows(finding)}
<details><summary>Why it matters, what to do</summary>${prose(why)}${prose(fillIn(finding.advice, finding, callouts))}${commands}</details>`;
}

/** What helps at once, and what cures. */
const commands = (callout: CalloutReport, findings: readonly FindingReport[]): readonly Markup[] => {
  const cause = findings.find(({ check }) => check === callout.verdict.because[0]);
  if (cause === undefined) return [];
  return remedyLines(cause, [callout], findings).map(([label, text]) => {
    const [command, title] = text.split('\n');
    return html`<p><b>${label}</b> <span class="soft">${title}</span></p><pre>${command}</pre>`;
  });
};

const replicaRows = (replicas: readonly ReplicaReport[]): Markup | undefined =>
  replicas.length === 0
    ? undefined
    : html`<details><summary>${replicas.length} ${replicas.length === 1 ? 'replica' : 'replicas'}</summary><table class="parts">${replicas.map(
        ({ pod, endpoint, state, error }) =>
          html`<tr><td>${pod ?? endpoint}</td><td>${state}</td><td><code>${error}</code></td></tr>`,
      )}</table></details>`;

function calloutPart(
  callout: CalloutReport,
  findings: readonly FindingReport[],
  unread: readonly NotLookedAt[],
): Markup {
  const { verdict, failurePolicy, timeoutSeconds, replicas } = callout;
  const { state, error, confidence, because } = verdict;
  const order = ({ check, causedBy }: FindingReport): number =>
    causedBy === undefined ? (because.includes(check) ? because.indexOf(check) : 50) : 100;
  const sorted = findings.toSorted((a, b) => order(a) - order(b));
  const effect =
    state === 'healthy' || state === 'unknown'
      ? []
      : ([['Effect', effectWords(callout)], ...impactLines(callout)] as const);
  return html`<article class="${state}" data-state="${state}">
<span class="state">${state}</span> <span class="soft">${confidence}</span>
<h2>${calloutId(callout)}</h2>
<p class="soft">${backendOf(callout)} · ${failurePolicy === undefined ? '' : `${failurePolicy} · `}${timeoutSeconds} s</p>
${chainPicture(callout, findings, unread)}${effect.map(([label, text]) => html`<p><b>${label}</b> ${text}</p>`)}
${error === undefined ? undefined : html`<p>The API server says:</p><pre>${error}</pre>`}
${commands(callout, findings)}${sorted.map((finding) => findingPart(finding, [callout]))}${replicaRows(replicas)}
</article>
`;
}

const otherPart = (finding: FindingReport): Markup =>
  html`<article class="${finding.severity}" data-state="other"><span class="state">${finding.severity}</span>${findingPart(finding, [])}</article>
`;

const unreadPart = (unread: NotLookedAt): Markup =>
  html`<article class="unread" data-state="unread"><span class="state">not looked at</span><p>${unreadText(unread)}: ${unread.why}</p><p class="soft">${unread.detail}</p></article>
`;

/** A box of the filter, for states that there are. */
const choice = (value: string, label: string, count: number): Markup | undefined =>
  count === 0
    ? undefined
    : html`<label><input type="checkbox" name="state" value="${value}" checked> ${label} ${count}</label>
`;

/** One file that needs nothing else: readable offline, in light and dark, with every text of the cluster as text. */
export function renderHtml(given: DoctorReport): string {
  const { callouts, findings, notLookedAt, cluster, summary, takenAt } = harmlessDocument(given, true);
  const about = groupBy(findings, ({ callout }) => callout);
  const others = (about.get(undefined) ?? []) as readonly FindingReport[];
  const rank = ({ verdict: { state, effect } }: CalloutReport): number =>
    states.indexOf(state) * 10 + effects.indexOf(effect);
  const title = `Webhooks of ${cluster.context ?? cluster.server}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<h1>${title}</h1>
<p class="soft">${cluster.server} ${cluster.version} · ${takenAt} · ${summary.callouts.total} ${summary.callouts.total === 1 ? 'callout' : 'callouts'}</p>
<form hidden>
${states.map((state) => choice(state, state, summary.callouts[state]))}${choice('other', 'other findings', others.length)}${choice('unread', 'not looked at', notLookedAt.length)}<input type="search" name="words" placeholder="filter by words" aria-label="filter by words">
<output></output>
</form>
<main>
${callouts.toSorted((a, b) => rank(a) - rank(b)).map((callout) => calloutPart(callout, about.get(calloutId(callout)) ?? [], notLookedAt))}
${others.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity)).map(otherPart)}
${notLookedAt.map(unreadPart)}
</main>
<footer>Written by kubectl webhook doctor. It says what the API server's next call over a new connection would come to.</footer>
<script>${raw(script)}</script>
</body>
</html>
`;
  return page.text;
}
