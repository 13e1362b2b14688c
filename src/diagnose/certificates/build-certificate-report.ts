import type { Check } from '../../checks/check.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { knownChains } from '../../serving-certificates/chains.ts';
import { servingSecret } from '../../serving-certificates/serving-secret.ts';
import { buildReport, type ReportOptions, summaryOf } from '../build-report.ts';
import { notEvaluated } from '../coverage.ts';
import type { CheckRun } from '../findings/run-check.ts';
import { calloutCertificates } from './callout-certificates.ts';
import { bundleEntries, secretEntry, servedEntry } from './certificate-entries.ts';
import type { CertificateEntry, CertificateReport } from './certificate-report.ts';

/** Selects the checks that `cert-check` runs: also those for webhooks whose certificates do not matter. */
export const isAboutCertificates = ({ meta }: Check): boolean =>
  meta.link === 'tls' || meta.aboutCertificates === true || meta.implies === 'never-called';

function entriesOf(callout: Callout, { facts }: Snapshot): readonly CertificateEntry[] {
  const served = knownChains(callout, facts).filter(({ source }) => source === 'served');
  return [
    ...bundleEntries(callout, facts),
    ...secretEntry(callout, servingSecret(callout, facts), facts),
    ...served.map((chain) => servedEntry(callout, chain, facts.version)),
  ];
}

/** Builds a CertificateReport from a snapshot. Pure. */
export function certificateReport(
  snapshot: Snapshot,
  chosen: readonly Callout[],
  catalogue: readonly Check[],
  { isOver, ...options }: Pick<ReportOptions, 'sameCluster' | keyof CheckRun> = {},
): CertificateReport {
  const { facts, cluster } = snapshot;
  const checks = catalogue.filter(isAboutCertificates);
  const evaluated = chosen.flatMap((callout) =>
    isOver?.() ? [] : { ...calloutCertificates(callout, facts), entries: entriesOf(callout, snapshot) },
  );
  const evaluatedCallouts = chosen.slice(0, evaluated.length);
  const report = buildReport(snapshot, evaluatedCallouts, checks, options);
  const { findings, notLookedAt } = report;
  const uncalled = new Set(
    report.callouts.filter(({ verdict }) => verdict.neverCalled === true).map(calloutId),
  );
  const callouts = evaluated.map(({ entries: _, ...callout }) => ({
    ...callout,
    ...(uncalled.has(calloutId(callout)) ? ({ neverCalled: true } as const) : {}),
  }));
  const { callouts: counts, ...summary } = summaryOf(
    ['accepted', 'degraded', 'rejected', 'unknown'],
    callouts.filter(({ neverCalled }) => neverCalled !== true).map(({ state }) => state),
    findings,
  );
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'CertificateReport',
    takenAt: facts.takenAt,
    cluster,
    summary: { ...summary, callouts: { ...counts, total: callouts.length } },
    certificates: evaluated.flatMap(({ entries }) => entries),
    callouts,
    findings,
    notLookedAt: [...notLookedAt, ...notEvaluated(chosen.length - evaluatedCallouts.length)],
  };
}
