import type { Check } from '../checks/check.ts';
import type { Callout } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { knownChains } from '../serving-certificates/chains.ts';
import { servingSecret } from '../serving-certificates/serving-secret.ts';
import { buildReport, summaryOf } from './build-report.ts';
import { calloutCertificates } from './callout-certificates.ts';
import { bundleEntries, secretEntry, servedEntry } from './certificate-entries.ts';
import type { CertificateEntry, CertificateReport } from './certificate-report.ts';
import { notEvaluated } from './coverage.ts';
import type { CheckRun } from './run-check.ts';

/** Selects the checks that `cert-check` runs. */
export const isAboutCertificates = ({ meta }: Check): boolean =>
  meta.link === 'tls' || meta.aboutCertificates === true;

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
  { isOver, ...checkRun }: CheckRun = {},
): CertificateReport {
  const { facts, cluster } = snapshot;
  const checks = catalogue.filter(isAboutCertificates);
  const evaluated = chosen.flatMap((callout) =>
    isOver?.() ? [] : { ...calloutCertificates(callout, facts), entries: entriesOf(callout, snapshot) },
  );
  const callouts = evaluated.map(({ entries: _, ...callout }) => callout);
  const evaluatedCallouts = chosen.slice(0, evaluated.length);
  const { findings, notLookedAt } = buildReport(snapshot, evaluatedCallouts, checks, checkRun);
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'CertificateReport',
    takenAt: facts.takenAt,
    cluster,
    summary: summaryOf(
      ['accepted', 'degraded', 'rejected', 'unknown'],
      callouts.map(({ state }) => state),
      findings,
    ),
    certificates: evaluated.flatMap(({ entries }) => entries),
    callouts,
    findings,
    notLookedAt: [...notLookedAt, ...notEvaluated(chosen.length - evaluatedCallouts.length)],
  };
}
