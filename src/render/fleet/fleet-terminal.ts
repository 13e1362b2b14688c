import type { DoctorReport } from '../../diagnose/report.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import { storiesOf, worstState } from '../resolved-stories.ts';
import { brokenLines, brokenRows } from '../terminal/broken-table.ts';
import { headline } from '../terminal/header.ts';
import { renderTerminal } from '../terminal/render-terminal.ts';
import { cut, joinedSections, type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import {
  breadthIn,
  clusterCounts,
  clusterName,
  fleetFacts,
  hasNoProblem,
  worstBy,
  worstClustersFirst,
} from './fleet.ts';

/** Maximum number of clusters with their own line. */
const most = 15;

/** Broken webhooks of all clusters, the widest outage first. */
function brokenAnywhere(reports: readonly DoctorReport[], style: Style, all: boolean): readonly string[] {
  const stories = worstBy(
    reports.flatMap((report) => {
      const ranksOf = breadthIn(report);
      return storiesOf(report).stories.map((story) => ({ story, report, ranks: ranksOf(story) }));
    }),
    ({ ranks }) => ranks,
  );
  const rows = stories.flatMap(({ story, report }) =>
    brokenRows([story], report, style).map((row) => ({
      ...row,
      before: [...row.before, clusterName(report)],
    })),
  );
  return rows.length === 0 ? [] : brokenLines(rows, style, all, ['CLUSTER']);
}

function clusterLine(report: DoctorReport, { marks, paint, width }: Style): string {
  const mark = {
    failing: paint.red(marks.bad),
    degraded: paint.yellow(marks.warning),
    unknown: paint.magenta(marks.unknown),
    healthy: report.notLookedAt.length > 0 ? paint.magenta(marks.unknown) : paint.green(marks.good),
  }[worstState(report)];
  const { version } = report.cluster;
  const facts = [
    paint.bold(clusterName(report)),
    ...(version === undefined ? [] : [version]),
    clusterCounts(report),
  ];
  return wrap(facts.join(` ${marks.dot} `), width, `${mark} `, '  ').join('\n');
}

/** Renders several clusters: broken webhooks, a line per cluster with a problem, and the next command. */
export function renderFleet(given: readonly DoctorReport[], look: ReportLook): string {
  const reports = worstClustersFirst(harmlessDocument(given, look.unicode));
  const style = styleOf(look);
  const { paint, marks, width } = style;
  const { tookMs: _, ...withoutTime } = look;
  const full = isComplete(look);
  const quiet = reports.filter(hasNoProblem);
  const shown = reports.filter((report) => look.all || !hasNoProblem(report));
  const warnings = quiet.reduce((sum, { summary }) => sum + summary.findings.warning, 0);
  const warned = warnings === 0 ? '' : `; ${counted(warnings, 'warning')}`;
  const next = reports.flatMap((report) => report.next ?? [])[0];
  return joinedSections([
    headline([paint.bold(fleetFacts(reports)[0] ?? ''), ...fleetFacts(reports).slice(1)], style, look.tookMs),
    brokenAnywhere(reports, style, full),
    cut(
      shown.map((report) => clusterLine(report, style)),
      full ? undefined : most,
      (rest) => andMore(rest, '--all lists them'),
    ),
    ...(full
      ? worstClustersFirst(given)
          .filter((report) => report.cluster.error === undefined && (look.all || !hasNoProblem(report)))
          .map((report) => [renderTerminal(report, withoutTime).trimEnd()])
      : []),
    [
      ...(quiet.length === 0 || look.all
        ? []
        : wrap(
            `${counted(quiet.length, 'cluster')}: no failing call found${warned}`,
            width,
            `${paint.green(marks.good)} `,
            '  ',
          )),
      ...(next === undefined ? [] : wrap(next.command.text, width, `${paint.bold('Next')}  `, '        ')),
    ],
  ]);
}
