import type { FindingReport } from '../../diagnose/report.ts';
import { labelled } from '../terminal/labelled.ts';
import { messageLines } from '../terminal/message-lines.ts';
import { styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { labels } from '../text/labels.ts';
import type { Look } from '../text/look.ts';

/** The explanation of a remedy that is printed before its diff. All of it is text from this program. */
export interface RemedySummary {
  readonly title: string;
  readonly does: string;
  readonly leaves: string;
}

/** Renders the finding, what the remedy changes and what it does not cover. Ends with an empty line. */
export function renderRemedySummary(finding: FindingReport, remedy: RemedySummary, look: Look): string {
  const style = styleOf(look);
  const { message, confidence, callout = '', check } = harmlessDocument(finding, look.unicode);
  return [
    ...wrap(`${style.paint.bold(callout)} ${style.marks.dot} ${check}`, style.width),
    ...messageLines(message, confidence, style),
    ...labelled(
      [
        ['Remedy', remedy.title],
        ['Does', remedy.does],
        [labels.notCovered, remedy.leaves],
      ],
      style,
    ),
    '',
    '',
  ].join('\n');
}
