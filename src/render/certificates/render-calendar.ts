import type { CertificateReport } from '../../diagnose/certificates/certificate-report.ts';
import { spanText } from '../../phrases/durations.ts';
import { counted, firstOf, listed } from '../../phrases/lists.ts';
import { styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';
import { calendarEntries } from './calendar-entries.ts';
import { columns, widest } from './columns.ts';

/** Expired certificates and those that expire within `days`, sorted by time. Ends with a line feed. */
export function renderCalendar(report: CertificateReport, days: number, look: Look): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const entries = calendarEntries(safe, days);
  if (entries.length === 0) {
    const examined = safe.certificates.length;
    return `None of the ${counted(examined, 'certificate')} expires within ${counted(days, 'day')}.\n`;
  }
  const rows = entries.map(({ at, subject, places, callouts, renewedBy }) => [
    at.slice(0, 10),
    Date.parse(at) < Date.parse(safe.takenAt)
      ? style.paint.red(spanText(safe.takenAt, at))
      : spanText(safe.takenAt, at),
    subject || 'no subject',
    places.join(', '),
    renewedBy.join(', '),
    callouts.length > 2 ? firstOf(callouts) : listed(callouts),
  ]);
  const headings = ['EXPIRES', '', 'CERTIFICATE', 'WHERE', 'RENEWED BY', 'WEBHOOKS'].map((text) =>
    style.paint.bold(text),
  );
  const lines = columns([headings, ...rows]);
  if (widest(lines) <= look.width) return `${lines.join('\n')}\n`;
  const blocks = rows.map(([day = '', span = '', subject = '', where = '', by = '', callouts = '']) =>
    [
      `${style.paint.bold(day)}  ${span}  ${subject}`,
      ...wrap(where, style.width, '    '),
      ...(by === '' ? [] : wrap(`renewed by ${by}`, style.width, '    ')),
      ...wrap(callouts, style.width, '    '),
    ].join('\n'),
  );
  return `${blocks.join('\n')}\n`;
}
