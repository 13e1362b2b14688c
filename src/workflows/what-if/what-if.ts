import type { OpenProber } from '../../collect/cluster.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import type { WhatIfReport } from '../../what-if/what-if-report.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, onCluster } from '../cluster/with-cluster.ts';
import { examineCluster } from '../doctor.ts';
import { inItsShare } from '../time-slice.ts';
import {
  type AssumptionFlags,
  assumptionsOf,
  isEach,
  namespaceOfWorkload,
  refuseUnknown,
} from './assumptions.ts';

/** The flags of `what-if`. */
export interface WhatIfOptions extends Omit<AssumptionFlags, 'namespace'> {
  readonly coldStart: boolean;
  readonly deep: boolean;
  readonly probe: ProbeLevel;
  readonly now: Date;
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Flags that select the same cluster in a suggested command, with a leading space. */
  readonly sameCluster: string;
}

/** Throws CannotStart if the flags contradict each other. */
function refuseUnknownChanges({ down, set, delete: deleted, upgrade, coldStart }: WhatIfOptions): void {
  if (down.length + set.length + deleted.length === 0 && upgrade === undefined && !coldStart)
    throw new CannotStart('what-if requires --down, --cold-start, --upgrade, --set or --delete');
  const alone = down.length === 1 && !coldStart;
  if (down.some(isEach) && !alone)
    throw new CannotStart('--down each cannot be combined with another --down or with --cold-start');
}

/** Diagnoses a cluster with changed facts. Throws CannotStart. */
export async function whatIfFor(options: WhatIfOptions, cluster: ClusterOptions): Promise<WhatIfReport> {
  refuseUnknownChanges(options);
  const { deep, probe: level, now, onStage, coldStart } = options;
  return onCluster(cluster, async (reader, prober: OpenProber) => {
    const flags = { ...options, namespace: reader.namespace };
    const { snapshot, report } = await examineCluster(reader, {
      deep,
      examineIn: namespaceOfWorkload(flags),
      validateFirst: (first, unread) => refuseUnknown(flags, first, unread),
      now,
      onStage,
      probe: { level, prober },
    });
    const each = await assumptionsOf(flags, snapshot);
    const { whatIf } = await import('../../what-if/what-if.ts');
    const rank = options.down.some(isEach);
    const assumed = { each, coldStart, rank };
    return inItsShare(reader, 1, 'before the cluster was evaluated with the assumption', () =>
      whatIf(snapshot, report, assumed, options.sameCluster),
    );
  });
}

/** Exit code: 1 if a webhook gets worse, 3 if that is unknown, else 0. */
export function whatIfExitCode({
  changes: changed,
  findings,
  recovery,
  ranking = [],
  notLookedAt,
}: WhatIfReport): 0 | 1 | 3 {
  const worse =
    changed.some((one) => one.worse) ||
    findings.length > 0 ||
    (recovery?.stuck ?? []).length + (recovery?.notRecreated ?? []).length > 0 ||
    ranking.some(({ effect }) => effect !== 'none');
  if (worse) return 1;
  const unknown =
    changed.some(({ from, to }) => to === 'unknown' && from !== 'unknown') ||
    (recovery?.unknown ?? []).length > 0;
  return unknown || notLookedAt.length > 0 ? 3 : 0;
}
