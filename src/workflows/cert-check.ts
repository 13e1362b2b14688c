import type { OpenProber } from '../collect/cluster-prober.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { readCluster } from '../collect/planner.ts';
import type { CertificateReport } from '../diagnose/certificate-report.ts';
import { askedCallouts, type CalloutFilter } from './filter-callouts.ts';

/** What the flags of `cert-check` ask for. */
export interface CertificateQuestion {
  /** Names as typed; empty for all callouts. */
  readonly callouts: readonly string[];
  readonly filter?: CalloutFilter;
  readonly now: Date;
  /** Absent: no connection is made, and what lies in Secrets stands for what is served. */
  readonly prober?: OpenProber;
  readonly onStage?: (stage: string) => void;
  /** Called when probes begin: what it returns ends them. */
  readonly interruptible?: () => AbortSignal;
}

/** What judges what was read. */
const judges = () =>
  Promise.all([import('../diagnose/build-certificate-report.ts'), import('../checks/catalogue.ts')]);

/** Compares caBundle, Secret and served certificate of callouts. Throws ReadError and CalloutNameError. */
export async function certCheck(
  reader: ClusterReader,
  question: CertificateQuestion,
): Promise<CertificateReport> {
  const { now, prober, onStage, interruptible } = question;
  const source = readCluster(reader, {
    now,
    wishes: {
      topics: ['certificates'],
      closely: true,
      probe: prober && { level: 'connect', replicasOnly: true },
    },
    prober,
    onStage,
    interruptible,
  });
  const [first, [{ certificateReport, isAboutCertificates }, { catalogue }]] = await Promise.all([
    source.first(),
    source.attempts.begun.then(judges),
  ]);
  const { asked, ...others } = askedCallouts(first, question, source.attempts.failed);
  source.about(asked);
  await source.known(catalogue.filter(isAboutCertificates).flatMap(({ requires }) => requires));
  return { ...certificateReport(await source.snapshot(), asked, catalogue), ...others };
}
