import type { CalloutReport, DoctorReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { countedWebhooks } from '../../phrases/numbers.ts';
import { certainty } from '../labels.ts';
import type { ReportLook } from '../look.ts';
import { notTriedLines, replicaLines } from './evidence.ts';
import type { Style } from './style.ts';
import { backendText } from './subject-lines.ts';
import { wrap } from './wrap.ts';

const row = (callout: CalloutReport, column: number, { paint, marks }: Style): string => {
  const ready = callout.replicas.filter((replica) => replica.ready).length;
  const replicas =
    callout.replicas.length === 0 ? '' : ` ${marks.dot} ${ready}/${callout.replicas.length} ready`;
  return `    ${calloutId(callout).padEnd(column)}  ${paint.dim(`${backendText(callout.backend, false)}${replicas}`)}`;
};

/** All healthy callouts in one line, or listed; `wide` with their replicas. When only objects were looked at, it says so. */
export function healthyLines(report: DoctorReport, style: Style, { all, wide }: ReportLook): string[] {
  const healthy = report.callouts.filter(({ verdict }) => verdict.state === 'healthy');
  if (healthy.length === 0) return [];
  const derived = healthy.every(({ verdict }) => verdict.confidence === 'derived');
  const sure = derived ? `, ${certainty.derived} from objects` : '';
  const list = all || wide ? '' : ' (--all lists them)';
  const text = `${countedWebhooks(healthy, ['is', 'are'])} healthy${sure}${list}`;
  const sorted = healthy.toSorted((a, b) =>
    calloutId(a).localeCompare(calloutId(b), 'en', { numeric: true }),
  );
  const column = Math.max(...sorted.map((callout) => calloutId(callout).length));
  return [
    ...wrap(text, style.width, `${style.paint.green(style.marks.good)} `, '  '),
    ...sorted.flatMap((callout) => [
      ...(all || wide ? [row(callout, column, style)] : []),
      ...(wide ? replicaLines(callout.replicas, style, true).map((line) => `  ${line}`) : []),
      ...(all || wide ? notTriedLines(callout.notTried, style).map((line) => `  ${line}`) : []),
    ]),
  ];
}
