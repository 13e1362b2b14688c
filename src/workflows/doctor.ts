import { routingModeFrom } from '../apiserver/routing-mode.ts';
import type { Severity } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { collect } from '../collect/collect.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import { chooseCallouts } from './choose-callouts.ts';

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
