import type { ClusterReader, OpenProber } from '../collect/cluster.ts';
import { readCluster } from '../collect/planner.ts';
import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import { loadChecks } from './load-checks.ts';
import { type CalloutChoice, selectedCallouts } from './selection/filter-callouts.ts';

/** The flags of `cert-check`. */
export interface CertCheckOptions extends CalloutChoice {
  readonly now: Date;
  /** Undefined: no connection is made, and the certificates in Secrets are used instead of served ones. */
  readonly prober?: OpenProber | undefined;
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster?: string;
}

/** Compares caBundle, Secret and served certificates. Throws ReadError and CalloutNameError. */
export async function certCheck(
  reader: ClusterReader,
  options: CertCheckOptions,
): Promise<CertificateReport> {
  const { now, prober, onStage, sameCluster } = options;
  const source = readCluster(reader, {
    now,
    readOptions: {
      topics: ['certificates'],
      examineAll: true,
      probe: prober && { level: 'connect', replicasOnly: true },
    },
    prober,
    onStage,
  });
  const loading = source.attempts.firstResponse.then(() =>
    Promise.all([loadChecks(), import('../diagnose/certificates/build-certificate-report.ts')]),
  );
  const [first, [checks, certificates]] = await Promise.all([source.first(), loading]);
  const { catalogue, checkWhileReading, inItsShare } = checks;
  const { chosen, ...others } = selectedCallouts(first, options, source.attempts.failed);
  source.about(chosen);
  const checkResults = await checkWhileReading(
    catalogue.filter(certificates.isAboutCertificates),
    source,
    reader,
  );
  const snapshot = await source.snapshot();
  const report = await inItsShare(reader, 1 / 3, 'while certificates were compared', (isOver) =>
    certificates.certificateReport(snapshot, chosen, catalogue, { checkResults, isOver, sameCluster }),
  );
  return { ...report, ...others };
}
