import type { CertificateReport } from '../../diagnose/certificates/certificate-report.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { calendarEntries } from './calendar-entries.ts';

/** TEXT of RFC 5545 3.3.11. */
const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n');

/** Folds a content line: at most 75 octets (RFC 5545 3.1), never inside a character. */
function folded(line: string): string {
  const lines: string[] = [''];
  let room = 75;
  for (const letter of line) {
    const octets = Buffer.byteLength(letter);
    if (octets > room) {
      lines.push(' ');
      room = 74;
    }
    lines.push(`${lines.pop()}${letter}`);
    room -= octets;
  }
  return lines.join('\r\n');
}

const compact = (moment: string): string => new Date(moment).toISOString().replace(/[-:]|\.\d+/g, '');

const weekBefore = [
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'DESCRIPTION:A webhook certificate expires',
  'TRIGGER:-P7D',
  'END:VALARM',
];

/** An RFC 5545 calendar with an alarm a week before each expiry. Event ids are stable across runs. */
export function renderIcs(report: CertificateReport, days: number): string {
  const safe = harmlessDocument(report, true);
  const events = calendarEntries(safe, days).flatMap(
    ({ at, subject, sha256, places, callouts, renewedBy }) => [
      'BEGIN:VEVENT',
      `UID:${sha256.replaceAll(':', '')}@kubectl-webhook`,
      `DTSTAMP:${compact(safe.takenAt)}`,
      `DTSTART:${compact(at)}`,
      `SUMMARY:${escaped(`Certificate expires: ${subject}`)}`,
      `DESCRIPTION:${escaped([`${places.join(', ')}`, ...renewedBy.map((by) => `renewed by ${by}`), ...callouts].join('\n'))}`,
      ...weekBefore,
      'END:VEVENT',
    ],
  );
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//kubectl-webhook//cert-check//EN',
    ...events,
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}
