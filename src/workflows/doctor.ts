import { routingModeFrom } from '../apiserver/routing-mode.ts';
import type { Severity } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { type CollectPlan, collect } from '../collect/collect.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import type { ProbeLevel } from '../facts/probes.ts';
import { chooseCallouts } from './choose-callouts.ts';
import type { OpenProber } from './prober.ts';

export interface DoctorQuestion {
  /** Names as typed; empty for all callouts. */
  readonly callouts: readonly string[];
  /** Read and judge everything, whatever it looks like. */
  readonly deep: boolean;
  /** Only these checks are shown and counted; empty for all. */
  readonly check: readonly string[];
  readonly skip: readonly string[];
  /** The least severity that is shown and counted. */
  readonly severity: Severity;
  readonly now: Date;
  readonly onStage?: (stage: string) => void;
  /** How far to look; `none`, or no way to look: objects only. */
  readonly probe?: Probing;
}

/** How backends are connected to. */
export interface Probing {
  readonly level: ProbeLevel;
  readonly prober: OpenProber;
  /** Called when probes begin: what it returns ends them, and what is known by then is judged. */
  readonly interruptible?: () => AbortSignal;
}

function probing({ probe, onStage }: DoctorQuestion): Pick<CollectPlan, 'probe'> {
  if (probe === undefined || probe.level === 'none') return {};
  const { level, prober, interruptible } = probe;
  const loaded = Promise.all([import('../collect/probes/run.ts'), prober()]);
  return {
    probe: async (base, asked) => {
      const [{ probe: run }, open] = await loaded;
      const interrupted = interruptible?.();
      return run(open, base, asked, {
        level,
        ...(interrupted === undefined ? {} : { interrupted }),
        ...(onStage === undefined ? {} : { onStage }),
      });
    },
  };
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** Reads the cluster and says what is broken. Throws ReadError (no cluster to talk to) and CalloutNameError. */
export async function doctor(reader: ClusterReader, question: DoctorQuestion): Promise<DoctorReport> {
  const { check, skip, severity } = question;
  const collecting = collect(reader, {
    choose: (callouts) => chooseCallouts(callouts, question.callouts),
    everything: question.deep || question.callouts.length > 0,
    now: question.now,
    routing: routingModeFrom,
    ...probing(question),
    ...(question.onStage === undefined ? {} : { onStage: question.onStage }),
  });
  // The reads are under way: what judges them is loaded while the API server works.
  const [{ snapshot, asked }, { diagnose }, { catalogue }] = await Promise.all([
    collecting,
    import('../diagnose/diagnose.ts'),
    import('../checks/catalogue.ts'),
  ]);
  return diagnose(snapshot, asked, catalogue, (finding) => {
    if (check.length > 0 && !check.includes(finding.checkId)) return false;
    return (
      !skip.includes(finding.checkId) && severities.indexOf(finding.severity) <= severities.indexOf(severity)
    );
  });
}
