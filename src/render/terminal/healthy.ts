import type { CalloutReport, DoctorReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { countedWebhooks } from '../../phrases/numbers.ts';
import { certainty } from '../labels.ts';
import type { ReportLook } from '../look.ts';
import { stateWord } from './broken-table.ts';
import { chainLine } from './chain-line.ts';
import { notTriedLines, replicaLines } from './evidence.ts';
import { sampleRows } from './sample-lines.ts';
import type { Style } from './style.ts';
import { backendText, subjectLines } from './subject-lines.ts';
import { wrap } from './wrap.ts';

/** Why a webhook is healthy, and how certain that is. */
const sureness = ({ verdict: { confidence } }: CalloutReport): string =>
  confidence === 'observed' ? certainty.observed : `not probed, ${certainty.derived} from objects`;

const row = (callout: CalloutReport, { marks, width }: Style): string[] => {
  const { replicas, backend, verdict } = callout;
  const ready = replicas.filter((replica) => replica.ready).length;
  const facts = [
    backendText(backend, false),
    ...(replicas.length === 0 ? [] : [`${ready}/${replicas.length} ready`]),
    ...(verdict.confidence === 'derived' ? ['not probed'] : []),
  ];
  return wrap(`${calloutId(callout)}  ${facts.join(` ${marks.dot} `)}`, width, '    ', '      ');
};

/** A named healthy webhook: what was examined, and the certainty. */
function block(callout: CalloutReport, style: Style): string[] {
  const { replicas, notTried, verdict } = callout;
  const sentence =
    verdict.neverCalled === true
      ? 'The API server does not call it as it is configured.'
      : `The next call succeeds (${sureness(callout)}).`;
  return [
    ...subjectLines(stateWord('healthy', style).replace('healthy', 'HEALTHY'), [callout], style, true),
    ...wrap(sentence, style.width, '  '),
    ...chainLine(callout, style),
    ...replicaLines(replicas, style, true),
    ...sampleRows(callout, style).flat(),
    ...notTriedLines(notTried, style),
  ];
}

/** Healthy webhooks, on request: named ones with the examined objects, otherwise a line each. */
export function healthyLines(report: DoctorReport, style: Style, { all, wide, named }: ReportLook): string[] {
  const healthy = report.callouts
    .filter(({ verdict }) => verdict.state === 'healthy')
    .toSorted((a, b) => calloutId(a).localeCompare(calloutId(b), 'en', { numeric: true }));
  if (healthy.length === 0) return [];
  if (named === true)
    return healthy.flatMap((callout, at) => [...(at === 0 ? [] : ['']), ...block(callout, style)]);
  if (!all && !wide) return [];
  return [
    ...wrap(
      `${countedWebhooks(healthy, ['is', 'are'])} healthy`,
      style.width,
      `${style.paint.green(style.marks.good)} `,
      '  ',
    ),
    ...healthy.flatMap((callout) => [
      ...row(callout, style),
      ...(wide ? replicaLines(callout.replicas, style, true).map((line) => `  ${line}`) : []),
      ...sampleRows(callout, style).flat(),
      ...notTriedLines(callout.notTried, style).map((line) => `  ${line}`),
    ]),
  ];
}
