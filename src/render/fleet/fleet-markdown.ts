import type { DoctorReport } from '../../diagnose/report.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import { channelLine, renderBrief } from '../markdown/render-brief.ts';
import { code, escapedMarkdown, renderMarkdown, states } from '../markdown/render-markdown.ts';
import { worstState } from '../resolved-stories.ts';
import { cut } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { clusterCounts, clusterName, fleetFacts, hasNoProblem, worstClustersFirst } from './fleet.ts';

/** Whether a cluster gets its own section: for one that could not be read its line is enough. */
const needsASection = (report: DoctorReport): boolean =>
  report.cluster.error === undefined && !hasNoProblem(report);

/** Renders several clusters as Markdown: a row each, then a section for each cluster with a problem. */
export function renderFleetMarkdown(given: readonly DoctorReport[]): string {
  const reports = worstClustersFirst(harmlessDocument(given, true));
  const rows = reports.map((report) => {
    const name = code(clusterName(report)).replaceAll('|', '\\|');
    return `| ${states[worstState(report)]} | ${name} | ${escapedMarkdown(report.cluster.version ?? '-')} | ${escapedMarkdown(clusterCounts(report))} |`;
  });
  return [
    `# ${escapedMarkdown(fleetFacts(reports).join(' · '))}\n`,
    `| Status | Cluster | Version | Webhooks |\n|---|---|---|---|\n${rows.join('\n')}\n`,
    ...reports.filter(needsASection).map(renderMarkdown),
  ].join('\n');
}

/** Maximum number of clusters in a brief. */
const most = 5;

/** Several clusters for a chat channel: a summary line, then the brief of each cluster with a problem. */
export function renderFleetBrief(given: readonly DoctorReport[]): string {
  const reports = worstClustersFirst(harmlessDocument(given, true));
  const shown = reports.filter(needsASection);
  const unread = reports.filter(({ cluster }) => cluster.error !== undefined);
  const quiet = reports.length - shown.length - unread.length;
  return [
    `${fleetFacts(reports).join(' · ')}${quiet === 0 ? '' : `; ${counted(quiet, 'cluster')} without a failing call`}\n`,
    ...cut(shown.map(renderBrief), most, (rest) => `Not shown: ${counted(rest, 'cluster')}.\n`),
    ...cut(
      unread.map((report) => channelLine(`• ${clusterName(report)}: ${clusterCounts(report)}`)),
      most,
      (rest) => `• ${andMore(rest)} not read\n`,
    ),
  ].join('\n');
}
