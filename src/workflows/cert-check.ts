import { routingModeFrom } from '../apiserver/routing/routing-mode.ts';
import type { OpenProber } from '../collect/cluster-prober.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { collect } from '../collect/collect.ts';
import type { CertificateReport } from '../diagnose/certificate-report.ts';
import { chooseCallouts, namedWithoutWebhooks } from './choose-callouts.ts';

/** What the flags of `cert-check` ask for. */
export interface CertificateQuestion {
  /** Names as typed; empty for all callouts. */
  readonly callouts: readonly string[];
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
  const { prober, onStage, interruptible } = question;
  const stage = onStage === undefined ? {} : { onStage };
  const { snapshot, asked, withoutWebhooks } = await collect(reader, {
    choose: (callouts, withoutWebhooks, unread) =>
      chooseCallouts(callouts, question.callouts, withoutWebhooks, unread),
    everything: true,
    onlyCertificates: true,
    certificates: async () => (await import('../products/certificate-questions.ts')).certificateQuestions,
    now: question.now,
    routing: routingModeFrom,
    ...(prober === undefined
      ? {}
      : {
          probe: async (base, asked) => {
            const { probe: run } = await import('../collect/probes/probe.ts');
            const interrupted = interruptible?.();
            const plan = { level: 'connect', replicasOnly: true, ...stage } as const;
            return run(
              await prober(),
              base,
              asked,
              interrupted === undefined ? plan : { ...plan, interrupted },
            );
          },
        }),
    load: judges,
    ...stage,
  });
  const [{ certificateReport }, { catalogue }] = await judges();
  const report = certificateReport(snapshot, asked, catalogue);
  const empty = namedWithoutWebhooks(withoutWebhooks, question.callouts);
  return empty.length === 0 ? report : { ...report, withoutWebhooks: empty };
}
