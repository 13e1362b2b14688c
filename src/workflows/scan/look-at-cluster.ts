import type { OpenProber } from '../../collect/cluster-prober.ts';
import type { ClusterReader } from '../../collect/cluster-reader.ts';
import { readCluster } from '../../collect/planner.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { LiveCallout, ScannedCallout, ScanReport } from '../../scan/scan-report.ts';

/** Callouts of the cluster that a log may mean by a name. */
function meant({ name, kind, service }: ScannedCallout, callouts: readonly Callout[]): readonly Callout[] {
  if (kind === 'webhook') return callouts.filter(({ webhook }) => webhook === name);
  if (kind === 'conversion')
    return callouts.filter(
      (callout) =>
        callout.kind === 'conversion' &&
        callout.versions.some(
          (version) => name === `${callout.resource.kind} in ${callout.resource.group}/${version.name}`,
        ),
    );
  return callouts.filter(
    ({ client }) =>
      client.service?.name === service?.name && client.service?.namespace === service?.namespace,
  );
}

/** Says how callouts of a scan look in a cluster now: connects to their replicas, as doctor does. */
export async function lookAtCluster(
  reader: ClusterReader,
  openProber: OpenProber,
  scanned: readonly ScannedCallout[],
  now: Date,
): Promise<Pick<ScanReport, 'live' | 'notLookedAt'>> {
  const source = readCluster(reader, {
    wishes: { topics: ['failures'], closely: true, probe: { level: 'connect' } },
    prober: openProber,
  });
  const { callouts } = await source.first();
  const asked = [...new Set(scanned.flatMap((one) => meant(one, callouts)))];
  source.about(asked);
  const [{ buildReport }, { catalogue }] = await Promise.all([
    import('../../diagnose/build-report.ts'),
    import('../../checks/catalogue.ts'),
  ]);
  await source.known(catalogue.flatMap(({ requires }) => requires));
  const snapshot = await source.snapshot(now);
  const report = buildReport(snapshot, asked, catalogue, () => true);
  const nameOf = (id: string): string =>
    scanned.find((one) => meant(one, asked).some((callout) => calloutId(callout) === id))?.name ?? id;
  const live = report.callouts.map((callout): LiveCallout => {
    const { state, link, error, because } = callout.verdict;
    const id = calloutId(callout);
    return {
      name: nameOf(id),
      callout: id,
      state,
      ...(link === undefined ? {} : { link }),
      ...(error === undefined ? {} : { error }),
      because,
    };
  });
  const { notLookedAt } = report;
  return { live, ...(notLookedAt.length === 0 ? {} : { notLookedAt }) };
}
