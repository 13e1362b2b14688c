import type { Check, Severity } from '../checks/check.ts';
import type { Callout } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { knownChains } from '../serving-certificates/chains.ts';
import { servingSecret } from '../serving-certificates/serving-secret.ts';
import { calloutCertificates } from './callout-certificates.ts';
import { bundleEntries, secretEntry, servedEntry } from './certificate-entries.ts';
import type { CertificateEntry, CertificateReport, CertificateState } from './certificate-report.ts';
import { diagnose } from './diagnose.ts';

/** Checks about certificates: what cert-check runs. */
export const isAboutCertificates = ({ meta }: Check): boolean =>
  meta.link === 'tls' || meta.id === 'certificate-rotated-by-nobody';

function entriesOf(callout: Callout, { facts, takenAt }: Snapshot): readonly CertificateEntry[] {
  const served = knownChains(callout, facts, takenAt).filter(({ source }) => source === 'served');
  return [
    ...bundleEntries(callout, facts.version, takenAt),
    ...secretEntry(callout, servingSecret(callout, facts), facts, takenAt),
    ...served.map((chain) => servedEntry(callout, chain, facts.version)),
  ];
}

const states: readonly CertificateState[] = ['accepted', 'degraded', 'rejected', 'unknown'];

/** Snapshot → CertificateReport. Pure; `takenAt` is its only clock. */
export function certificateReport(
  snapshot: Snapshot,
  asked: readonly Callout[],
  catalogue: readonly Check[],
  show: (finding: { readonly checkId: string; readonly severity: Severity }) => boolean = () => true,
): CertificateReport {
  const { facts, takenAt, cluster } = snapshot;
  const { findings, notLookedAt, summary } = diagnose(
    snapshot,
    asked,
    catalogue.filter(isAboutCertificates),
    show,
  );
  const callouts = asked.map((callout) => calloutCertificates(callout, facts, takenAt));
  const count = (state: CertificateState): number => callouts.filter((one) => one.state === state).length;
  const counts = Object.fromEntries(states.map((state) => [state, count(state)])) as Record<
    CertificateState,
    number
  >;
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'CertificateReport',
    takenAt,
    cluster,
    summary: { callouts: { total: callouts.length, ...counts }, findings: summary.findings },
    certificates: asked.flatMap((callout) => entriesOf(callout, snapshot)),
    callouts,
    findings,
    notLookedAt,
  };
}
