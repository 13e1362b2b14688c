import { calloutId, isServiceBacked } from '../facts/callout.ts';
import { isSidecar } from '../facts/container-crash.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { replicaPods } from '../facts/replicas.ts';
import { portBehind, refOfService, serviceBehind } from './backend.ts';
import { whoTakesItBack } from './owners.ts';
import { defineRemedy } from './remedy.ts';

interface Declared {
  readonly name: string | undefined;
  readonly number: number;
}

const declaredBy = ({ spec }: Pod): readonly Declared[] =>
  [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers]
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ name, containerPort }) => ({ name, number: containerPort }));

/** Ports that every Pod declares, and that the Service does not send to already. */
function candidates(pods: readonly Pod[], current: number | string | undefined): readonly Declared[] {
  const [first, ...others] = pods.map(declaredBy);
  return (first ?? [])
    .filter(({ name, number }) => name !== current && number !== current)
    .filter(({ number }) => others.every((ports) => ports.some((port) => port.number === number)));
}

/** The only one; of several the only one whose name speaks of webhooks. */
function chosen(found: readonly Declared[]): Declared | undefined {
  if (found.length === 1) return found[0];
  const named = found.filter(({ name }) => name?.includes('webhook'));
  return named.length === 1 ? named[0] : undefined;
}

const text = ({ name, number }: Declared): string =>
  name === undefined ? `${number}` : `${number} (${name})`;

export const fixTargetPort = defineRemedy({
  meta: {
    id: 'fix-target-port',
    title: 'Send the Service to a port that its Pods declare',
    risk: 'careful',
    does: "Sets the Service's targetPort to the port that all its Pods declare, where that is the only one, or the only one named after webhooks. Everybody who calls this port of the Service goes there.",
    leaves: 'A container that does not listen where it says it does.',
    answers: ['target-port-name-missing', 'target-port-closed'],
    touches: [{ operation: 'patch', kinds: ['Service'] }],
  },
  requires: ['services', 'pods'],
  plan({ callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const service = serviceBehind(callout, facts);
    const port = service && portBehind(callout, service);
    if (service === undefined || port === undefined) return undefined;
    const key = keyOf(callout.client.service);
    const pods = replicaPods(facts.pods.get(key) ?? []);
    if (pods.length === 0) return undefined;
    const { targetPort } = port;
    const found = candidates(pods, targetPort);
    const only = chosen(found);
    if (only === undefined) {
      return {
        refused:
          found.length === 0
            ? `The Pods of Service ${key} declare no other port: nothing tells where they serve the webhook.`
            : `The Pods of Service ${key} declare ${found.map(text).join(', ')}, and nothing tells which serves the webhook.`,
      };
    }
    return {
      remedy: 'fix-target-port',
      summary: `Port ${port.port} of Service ${key} leads to ${text(only)} of its Pods instead of ${targetPort}`,
      edits: [
        {
          object: refOfService(service),
          operation: 'patch',
          path: `/spec/ports/${service.spec.ports?.indexOf(port)}/targetPort`,
          expected: targetPort,
          after: only.number,
        },
      ],
      mends: [calloutId(callout)],
      warnings: whoTakesItBack(service.metadata),
    };
  },
});
