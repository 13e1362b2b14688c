import type { KubeFlags } from '../../collect/kube/kube-flags.ts';
import type { Observe } from '../../collect/kube/observation.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import { examineCluster } from '../doctor.ts';
import { withCluster } from '../with-cluster.ts';
import type { Look } from './fix.ts';

/** Milliseconds: a person reads and thinks between two looks. */
const aDay = 24 * 60 * 60 * 1000;

/** Opens the cluster for reading, and hands out a way to look at it as doctor does, as often as need be. */
export const lookWith = <T>(
  way: { readonly flags: KubeFlags; readonly observe: Observe | undefined; readonly probe: ProbeLevel },
  run: (look: Look) => Promise<T>,
): Promise<T> =>
  withCluster({ flags: way.flags, milliseconds: aDay, observe: way.observe }, (reader, prober) =>
    run((callouts, onStage) =>
      examineCluster(reader, {
        callouts,
        deep: false,
        check: [],
        skip: [],
        severity: 'info',
        now: new Date(),
        onStage,
        probe: { level: way.probe, prober },
      }),
    ),
  );
