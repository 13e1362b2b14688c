import { defined } from '../basics/collections.ts';
import { byId, type Callout, calloutId, serviceKeyOf } from '../facts/callout.ts';
import { type Lookup, lookup } from '../facts/lookup.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import { serviceSelects } from '../facts/objects/label-selector.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { ServedResource } from '../facts/served-resources.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { workloadsMaking } from '../facts/workloads/workloads.ts';
import { withoutOwnCalls } from './assume.ts';

/** Objects that are assumed to be applied to a cluster. */
export interface AppliedObjects {
  /** The facts in them; all other facts are unknown. */
  readonly facts: Facts;
  /** Whether they include the object of a webhook or an APIService. */
  readonly includes: (ref: ObjectRef) => boolean;
  /** The resources of their CustomResourceDefinitions. */
  readonly defines: readonly ServedResource[];
  /** `group/version` of their APIServices, whose resources are unknown. */
  readonly aggregates: readonly string[];
}

const notYet: Unread = {
  what: 'the objects that controllers create from the manifests',
  why: 'not-requested',
};

interface Stored {
  readonly metadata: Metadata;
}

/** Keeps fields that the API server wrote, and labels and annotations of other writers. */
function withMetadata<T extends Stored>(was: Stored, now: T): T {
  const labels = { ...was.metadata.labels, ...now.metadata.labels };
  const annotations = { ...was.metadata.annotations, ...now.metadata.annotations };
  return { ...now, metadata: { ...was.metadata, ...now.metadata, labels, annotations } };
}

const namespaceApplied = (was: Namespace, now: Namespace): Namespace => ({
  ...withMetadata(was, now),
  ...(was.status === undefined ? {} : { status: was.status }),
});

/** Keeps the ClusterIP that the API server has allocated. */
function serviceApplied(was: Service, now: Service): Service {
  const { clusterIP, clusterIPs, ipFamilies } = was.spec;
  const address = {
    ...defined({ clusterIP, clusterIPs, ipFamilies }),
  };
  return { ...withMetadata(was, now), spec: { ...address, ...now.spec } };
}

/** Keeps the number of replicas if the manifest has none: an autoscaler sets it. */
const workloadApplied = (was: Workload, now: Workload): Workload => ({
  ...withMetadata(was, now),
  spec: { ...(was.spec.replicas === undefined ? {} : { replicas: was.spec.replicas }), ...now.spec },
  status: was.status,
});

/** Keeps what the manifest lacks and others write: caBundle, stored versions and conditions. */
function calloutApplied(was: Callout, now: Callout): Callout {
  const { caBundle } = was.client;
  const client = { ...(caBundle === undefined ? {} : { caBundle }), ...now.client };
  const applied = { ...withMetadata(was, now), client };
  if (was.kind === 'conversion' && applied.kind === 'conversion')
    return { ...applied, storedVersions: was.storedVersions, conditions: was.conditions };
  if (was.kind === 'aggregated-api' && applied.kind === 'aggregated-api')
    return { ...applied, conditions: was.conditions };
  return applied;
}

/** A lookup with the values of another one added or replaced. */
function over<V>(cluster: Lookup<V>, objects: Lookup<V>, join = (_: V, now: V): V => now): Lookup<V> {
  const laid = [...objects.entries()].map(([key, now]): [string, V] => {
    const was = cluster.getIfKnown(key);
    return [key, was === undefined ? now : join(was, now)];
  });
  return laid.length === 0 ? cluster : lookup(new Map([...cluster.entries(), ...laid]), cluster.gaps);
}

type Named = Stored & { readonly kind?: string };

/** The same for lists by namespace. A list that was not read stays unread, with or without added objects. */
function overLists<T extends Named>(
  cluster: Lookup<readonly T[]>,
  objects: Lookup<readonly T[]>,
  isWhole: (namespace: string, now: readonly T[]) => boolean,
  join = (_: T, now: T): T => now,
): Lookup<readonly T[]> {
  const same = (a: T) => (b: T) => a.kind === b.kind && a.metadata.name === b.metadata.name;
  const whole = [...objects.entries()].filter(([key, now]) => cluster.known(key) || isWhole(key, now));
  return over(cluster, lookup(new Map(whole), objects.gaps), (was, now) => [
    ...was.filter((one) => !now.some(same(one))),
    ...now.map((one) => {
      const before = was.find(same(one));
      return before === undefined ? one : join(before, one);
    }),
  ]);
}

function without<V>(given: Lookup<V>, keys: ReadonlySet<string>): Lookup<V> {
  const entries = [...given.entries()].filter(([key]) => !keys.has(key));
  const gaps = new Map([...(given.gaps.keys ?? []), ...[...keys].map((key) => [key, notYet] as const)]);
  return lookup(new Map(entries), { ...given.gaps, keys: gaps });
}

/** Services that the objects change, or whose Pods they change: their new endpoints are unknown. */
function changedBackends(services: Facts['services'], objects: Facts): ReadonlySet<string> {
  const behind = [...services.entries()].filter(([key, { metadata, spec }]) => {
    const beside = objects.workloads.getIfKnown(metadata.namespace ?? '') ?? [];
    return (
      objects.services.getIfKnown(key) !== undefined || workloadsMaking(spec.selector, beside).length > 0
    );
  });
  return new Set(behind.map(([key]) => key));
}

/** The facts of a cluster directly after objects are applied, before controllers react. Pure. */
export function withObjects(cluster: Facts, applied: AppliedObjects): Facts {
  const { facts: objects, includes: hold } = applied;
  const callouts = calloutsAfter(cluster, objects, hold);
  const services = over(cluster.services, objects.services, serviceApplied);
  const isNew = (namespace: string): boolean => cluster.namespaces.isAbsent(namespace);
  /** True if these workloads create the Pods of all backends in the namespace: others are irrelevant. */
  const createAll = (namespace: string, workloads: readonly Workload[]): boolean =>
    callouts
      .filter((callout) => callout.client.service?.namespace === namespace)
      .every((callout) => {
        const selector = services.getIfKnown(serviceKeyOf(callout) ?? '')?.spec.selector;
        return workloads.some(({ spec }) => serviceSelects(selector, spec.template.metadata?.labels));
      });
  const changed = changedBackends(services, objects);
  return {
    ...cluster,
    callouts,
    configurations: over(cluster.configurations, objects.configurations, (was, now) => [
      ...new Set([...was, ...now]),
    ]),
    namespaces: over(cluster.namespaces, objects.namespaces, namespaceApplied),
    services,
    workloads: overLists(
      cluster.workloads,
      objects.workloads,
      (namespace, now) => isNew(namespace) || createAll(namespace, now),
      workloadApplied,
    ),
    networkPolicies: overLists(cluster.networkPolicies, objects.networkPolicies, isNew),
    disruptionBudgets: overLists(cluster.disruptionBudgets, objects.disruptionBudgets, isNew),
    autoscalers: overLists(cluster.autoscalers, objects.autoscalers, isNew),
    certificates: overLists(cluster.certificates, objects.certificates, isNew),
    secrets: over(cluster.secrets, objects.secrets),
    configMaps: over(cluster.configMaps, objects.configMaps),
    issuers: over(cluster.issuers, objects.issuers),
    endpointSlices: without(cluster.endpointSlices, changed),
    pods: without(cluster.pods, changed),
    probes: probesAfter(cluster, objects, callouts, changed),
    served: servedAfter(cluster, applied),
  };
}

function calloutsAfter(cluster: Facts, objects: Facts, hold: AppliedObjects['includes']): readonly Callout[] {
  const before = byId(cluster.callouts);
  return [
    ...cluster.callouts.filter(({ ref }) => !hold(ref)),
    ...objects.callouts.map((now) => {
      const was = before.get(calloutId(now));
      return was === undefined ? now : calloutApplied(was, now);
    }),
  ];
}

/** The probes that still apply: without those of changed backends, and dry runs of changed webhooks. */
function probesAfter(
  cluster: Facts,
  objects: Facts,
  callouts: readonly Callout[],
  changed: ReadonlySet<string>,
): Facts['probes'] {
  const written = new Set(objects.callouts.map(calloutId));
  const behindChanged = callouts.filter((callout) => changed.has(serviceKeyOf(callout) ?? '')).map(calloutId);
  const probes = [...cluster.probes.entries()].map(
    ([id, seen]) => [id, written.has(id) ? withoutOwnCalls(seen) : seen] as const,
  );
  return without(lookup(new Map(probes), cluster.probes.gaps), new Set(behindChanged));
}

/** Discovery with the resources of the objects added. */
function servedAfter(cluster: Facts, { defines, aggregates }: AppliedObjects): Facts['served'] {
  const served = cluster.served.getIfKnown('served');
  if (served === undefined) return cluster.served;
  const resources = [...served.resources, ...defines];
  const stale = [...served.stale, ...aggregates];
  return lookup(new Map([['served', { resources, stale }]]), cluster.served.gaps);
}
