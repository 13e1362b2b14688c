import { defined } from '../../basics/collections.ts';
import type { ClusterReader, OpenProber } from '../../collect/cluster.ts';
import { readCluster } from '../../collect/planner.ts';
import type { NamedInText } from '../../explain/explain.ts';
import type { ClusterFinding } from '../../explain/explanation.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { ScanReport } from '../../scan/scan-report.ts';

/** The webhooks or APIServices that match a name in a log. */
function namedCallout(
  { name, kind, service }: NamedInText,
  callouts: readonly Callout[],
): readonly Callout[] {
  const ofService = ({ client }: Callout): boolean =>
    client.service?.name === service?.name && client.service?.namespace === service?.namespace;
  if (kind === 'webhook') {
    // Several products can have webhooks of this name: controller-gen gives them names such as vpod.kb.io.
    const sameName = callouts.filter(({ webhook }) => webhook === name);
    const sameService = sameName.filter(ofService);
    return sameService.length > 0 ? sameService : sameName;
  }
  if (kind === 'conversion')
    return callouts.filter(
      (callout) =>
        callout.kind === 'conversion' &&
        callout.versions.some(
          (version) => name === `${callout.resource.kind} in ${callout.resource.group}/${version.name}`,
        ),
    );
  if (kind === 'apiservice' || kind === 'resource')
    return callouts.filter(
      (callout) =>
        callout.kind === 'aggregated-api' &&
        (kind === 'resource'
          ? name.endsWith(`.${callout.group}`)
          : name === `${callout.group}/${callout.version}`),
    );
  return callouts.filter(ofService);
}

/** Examines webhooks in a cluster, `all` or the named ones, and probes their Pods like doctor. */
export async function examineWebhooks(
  reader: ClusterReader,
  openProber: OpenProber,
  named: readonly NamedInText[] | 'all',
  now: Date,
): Promise<Pick<ScanReport, 'live' | 'notLookedAt'>> {
  const source = readCluster(reader, {
    now,
    readOptions: { topics: ['failures'], examineAll: named !== 'all', probe: { level: 'review' } },
    prober: openProber,
  });
  const { callouts } = await source.first();
  const chosen =
    named === 'all' ? callouts : [...new Set(named.flatMap((one) => namedCallout(one, callouts)))];
  source.about(chosen);
  const [{ buildReport }, { catalogue }, { checkWhileReading }, { inItsShare }] = await Promise.all([
    import('../../diagnose/build-report.ts'),
    import('../../checks/catalogue.ts'),
    import('../check-while-reading.ts'),
    import('../time-slice.ts'),
  ]);
  const checkResults = await checkWhileReading(catalogue, source, reader);
  const snapshot = await source.snapshot();
  const report = await inItsShare(reader, 1 / 3, 'while the report was put together', (isOver) =>
    buildReport(snapshot, chosen, catalogue, { checkResults, isOver }),
  );
  const nameOf = (id: string): string =>
    (named === 'all'
      ? undefined
      : named.find((one) => namedCallout(one, chosen).some((callout) => calloutId(callout) === id))?.name) ??
    id;
  const live = report.callouts.map((callout): ClusterFinding => {
    const { state, link, error, because } = callout.verdict;
    const id = calloutId(callout);
    const message = report.findings.find(
      (finding) => finding.callout === id && finding.check === because[0],
    )?.message;
    return {
      name: nameOf(id),
      callout: id,
      state,
      ...defined({ link, error }),
      because,
      ...(message === undefined ? {} : { message }),
    };
  });
  const { notLookedAt } = report;
  return { live, ...(notLookedAt.length === 0 ? {} : { notLookedAt }) };
}
