import { defined } from '../../basics/collections.ts';
import type { ClusterReader, OpenProber } from '../../collect/cluster.ts';
import type { NamedInText } from '../../explain/explain.ts';
import type { ClusterFinding } from '../../explain/explanation.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
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
  return service === undefined
    ? callouts.filter(({ client }) => client.service?.name === name)
    : callouts.filter(ofService);
}

/** A cluster to examine for webhooks that a text or a log names. */
export interface ClusterToExamine {
  readonly reader: ClusterReader;
  readonly prober: OpenProber;
  readonly now: Date;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster?: string;
}

/** Examines webhooks in a cluster as doctor does: all, or those that match a name. */
export async function examineWebhooks(
  { reader, prober, now, sameCluster = '' }: ClusterToExamine,
  named: readonly NamedInText[] | 'all',
): Promise<Pick<ScanReport, 'live' | 'notLookedAt'>> {
  const { doctor } = await import('../doctor.ts');
  const names = new Map<string, string>();
  const choose = async ({ callouts }: Pick<Facts, 'callouts'>): Promise<readonly Callout[]> => {
    const found = new Set<Callout>();
    for (const one of named === 'all' ? [] : named)
      for (const callout of namedCallout(one, callouts)) {
        if (!found.has(callout)) names.set(calloutId(callout), one.name);
        found.add(callout);
      }
    return [...found];
  };
  const probe = { level: 'review', prober } as const;
  const report = await doctor(reader, { now, sameCluster, probe, ...(named === 'all' ? {} : { choose }) });
  const live = report.callouts.map((callout): ClusterFinding => {
    const id = calloutId(callout);
    const { state, link, error, because } = callout.verdict;
    const { message, advice, next } = report.findings.find((one) => one.id === callout.cause) ?? {};
    return {
      name: names.get(id) ?? id,
      callout: id,
      state,
      because,
      ...defined({ link, error, message, advice, next }),
    };
  });
  return { live, ...(report.notLookedAt.length === 0 ? {} : { notLookedAt: report.notLookedAt }) };
}
