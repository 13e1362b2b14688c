import { routingModeFrom } from '../apiserver/routing/routing-mode.ts';
import type { Severity } from '../checks/check.ts';
import type { OpenProber } from '../collect/cluster-prober.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { type Collected, type CollectPlan, collect } from '../collect/collect.ts';
import type { Beforehand } from '../diagnose/diagnose.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import type { ProbeLevel } from '../facts/probes.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { VictimName } from '../facts/victim.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';
import { chooseCallouts, namedWithoutWebhooks } from './choose-callouts.ts';

/** What the flags of `doctor` ask for. */
export interface DoctorQuestion {
  /** Names as typed; empty for all callouts. */
  readonly callouts: readonly string[];
  /** An object that does not get on; the callouts that may be why are looked at instead of named ones. */
  readonly from?: VictimName;
  /** Read and judge everything, whatever it looks like. */
  readonly deep: boolean;
  /** Milliseconds between two readings of the API server's metrics; absent: one reading, where any. */
  readonly sample?: number;
  /** Only these checks are shown and counted; empty for all. */
  readonly check: readonly string[];
  readonly skip: readonly string[];
  /** The least severity that is shown and counted. */
  readonly severity: Severity;
  readonly now: Date;
  readonly onStage?: (stage: string) => void;
  /** How far to look; `none`, or no way to look: objects only. */
  readonly probe?: Probing;
  /** Flags that lead another command of ours to the same cluster, with a space in front: ` --context prod`. */
  readonly sameCluster?: string;
}

/** What was seen, and what it means. */
export interface Diagnosis {
  readonly snapshot: Snapshot;
  readonly report: DoctorReport;
}

/** How backends are connected to. */
export interface Probing {
  readonly level: ProbeLevel;
  readonly prober: OpenProber;
  /** Called when probes begin: what it returns ends them, and what is known by then is judged. */
  readonly interruptible?: () => AbortSignal;
}

function probing({ probe, onStage }: DoctorQuestion): Pick<CollectPlan, 'probe' | 'tryParking'> {
  if (probe === undefined || probe.level === 'none') return {};
  const { level, prober, interruptible } = probe;
  const loaded = Promise.all([import('../collect/probes/probe.ts'), prober()]);
  const stages = onStage === undefined ? {} : { onStage };
  let interrupted: AbortSignal | undefined;
  const plan = () => ({ level, ...stages, ...(interrupted === undefined ? {} : { interrupted }) });
  return {
    probe: async (base, asked) => {
      const [{ probe: run }, open] = await loaded;
      interrupted = interruptible?.();
      return run(open, base, asked, plan());
    },
    ...(level === 'review'
      ? {
          tryParking: async (facts, parked) => {
            const { tryParking } = await import('../collect/probes/try-parking.ts');
            return tryParking(await prober(), facts, parked, plan());
          },
        }
      : {}),
  };
}

/** /metrics is read where somebody asked closely, or for rates. */
const metricsPlan = ({ deep, callouts, sample }: DoctorQuestion): Pick<CollectPlan, 'metrics'> => {
  if (sample !== undefined) return { metrics: { sample } };
  return deep || callouts.length > 0 ? { metrics: {} } : {};
};

/** What nearly every check asks of all callouts. */
const early = ({ callouts, from }: DoctorQuestion): Pick<CollectPlan, 'take'> =>
  callouts.length > 0 || from !== undefined
    ? {}
    : {
        take: async (webhooks, version) => {
          const { parseCaBundles } = await import('./judge-first.ts');
          await parseCaBundles(webhooks, version);
        },
      };

const severities: readonly Severity[] = ['error', 'warning', 'info'];

const remedies = () => import('./fix/attach-remedies.ts');

/** What judges what was read, and what answers it. */
const judges = () =>
  Promise.all([
    import('../diagnose/diagnose.ts'),
    import('../checks/catalogue.ts'),
    import('./judge-first.ts'),
    remedies(),
  ]);

/** Reads the cluster and says what is broken, and what helps. Throws ReadError (no cluster to talk to) and CalloutNameError. */
export async function doctor(reader: ClusterReader, question: DoctorQuestion): Promise<DoctorReport> {
  const { snapshot, report } = await examineCluster(reader, question);
  if (report.findings.length === 0) return report;
  const { attachRemedies } = await remedies();
  const { callouts, check, skip, severity } = question;
  const whole = callouts.length + check.length + skip.length === 0 && severity === 'info';
  return attachRemedies(report, snapshot, { whole, flags: question.sameCluster ?? '' });
}

/** The report with where `--from` started and where it led. */
async function withFrom(
  diagnosed: DoctorReport,
  from: NonNullable<Collected['from']>,
): Promise<DoctorReport> {
  const { fromReport, hiddenFrom } = await import('../diagnose/from-report.ts');
  const notLookedAt = [...diagnosed.notLookedAt, ...hiddenFrom(from.trail)];
  return { ...diagnosed, notLookedAt, from: fromReport(from, diagnosed.callouts) };
}

/** Reads the cluster and says what is broken. Throws ReadError (no cluster to talk to) and CalloutNameError. */
export async function examineCluster(reader: ClusterReader, question: DoctorQuestion): Promise<Diagnosis> {
  const { check, skip, severity, now } = question;
  let beforehand: Beforehand | undefined;
  const { snapshot, asked, withoutWebhooks, from } = await collect(reader, {
    choose: (callouts, withoutWebhooks, unread) =>
      chooseCallouts(callouts, question.callouts, withoutWebhooks, unread),
    ...(question.from === undefined ? {} : { from: question.from }),
    everything: question.deep || question.callouts.length > 0 || question.from !== undefined,
    ...metricsPlan(question),
    shows: async () => (await import('../products/injectors.ts')).mayHaveMissedPods,
    now,
    routing: routingModeFrom,
    systemNamespaces,
    certificates: async () => (await import('../products/certificate-questions.ts')).certificateQuestions,
    ...probing(question),
    load: judges,
    ...early(question),
    meanwhile: async (base) => {
      const { judgeFirst } = await import('./judge-first.ts');
      beforehand = await judgeFirst(base, now);
    },
    ...(question.onStage === undefined ? {} : { onStage: question.onStage }),
  });
  const [{ diagnose }, { catalogue }] = await judges();
  const show: Parameters<typeof diagnose>[3] = ({ checkId, severity: grade }) =>
    (check.length === 0 || check.includes(checkId)) &&
    !skip.includes(checkId) &&
    severities.indexOf(grade) <= severities.indexOf(severity);
  const diagnosed = diagnose(snapshot, asked, catalogue, show, beforehand);
  const report = from === undefined ? diagnosed : await withFrom(diagnosed, from);
  const empty = namedWithoutWebhooks(withoutWebhooks, question.callouts);
  return { snapshot, report: empty.length === 0 ? report : { ...report, withoutWebhooks: empty } };
}
