import { groupBy } from '../../basics/collections.ts';
import type { CertificateEntry, CertificateReport } from '../../diagnose/certificates/certificate-report.ts';
import { calloutId } from '../../facts/callout.ts';
import { counted } from '../../phrases/lists.ts';

/** The expiry of one certificate, with every place that contains it. */
export interface CalendarEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly subject: string;
  readonly sha256: string;
  /** `caBundle`, `Secret shop/policy`, `served by 2 replicas`. */
  readonly places: readonly string[];
  /** Ids of the webhooks and APIServices that use it. */
  readonly callouts: readonly string[];
  readonly renewedBy: readonly string[];
}

function places(entries: readonly CertificateEntry[]): readonly string[] {
  const served = new Set(
    entries
      .filter(({ source }) => source === 'served')
      .map(({ pod, endpoint, url }) => pod ?? endpoint ?? url),
  ).size;
  const secrets = new Set(
    entries.flatMap(({ secret }) => (secret === undefined ? [] : [`Secret ${secret}`])),
  );
  return [
    ...(entries.some(({ source }) => source === 'ca-bundle') ? ['caBundle'] : []),
    ...secrets,
    ...(served === 0 ? [] : [`served by ${counted(served, 'Pod')}`]),
  ];
}

/** Certificates that have expired, or expire within `days` after the report was made, earliest first. */
export function calendarEntries(report: CertificateReport, days: number): readonly CalendarEntry[] {
  const until = Date.parse(report.takenAt) + days * 24 * 60 * 60 * 1000;
  const renewedBy = new Map(report.callouts.map((callout) => [calloutId(callout), callout.renewedBy]));
  const dated = report.certificates.filter(
    ({ notAfter }) => notAfter !== undefined && Date.parse(notAfter) <= until,
  );
  return [...groupBy(dated, ({ sha256 }) => sha256)]
    .map(([sha256 = '', entries]): CalendarEntry => {
      const callouts = [...new Set(entries.map(({ callout }) => calloutId(callout)))];
      const { notAfter = '', subject = '' } = entries[0];
      const by = entries.every(({ source }) => source === 'ca-bundle')
        ? []
        : callouts.flatMap((id) => renewedBy.get(id) ?? []);
      return {
        at: notAfter,
        subject,
        sha256,
        places: places(entries),
        callouts,
        renewedBy: [...new Set(by)],
      };
    })
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.sha256.localeCompare(b.sha256));
}
