import { setImmediate as requestsSent } from 'node:timers/promises';
import type { Trail } from '../apiserver/admission/trail.ts';
import type { Callout } from '../facts/callout.ts';
import { nothingRead } from '../facts/lookup.ts';
import type { ServerMetrics } from '../facts/metrics.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { RoutingEvidence, Snapshot } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import type { Victim, VictimName } from '../facts/victim.ts';
import { type Attempts, attempts } from './attempts.ts';
import { type BaseFacts, collectBase, type TakeWebhooks } from './base.ts';
import type { ClusterReader } from './cluster-reader.ts';
import type { TryParking } from './effects.ts';
import { examine } from './examine.ts';
import { examineCertificates } from './examine-certificates.ts';
import { type Ask, collectKeeping, noConfigMaps } from './keeping.ts';
import { type MetricsPlan, metricsNotRequested } from './metrics-plan.ts';
import type { Shows } from './missed-pods.ts';
import type { Probed } from './probes/probe.ts';

/** What a run is to read, beyond the first lists. */
export interface CollectPlan {
  /** Chooses the callouts that are asked about from all that exist; may throw a usage error. */
  readonly choose: (
    callouts: readonly Callout[],
    withoutWebhooks: BaseFacts['withoutWebhooks'],
    unread: readonly Unread[],
  ) => readonly Callout[];
  /** An object that does not get on: the callouts that may be why are asked about, and `choose` is not. */
  readonly from?: VictimName;
  /** True when callouts were named, or `--deep` was given: their backends are read whatever they look like. */
  readonly everything: boolean;
  /** Called with what is being waited for, in words. */
  readonly onStage?: (stage: string) => void;
  readonly now: Date;
  /** Connects to the backends of callouts: probes/probe.ts. Absent: no connection is made. */
  readonly probe?: (base: BaseFacts, asked: readonly Callout[]) => Promise<Probed>;
  /** Tries out who of several webhooks parked Pods; absent: nobody is asked. */
  readonly tryParking?: TryParking;
  /** Says what to read about the certificates of a callout that is looked at closely; absent: nothing. */
  readonly certificates?: () => Promise<Ask>;
  /** Says of which callouts it shows on Pods that they were not asked; absent: nobody looks. */
  readonly shows?: () => Promise<Shows>;
  /** Reads what the API server counted; absent: /metrics is megabytes on a large cluster, and is left alone. */
  readonly metrics?: MetricsPlan;
  /** Nothing but what certificates depend on is read. */
  readonly onlyCertificates?: boolean;
  /** Loads what will judge, while the API server works on the first reads. */
  readonly load?: () => Promise<unknown>;
  /** Is done with webhooks as soon as they are read, while the other first reads are under way. */
  readonly take?: TakeWebhooks;
  /** Is done with what was read so far while closer reads are under way. */
  readonly meanwhile?: (base: BaseFacts) => Promise<void>;
  /** Namespaces of Pods that all others need: of the network, of DNS, of storage. Absent: nobody asks about them. */
  readonly systemNamespaces?: (base: BaseFacts) => readonly string[];
  /** Tells the API server's routing mode from what was read; see apiserver/routing-mode. */
  readonly routing: (facts: Omit<Snapshot['facts'], 'routing'>) => RoutingEvidence;
}

/** What a run has read. */
export interface Collected {
  readonly snapshot: Snapshot;
  /** The callouts that were asked about: all, or the named ones. */
  readonly asked: readonly Callout[];
  /** `validating/NAME`, `mutating/NAME`: configurations that exist and hold no webhook. */
  readonly withoutWebhooks: readonly string[];
  /** The object that the search started at, and where it led. */
  readonly from?: { readonly victim: Victim; readonly trail: Trail };
}

/** From the object that was named to the callouts that may be why it does not get on. */
async function follow(
  read: Attempts,
  base: BaseFacts,
  name: VictimName,
): Promise<NonNullable<Collected['from']>> {
  const [{ collectVictim }, { trailOf }] = await Promise.all([
    import('./victim.ts'),
    import('../apiserver/admission/trail.ts'),
  ]);
  const victim = await collectVictim(read, name);
  const trail: Trail =
    victim.unread === undefined
      ? trailOf(victim, base.callouts, base)
      : { by: 'requests', callouts: [], words: [] };
  return { victim, trail };
}

/** What the API servers counted: the one that we talk to, and those beside it. */
async function metricsOf(read: Attempts, server: string, plan: MetricsPlan, base: BaseFacts) {
  const [{ collectMetrics }, { otherApiServers }] = await Promise.all([
    import('./collectors/metrics.ts'),
    import('./collectors/api-servers.ts'),
  ]);
  return collectMetrics(read, server, plan, otherApiServers(base, server));
}

/**
 * Cluster → snapshot. Throws ReadError when nothing at all could be read because there is no cluster to talk to or it
 * does not accept who we are, and VictimMissing; everything less is recorded in `notLookedAt`.
 */
export async function collect(reader: ClusterReader, plan: CollectPlan): Promise<Collected> {
  const read = attempts(reader);
  plan.onStage?.(`reading webhooks, Services and EndpointSlices from ${reader.server}`);
  // Loading keeps this process busy: the reads have to be with the API server before.
  const [base, { namespacesAskedAbout, namespacesOfOwnPods, suspects }, effectsOf] = await Promise.all([
    collectBase(read, plan.take),
    read.begun.then(() => import('./suspects.ts')),
    read.begun.then(() => import('./effects.ts')),
    read.begun.then(plan.load),
  ]);
  const outage = read.outage();
  if (outage !== undefined) throw outage;
  const from = plan.from && (await follow(read, base, plan.from));
  const asked = from?.trail.callouts ?? plan.choose(base.callouts, base.withoutWebhooks, read.failed);
  const [probed, metrics] = await Promise.all([
    plan.probe?.(base, asked),
    plan.metrics
      ? metricsOf(read, reader.server, plan.metrics, base)
      : nothingRead<ServerMetrics>(metricsNotRequested),
  ]);
  const backends = suspects(base, asked, plan.everything, probed?.troubled);
  if (backends.length > 0)
    plan.onStage?.(`looking at ${backends.length === 1 ? '1 backend' : `${backends.length} backends`}`);
  const ownPods = plan.onlyCertificates ? [] : namespacesOfOwnPods(base, asked);
  const system = namespacesAskedAbout(base, asked, plan.systemNamespaces?.(base) ?? []);
  const missed = async () => {
    if (plan.metrics === undefined || plan.shows === undefined)
      return nothingRead<readonly Pod[]>(metricsNotRequested);
    const [{ collectMissedPods }, shows] = await Promise.all([import('./missed-pods.ts'), plan.shows()]);
    return collectMissedPods(read, base, asked, metrics, shows);
  };
  const [[closely, effects], namespacePods] = await Promise.all([
    plan.onlyCertificates
      ? Promise.all([examineCertificates(read, backends), effectsOf.noEffects()])
      : Promise.all([
          examine(read, base, backends, plan.everything, { ownPods, system }, probed?.troubled),
          effectsOf.collectEffects(read, asked, backends, plan.everything),
        ]),
    missed(),
    requestsSent().then(() => plan.meanwhile?.(base)),
  ]);
  const [rbacDenials, parkingTrials] = await Promise.all([
    effectsOf.collectDenialsOfParkers(read, asked, closely, effects),
    effectsOf.collectParkingTrials(base, effects, plan.tryParking),
  ]);
  const ask = plan.everything ? await plan.certificates?.() : undefined;
  const keeping = ask && (await collectKeeping(read, base, asked, closely, ask));
  const examined = {
    configMaps: noConfigMaps(),
    ...closely,
    ...effects,
    namespacePods,
    rbacDenials,
    parkingTrials,
    ...keeping,
  };
  const { version, withoutWebhooks, ...facts } = base;
  const probes = probed?.probes ?? nothingRead({ what: 'probes', why: 'not-requested' });
  const known = { ...facts, version, ...examined, probes, metrics, clock: probed?.clock };
  const cluster = {
    server: reader.server,
    ...(reader.context === undefined ? {} : { context: reader.context }),
    ...(version === undefined ? {} : { version }),
  };
  const snapshot: Snapshot = {
    takenAt: plan.now.toISOString(),
    cluster,
    facts: { ...known, routing: plan.routing(known) },
    notLookedAt: [...read.failed, ...(probed?.notLookedAt ?? [])],
  };
  return { snapshot, asked, withoutWebhooks, ...(from === undefined ? {} : { from }) };
}
