import type { CalloutCertificates, CertificateReport } from '../../diagnose/certificate-report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { spanText } from '../../phrases/durations.ts';
import { type FoldingRow, foldingTable } from '../terminal/folding-table.ts';
import type { Style } from '../terminal/style.ts';

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
  if (served === 0) return confidence === 'derived' && total === 0 ? 'not probed' : `0 of ${total} read`;
  if (backend.url !== undefined) return accepted === served ? 'accepted' : 'rejected';
  if (served === total) return `${accepted} of ${total} accepted`;
  return `${accepted} accepted, ${served} of ${total} read`;
}

/** Time until the first expiry, in days: `in 10 days`. */
const expiry = ({ firstExpiry }: CalloutCertificates, takenAt: string): string =>
  firstExpiry === undefined ? '-' : spanText(takenAt, firstExpiry.at);

/** The part of a sentence before its reason. */
const short = (text: string): string => text.split(': ')[0] || '-';

/** One row per webhook or APIService. */
export function certificateRows(
  callouts: readonly CalloutCertificates[],
  { callouts: all, takenAt }: CertificateReport,
  style: Style,
  withRenewal: boolean,
): readonly FoldingRow[] {
  const nameOf = shortNames(all);
  return callouts.map((callout) => {
    const { caBundle, keptIn, renewedBy } = callout;
    const cells = [
      short(caBundle),
      servedText(callout),
      short(keptIn),
      expiry(callout, takenAt),
      state(callout, style),
    ];
    const below = renewedBy === '' || !withRenewal ? {} : { below: `renewed by ${renewedBy}` };
    return { before: [], name: nameOf(calloutId(callout)), after: cells, ...below };
  });
}

/** Rows under their headings. Cells that do not fit continue on a second line. */
export function certificateTable(
  rows: readonly FoldingRow[],
  style: Style,
  before: readonly string[] = [],
): readonly string[] {
  if (rows.length === 0) return [];
  const headings = { before, name: 'WEBHOOK', after: ['CA', 'SERVED', 'SECRET', 'EXPIRES', 'VERDICT'] };
  return foldingTable(headings, rows, style);
}
