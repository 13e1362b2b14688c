import type { ClusterReader, OpenProber } from '../collect/cluster.ts';
import { readCluster } from '../collect/planner.ts';
import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import { type CalloutChoice, selectedCallouts } from './selection/filter-callouts.ts';
import { inItsShare } from './time-slice.ts';

/** The flags of `cert-check`. */
export interface CertCheckOptions extends CalloutChoice {
  readonly now: Date;
  /** Undefined: no connection is made, and the certificates in Secrets are used instead of served ones. */
  readonly prober?: OpenProber | undefined;
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster?: string;
}

/** The code that evaluates facts and builds the report. */
const loadEvaluation = async () => ({
  ...(await import('../checks/catalogue.ts')),
  ...(await import('./check-while-reading.ts')),
  ...(await import('../diagnose/certificates/build-certificate-report.ts')),
});

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
  const loading = source.attempts.firstResponse.then(loadEvaluation);
  const [first, evaluation] = await Promise.all([source.first(), loading]);
  const { catalogue, certificateReport, checkWhileReading, isAboutCertificates } = evaluation;
  const { chosen, ...others } = selectedCallouts(first, options, source.attempts.failed);
  source.choose(chosen);
  const checkResults = await checkWhileReading(catalogue.filter(isAboutCertificates), source, reader);
  const snapshot = await source.snapshot();
  const report = await inItsShare(reader, 1 / 3, 'while certificates were compared', (isOver) =>
    certificateReport(snapshot, chosen, catalogue, { checkResults, isOver, sameCluster }),
  );
  return { ...report, ...others };
}
