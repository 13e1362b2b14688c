import stringWidth from 'string-width';
import type { CalloutCertificates, CertificateReport } from '../../diagnose/certificate-report.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Style } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { columns, widest } from './columns.ts';
import { spanText } from './span.ts';

const state = ({ state: word }: CalloutCertificates, { paint, marks }: Style): string =>
  ({
    accepted: paint.green(`${marks.good} accepted`),
    degraded: paint.yellow(`${marks.warning} degraded`),
    rejected: paint.red(`${marks.bad} rejected`),
    unknown: paint.magenta(`${marks.unknown} unknown`),
  })[word];

/** `2 of 2 accepted`, `2 served, 1 accepted`, `not seen`. */
function servedText({
  replicas: { total, served, accepted },
  backend,
  confidence,
}: CalloutCertificates): string {
  if (served === 0) return confidence === 'derived' && total === 0 ? 'not asked' : `not seen, 0 of ${total}`;
  if (backend.url !== undefined) return accepted === served ? 'accepted' : 'rejected';
  if (served === total) return `${accepted} of ${total} accepted`;
  return `${accepted} accepted, ${served} of ${total} seen`;
}

const expiry = ({ firstExpiry }: CalloutCertificates, takenAt: string): string =>
  firstExpiry === undefined ? '' : `${firstExpiry.at.slice(0, 10)} ${spanText(takenAt, firstExpiry.at)}`;

/** What is said, and of what. */
type Fact = readonly [string, string];

/** Items side by side, none of them broken over two lines. */
function packed(items: readonly string[], { width, marks }: Style): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = `${lines.at(-1) ?? ''} ${marks.dot} ${item}`;
    if (lines.length > 0 && stringWidth(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(`    ${item}`);
  }
  return lines;
}

const headings = ['VERDICT', 'FIRST EXPIRY', 'SERVED', 'CABUNDLE', 'SECRET', 'RENEWED BY', 'WEBHOOK'];

const cells = (
  callout: CalloutCertificates,
  { takenAt }: CertificateReport,
  style: Style,
): readonly string[] => [
  state(callout, style),
  expiry(callout, takenAt),
  servedText(callout),
  callout.caBundle,
  callout.keptIn,
  callout.renewedBy,
  calloutId(callout),
];

/** `expires`, or `expired`, and when. */
function expiryFact({ firstExpiry }: CalloutCertificates, takenAt: string): readonly Fact[] {
  if (firstExpiry === undefined) return [];
  const { at, of } = firstExpiry;
  const label = Date.parse(at) < Date.parse(takenAt) ? 'expired' : 'expires';
  return [[label, `${at.slice(0, 10)}, ${spanText(takenAt, at)} (${of})`]];
}

/**
 * Where the columns do not fit: the callout on a line of its own, and below it what else is to be said: line by line of
 * what asks for somebody, in as few lines as it takes of what is accepted.
 */
function block(
  callout: CalloutCertificates,
  { takenAt }: CertificateReport,
  style: Style,
): readonly string[] {
  const { paint, width } = style;
  const heading = `${state(callout, style)}  ${paint.bold(calloutId(callout))}`;
  const facts: readonly Fact[] = [
    ['caBundle', callout.caBundle],
    ['Secret', callout.keptIn],
    ['served', servedText(callout)],
    ...expiryFact(callout, takenAt),
    ['renewed by', callout.renewedBy],
  ];
  if (callout.state === 'accepted') {
    return [
      heading,
      ...packed(
        facts.map(([label, text]) => `${paint.dim(label)} ${text}`),
        style,
      ),
    ];
  }
  const { why } = callout;
  return [
    heading,
    ...(why === undefined ? [] : wrap(why, width, '    ', '      ', true)),
    ...facts.flatMap(([label, text]) => wrap(text, width, `    ${paint.dim(label.padEnd(10))}  `)),
  ];
}

/** How a list of callouts is told. */
export interface CertificateTable {
  readonly lines: readonly string[];
  /** Each callout has been given its reason. */
  readonly withReasons: boolean;
}

/** One line per callout in columns where `width` allows it, else a short block each. */
export function certificateTable(
  callouts: readonly CalloutCertificates[],
  report: CertificateReport,
  style: Style,
  width: number,
): CertificateTable {
  if (callouts.length === 0) return { lines: [], withReasons: true };
  const rows = callouts.map((callout) => cells(callout, report, style));
  const lines = columns([headings.map((heading) => style.paint.bold(heading)), ...rows]);
  if (widest(lines) <= width) return { lines, withReasons: false };
  return { lines: callouts.flatMap((callout) => block(callout, report, style)), withReasons: true };
}
