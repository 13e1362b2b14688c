import type { Check } from '../checks/check.ts';
import type { Callout } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { knownChains } from '../serving-certificates/chains.ts';
import { servingSecret } from '../serving-certificates/serving-secret.ts';
import { buildReport, type Show, summaryOf } from './build-report.ts';
import { calloutCertificates } from './callout-certificates.ts';
import { bundleEntries, secretEntry, servedEntry } from './certificate-entries.ts';
import type { CertificateEntry, CertificateReport } from './certificate-report.ts';

/** Checks about certificates: what cert-check runs. */
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

/** Snapshot → CertificateReport. Pure. */
export function certificateReport(
  snapshot: Snapshot,
  asked: readonly Callout[],
  catalogue: readonly Check[],
  show: Show = () => true,
): CertificateReport {
  const { facts, cluster } = snapshot;
  const { findings, notLookedAt } = buildReport(snapshot, asked, catalogue.filter(isAboutCertificates), show);
  const callouts = asked.map((callout) => calloutCertificates(callout, facts));
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
    certificates: asked.flatMap((callout) => entriesOf(callout, snapshot)),
    callouts,
    findings,
    notLookedAt,
  };
}
