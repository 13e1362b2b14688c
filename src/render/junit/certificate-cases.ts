import type {
  CalloutCertificates,
  CertificateReport,
} from '../../diagnose/certificates/certificate-report.ts';
import { calloutId } from '../../facts/callout.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { type JunitCase, junitXml } from './junit-xml.ts';
import { caseOfUnread } from './report-cases.ts';

type Outcome = NonNullable<JunitCase['outcome']>;

/** @param within milliseconds from `takenAt`; a certificate that expires earlier is a failure. */
function outcomeOf(
  { state, neverCalled, why, firstExpiry }: CalloutCertificates,
  takenAt: string,
  within: number | undefined,
): Outcome | undefined {
  if (neverCalled === true) return undefined;
  if (state === 'rejected' || state === 'degraded')
    return { kind: 'failure', type: state, message: why ?? `certificates are ${state}` };
  if (firstExpiry !== undefined && within !== undefined) {
    const left = Date.parse(firstExpiry.at) - Date.parse(takenAt);
    if (left <= within)
      return { kind: 'failure', type: 'expires', message: `${firstExpiry.of} expires ${firstExpiry.at}` };
  }
  if (state === 'unknown') return { kind: 'error', type: state, message: why ?? 'unknown' };
  return undefined;
}

/** JUnit XML for nightly runs: a case per webhook, and one per object that could not be read. */
export function renderCertificateJunit(given: CertificateReport, within: number | undefined): string {
  const { callouts, notLookedAt, takenAt } = harmlessDocument(given, true);
  return junitXml({
    name: 'kubectl webhook cert-check',
    timestamp: takenAt,
    cases: [
      ...callouts.map((callout): JunitCase => {
        const outcome = outcomeOf(callout, takenAt, within);
        const { firstExpiry, keptIn, renewedBy } = callout;
        const ends = firstExpiry === undefined ? '' : `${firstExpiry.of} expires ${firstExpiry.at}\n`;
        return {
          classname: `${callout.kind}.${callout.configuration}`,
          name: callout.webhook,
          ...(outcome === undefined ? {} : { outcome }),
          text: `${calloutId(callout)}\n${ends}kept in: ${keptIn}\nrenewed by: ${renewedBy}`,
        };
      }),
      ...notLookedAt.map(caseOfUnread),
    ],
  });
}
