import type { Callout } from '../facts/callout.ts';
import { nothingRead } from '../facts/lookup.ts';
import type { RoutingEvidence, Snapshot } from '../facts/snapshot.ts';
import { attempts } from './attempts.ts';
import { type BaseFacts, collectBase } from './base.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { collectEffects, noEffects } from './effects.ts';
import { examine } from './examine.ts';
import { examineCertificates } from './examine-certificates.ts';
import { type Ask, collectKeeping } from './keeping.ts';
import type { Probed } from './probes/run.ts';

export interface CollectPlan {
  /** Chooses the callouts that are asked about from all that exist; may throw a usage error. */
  readonly choose: (
    callouts: readonly Callout[],
    withoutWebhooks: BaseFacts['withoutWebhooks'],
  ) => readonly Callout[];
  /** True when callouts were named, or `--deep` was given: their backends are read whatever they look like. */
  readonly everything: boolean;
  /** Called with what is being waited for, in words. */
  readonly onStage?: (stage: string) => void;
  readonly now: Date;
  /** Connects to the backends of callouts: probes/run.ts. Absent: no connection is made. */
  readonly probe?: (base: BaseFacts, asked: readonly Callout[]) => Promise<Probed>;
  /** Says what to read about the certificates of a callout that is looked at closely; absent: nothing. */
  readonly certificates?: () => Promise<Ask>;
  /** Nothing but what certificates depend on is read. */
  readonly onlyCertificates?: boolean;
  /** Tells the API server's routing mode from what was read; see apiserver/routing-mode. */
  readonly routing: (facts: Omit<Snapshot['facts'], 'routing'>) => RoutingEvidence;
}

export interface Collected {
  readonly snapshot: Snapshot;
  /** The callouts that were asked about: all, or the named ones. */
  readonly asked: readonly Callout[];
  /** `validating/NAME`, `mutating/NAME`: configurations that exist and hold no webhook. */
  readonly withoutWebhooks: readonly string[];
}

/**
 * Cluster → snapshot. Throws ReadError when nothing at all could be read because there is no cluster to talk to or it
 * does not accept who we are; everything less is recorded in `notLookedAt`.
 */
export async function collect(reader: ClusterReader, plan: CollectPlan): Promise<Collected> {
  const read = attempts(reader);
  plan.onStage?.(`reading webhooks, Services and EndpointSlices from ${reader.server}`);
  // The reads are under way first: what chooses the next ones is loaded while the API server works.
  const [base, { namespacesOfOwnPods, suspects }] = await Promise.all([
    collectBase(read),
    import('./suspects.ts'),
  ]);
  const outage = read.outage();
  if (outage !== undefined) throw outage;
  const asked = plan.choose(base.callouts, base.withoutWebhooks);
  const probed = await plan.probe?.(base, asked);
  const backends = suspects(base, asked, plan.everything, probed?.troubled);
  if (backends.length > 0) plan.onStage?.(`looking at ${backends.length} backends`);
  const ownPods = plan.onlyCertificates ? [] : namespacesOfOwnPods(base, asked);
  const [closely, effects] = await (plan.onlyCertificates
    ? Promise.all([examineCertificates(read, backends), noEffects()])
    : Promise.all([
        examine(read, base, backends, plan.everything, ownPods, probed?.troubled),
        collectEffects(read, asked, backends, plan.everything),
      ]));
  const ask = plan.everything ? await plan.certificates?.() : undefined;
  const keeping = ask && (await collectKeeping(read, base, asked, closely, ask));
  const examined = { ...closely, ...effects, ...keeping };
  const { version, withoutWebhooks, ...facts } = base;
  const probes = probed?.probes ?? nothingRead({ what: 'probes', why: 'not-requested' });
  const known = { ...facts, version, ...examined, probes, clock: probed?.clock };
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
  return { snapshot, asked, withoutWebhooks };
}
