import { isRemovedIn } from '../apiserver/admission/removed-versions.ts';
import { ownCallEnd } from '../apiserver/connection/own-call.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { type Callout, calloutId, failsOpen, serviceKeyOf } from '../facts/callout.ts';
import { complete, type Lookup, lookup } from '../facts/lookup.ts';
import { type Endpoint, type EndpointSlice, keyOf, type Pod } from '../facts/objects.ts';
import type { CalloutProbes } from '../facts/probes.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Assumption, Deletion, PodLoss, Setting, Upgrade } from './assumption.ts';

const namespaceIn = (key: string): string => key.split('/', 1)[0] ?? '';

/** `namespace/name` of the Pod behind an endpoint. */
const podKey = ({ targetRef }: Endpoint, serviceKey: string): string | undefined =>
  targetRef?.kind === 'Pod' && targetRef.name !== undefined
    ? keyOf({ namespace: targetRef.namespace ?? namespaceIn(serviceKey), name: targetRef.name })
    : undefined;

/** A lookup with some values replaced; the others are the same objects. */
function replaced<V>(given: Lookup<V>, replace: (value: V, key: string) => V | undefined): Lookup<V> {
  const keys = new Map(given.gaps.keys);
  const entries: [string, V][] = [];
  let same = true;
  for (const [key, value] of given.entries()) {
    const other = replace(value, key);
    if (other !== value) same = false;
    if (other === undefined) keys.set(key, undefined);
    else entries.push([key, other]);
  }
  return same ? given : lookup(new Map(entries), { ...given.gaps, keys });
}

const filtered = <T>(all: readonly T[], isKept: (one: T) => boolean): readonly T[] =>
  all.every(isKept) ? all : all.filter(isKept);

/** All lost Pods: named ones, and those of lost Services and nodes. */
function lostPods(
  { endpointSlices, pods }: Facts,
  { services, nodes, pods: named }: PodLoss,
): ReadonlySet<string> {
  const lost = new Set(named);
  for (const [key, slices] of endpointSlices.entries())
    for (const endpoint of slices.flatMap(({ endpoints }) => endpoints ?? [])) {
      const pod = podKey(endpoint, key);
      if (pod !== undefined && (services.has(key) || nodes.has(endpoint.nodeName ?? ''))) lost.add(pod);
    }
  for (const [key, all] of pods.entries())
    for (const { metadata, spec } of all)
      if (services.has(key) || nodes.has(spec.nodeName ?? '')) lost.add(keyOf(metadata));
  return lost;
}

/** Removes results of the API server's own calls: they were made to backends that no longer exist. */
function withoutReplicas(
  { level, serverName, replicas, notTried, url }: CalloutProbes,
  isLost: (pod: string | undefined) => boolean,
): CalloutProbes {
  return {
    level,
    serverName,
    replicas: replicas.filter(({ pod }) => !isLost(pod)),
    ...(url === undefined ? {} : { url }),
    notTried,
  };
}

/**
 * The facts of the same cluster without some Pods, before they are replaced: their endpoints, objects and
 * probes are removed, all other facts are unchanged.
 */
function withoutPods(facts: Facts, loss: PodLoss): Facts {
  const lost = lostPods(facts, loss);
  const isLost =
    (key: string) =>
    (endpoint: Endpoint): boolean =>
      loss.services.has(key) ||
      loss.nodes.has(endpoint.nodeName ?? '') ||
      lost.has(podKey(endpoint, key) ?? '');
  const affected = new Set<string>(loss.services);
  const endpointSlices = replaced(facts.endpointSlices, (slices, key) => {
    const gone = isLost(key);
    if (!slices.some(({ endpoints }) => endpoints?.some(gone))) return slices;
    affected.add(key);
    return slices.map(
      (slice): EndpointSlice => ({
        ...slice,
        endpoints: (slice.endpoints ?? []).filter((one) => !gone(one)),
      }),
    );
  });
  const isKept = ({ metadata }: Pod): boolean => !lost.has(keyOf(metadata));
  const podsLeft = (all: readonly Pod[]): readonly Pod[] => filtered(all, isKept);
  // A lost Service is known to have no Pods, even if they were not read.
  const none = [...loss.services].filter((key) => !facts.pods.known(key));
  const known = replaced(facts.pods, podsLeft);
  const pods =
    none.length === 0
      ? known
      : lookup(new Map([...known.entries(), ...none.map((key) => [key, []] as const)]), known.gaps);
  const met = new Map(facts.callouts.map((callout) => [calloutId(callout), serviceKeyOf(callout) ?? '']));
  return {
    ...facts,
    endpointSlices,
    pods,
    namespacePods: replaced(facts.namespacePods, podsLeft),
    endpointPods: replaced(facts.endpointPods, (pod) => (isKept(pod) ? pod : undefined)),
    probes: replaced(facts.probes, (probes, id) => {
      const key = met.get(id) ?? '';
      if (!affected.has(key)) return probes;
      const isLost = (pod: string | undefined): boolean =>
        pod === undefined ? loss.services.has(key) : lost.has(`${namespaceIn(key)}/${pod}`);
      return withoutReplicas(probes, isLost);
    }),
  };
}

/** Replaces the probes of some webhooks; the same object for all others. */
const withProbes = (
  facts: Facts,
  callouts: readonly Callout[],
  change: (probes: CalloutProbes, callout: Callout) => CalloutProbes,
): Facts['probes'] => {
  const changed = callouts.flatMap((callout) => {
    const probes = facts.probes.getIfKnown(calloutId(callout));
    return probes === undefined ? [] : [[calloutId(callout), change(probes, callout)] as const];
  });
  if (changed.length === 0) return facts.probes;
  return lookup(new Map([...facts.probes.entries(), ...changed]), facts.probes.gaps);
};

/** The probes without results of the API server's own calls. */
export function withoutOwnCalls({
  dryRun: _,
  invalid: __,
  discovery: ___,
  ...probes
}: CalloutProbes): CalloutProbes {
  return probes;
}

/** Whether the result of the API server's own call still applies with the new value. */
function isStillValid({ field }: Setting, callout: Callout, probes: CalloutProbes): boolean {
  const end = ownCallEnd(callout, probes);
  switch (field) {
    case 'namespaceSelector':
    case 'objectSelector':
      return true;
    case 'failurePolicy':
      // A request that was admitted with failurePolicy Ignore shows nothing about the call.
      return !failsOpen(callout) || end.outcome === 'fails';
    case 'timeoutSeconds':
      return end.outcome === 'fails' && !end.isTimeout;
    case 'caBundle':
      return end.outcome === 'fails' && end.link !== 'tls' && end.link !== 'response';
  }
}

function withValue(callout: Callout, { field, value }: Setting): Callout {
  if (field !== 'caBundle') return { ...callout, [field]: value } as Callout;
  const client = { ...callout.client, caBundle: value as string };
  if (callout.kind !== 'aggregated-api') return { ...callout, client };
  // The API server checks availability again with another caBundle.
  return { ...callout, client, conditions: callout.conditions.filter(({ type }) => type !== 'Available') };
}

function withSetting(facts: Facts, setting: Setting): Facts {
  const isMeant = (callout: Callout): boolean => setting.callouts.has(calloutId(callout));
  return {
    ...facts,
    callouts: facts.callouts.map((callout) => (isMeant(callout) ? withValue(callout, setting) : callout)),
    probes: withProbes(facts, facts.callouts.filter(isMeant), (probes, callout) =>
      isStillValid(setting, callout, probes) ? probes : withoutOwnCalls(probes),
    ),
  };
}

function withoutCallouts(facts: Facts, { callouts: gone }: Deletion): Facts {
  const callouts = facts.callouts.filter((callout) => !gone.has(calloutId(callout)));
  const emptied = new Set(facts.callouts.map(({ kind, configuration }) => `${kind}/${configuration}`));
  for (const { kind, configuration } of callouts) emptied.delete(`${kind}/${configuration}`);
  const names = [...facts.configurations.entries()].map(
    ([kind, all]) => [kind, all.filter((name) => !emptied.has(`${kind}/${name}`))] as const,
  );
  return { ...facts, callouts, configurations: lookup(new Map(names), facts.configurations.gaps) };
}

/**
 * Changes the version. Errors of the API server that the model predicts as well are removed: the other
 * version may word them differently.
 */
function upgraded(facts: Facts, { version }: Upgrade): Facts {
  const probes = withProbes(facts, facts.callouts, (given, callout) => {
    const own = withoutOwnCalls(given);
    const alone = { ...facts, probes: complete([[calloutId(callout), own]]) };
    return nextCall(callout, alone).outcome === nextCall(callout, facts).outcome ? own : given;
  });
  const known = facts.served.getIfKnown('served');
  const resources = known?.resources.filter((one) => !isRemovedIn(one, version));
  const served =
    known === undefined || resources === undefined || resources.length === known.resources.length
      ? facts.served
      : complete([['served', { ...known, resources }]]);
  return { ...facts, version, probes, served };
}

/** The facts of the same cluster under an assumption. Pure; unchanged values are the same objects. */
export function assume(facts: Facts, assumption: Assumption): Facts {
  switch (assumption.assume) {
    case 'down':
      return withoutPods(facts, assumption);
    case 'set':
      return withSetting(facts, assumption);
    case 'delete':
      return withoutCallouts(facts, assumption);
    case 'upgrade':
      return upgraded(facts, assumption);
  }
}
