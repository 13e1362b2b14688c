import { isRemovedIn } from '../apiserver/admission/removed-versions.ts';
import { ownCallEnd } from '../apiserver/connection/own-call.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { type Callout, calloutId, failsOpen } from '../facts/callout.ts';
import { complete, lookup } from '../facts/lookup.ts';
import type { CalloutProbes } from '../facts/probes.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Assumption, Deletion, Setting, Upgrade } from './assumption.ts';
import { withoutPods } from './without-pods.ts';

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
