import type { CertificateReport } from '../../diagnose/certificates/certificate-report.ts';
import type { DoctorReport, WebhookList } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { unreadDocument } from '../../facts/unread.ts';
import { reportDocument } from '../../render/data-formats/document.ts';

// Short reports for agents: fields and names as in -o json, and only the worst entries. `omitted` counts the
// others; a named webhook is complete.

/** Maximum entries of a list. */
const most = 20;

/** The first entries of lists, and the number of others. */
function firstOfEach(lists: Readonly<Record<string, readonly unknown[]>>): object {
  const entries = Object.entries(lists);
  const left = entries.filter(([, all]) => all.length > most).map(([name, all]) => [name, all.length - most]);
  return {
    ...Object.fromEntries(entries.map(([name, all]) => [name, all.slice(0, most)])),
    ...(left.length === 0 ? {} : { omitted: Object.fromEntries(left) }),
  };
}

const unreadBriefly = (unread: DoctorReport['notLookedAt']) =>
  unread.map(unreadDocument).map(({ what, why }) => ({ what, why }));

const stoppedBriefly = ({ what, callouts, since }: DoctorReport['blocked'][number]) => ({
  what,
  callouts: callouts.slice(0, most),
  since,
});

/** Broken webhooks, their causes, and the next commands. */
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
      findings: reportDocument({ findings: needed }).findings.map(
        ({ id, check, severity, confidence, callout, message, next: commands }) => ({
          ...{ id, check, severity, confidence, callout, message },
          ...(commands === undefined
            ? {}
            : { next: commands.map(({ when, title, command }) => ({ when, title, command })) }),
        }),
      ),
      blocked: blocked.map(stoppedBriefly),
      unchecked: unchecked.map(stoppedBriefly),
      notLookedAt: unreadBriefly(notLookedAt),
    }),
    ...(next === undefined ? {} : { next }),
  };
}

/** The table: a small object per webhook, worst states first. */
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
      notLookedAt: unreadBriefly(notLookedAt),
    }),
  };
}

/** Rejected certificates, and those that expire first. */
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
      notLookedAt: unreadBriefly(notLookedAt),
    }),
  };
}
