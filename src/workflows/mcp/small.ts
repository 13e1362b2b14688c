import type { CertificateReport } from '../../diagnose/certificate-report.ts';
import type { DoctorReport, WebhookList } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { unreadDocument } from '../../facts/unread.ts';
import { reportDocument } from '../../render/document.ts';

// Reports as an agent reads them first: members and names of the documents of -o json, of the worst entries only. What
// was left out is counted in `omitted`; a named webhook comes with everything.

/** Entries of a list. */
const most = 20;

/** The first entries of lists, and how many more there are. */
function firstOfEach(lists: Readonly<Record<string, readonly unknown[]>>): object {
  const entries = Object.entries(lists);
  const left = entries.filter(([, all]) => all.length > most).map(([name, all]) => [name, all.length - most]);
  return {
    ...Object.fromEntries(entries.map(([name, all]) => [name, all.slice(0, most)])),
    ...(left.length === 0 ? {} : { omitted: Object.fromEntries(left) }),
  };
}

/** What is broken, why, and what a person types next. */
export function smallReport(report: DoctorReport) {
  const { apiVersion, kind, takenAt, cluster, summary, stories, next } = reportDocument(report);
  const { blocked, unchecked, notLookedAt, findings } = report;
  const causes = new Set(
    stories.flatMap(({ cause, also }) => [...(cause === undefined ? [] : [cause]), ...also]),
  );
  const needed = findings.filter(
    ({ id, severity, causedBy }) => causes.has(id) || (severity !== 'info' && causedBy === undefined),
  );
  return {
    ...{ apiVersion, kind, takenAt, cluster, summary },
    ...firstOfEach({
      callouts: report.callouts
        .filter(({ verdict }) => verdict.state !== 'healthy')
        .map((callout) => ({
          id: calloutId(callout),
          failurePolicy: callout.failurePolicy,
          backend: callout.backend,
          verdict: callout.verdict,
        })),
      findings:
        reportDocument({ findings: needed }).findings?.map(
          ({ id, check, severity, confidence, callout, message, next: commands }) => ({
            ...{ id, check, severity, confidence, callout, message },
            ...(commands === undefined
              ? {}
              : { next: commands.map(({ when, title, command }) => ({ when, title, command })) }),
          }),
        ) ?? [],
      blocked: blocked.map(({ what, callouts, since }) => ({
        what,
        callouts: callouts.slice(0, most),
        since,
      })),
      unchecked: unchecked.map(({ what, callouts, since }) => ({
        what,
        callouts: callouts.slice(0, most),
        since,
      })),
      notLookedAt: notLookedAt.map(unreadDocument).map(({ what, why }) => ({ what, why })),
    }),
    ...(next === undefined ? {} : { next }),
  };
}

/** The table: one small object for each webhook, the states that need someone first. */
export function smallList(list: WebhookList) {
  const { apiVersion, kind, takenAt, cluster, items, notLookedAt } = list;
  const rank = ['failing', 'degraded', 'unknown', 'healthy'];
  return {
    ...{ apiVersion, kind, takenAt, cluster },
    total: items.length,
    ...firstOfEach({
      items: items
        .toSorted((a, b) => rank.indexOf(a.verdict.state) - rank.indexOf(b.verdict.state))
        .map(({ backend, ready, failurePolicy, verdict, certificateExpires, ...item }) => ({
          id: calloutId(item),
          ...{ failurePolicy, backend, ready, certificateExpires },
          verdict: { state: verdict.state, because: verdict.because, effect: verdict.effect },
        })),
      notLookedAt: notLookedAt.map(unreadDocument).map(({ what, why }) => ({ what, why })),
    }),
  };
}

/** Which certificates are rejected, and which end first. */
export function smallCertificates(report: CertificateReport) {
  const { apiVersion, kind, takenAt, cluster, summary, callouts, notLookedAt } = report;
  const ends = (callout: (typeof callouts)[number]): string => callout.firstExpiry?.at ?? '9999';
  return {
    ...{ apiVersion, kind, takenAt, cluster, summary },
    ...firstOfEach({
      callouts: callouts
        .toSorted(
          (a, b) =>
            Number(a.state === 'accepted') - Number(b.state === 'accepted') || ends(a).localeCompare(ends(b)),
        )
        .map(({ state, why, firstExpiry, renewedBy, keptIn, ...callout }) => ({
          id: calloutId(callout),
          ...{ state, why, firstExpiry, keptIn, renewedBy },
        })),
      notLookedAt: notLookedAt.map(unreadDocument).map(({ what, why }) => ({ what, why })),
    }),
  };
}
