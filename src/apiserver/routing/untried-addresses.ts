import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { counted } from '../../phrases/lists.ts';
import { endpointsOf, usable } from './endpoints.ts';
import { proxiedPortOf } from './route.ts';

/** Several addresses that a call can reach, and that cannot be probed one by one. */
export interface UntriedAddresses {
  /**
   * The number of new connections that must all fail before the backend counts as down: one responding
   * address would be missed once in ten thousand times. Undefined: no number is enough, because all
   * connections go to the same address.
   */
  readonly enough?: number;
  /** Why the state of the addresses is unknown. */
  readonly unread: Unread;
}

const missedOnceIn = 10_000;

/** Each connection reaches one of these addresses at random; the responding one may be the rarest. */
const enoughFor = (places: number): number => Math.ceil(Math.log(missedOnceIn) / -Math.log(1 - 1 / places));

type AddressFacts = Pick<Facts, 'services' | 'endpointSlices' | 'routing'>;

/** The endpoints that a call can reach, if some of them belong to no Pod. */
function failedWithoutPods(callout: Callout, { services, endpointSlices, routing }: AddressFacts) {
  if (!isServiceBacked(callout)) return undefined;
  const { service: reference } = callout.client;
  const key = keyOf(reference);
  const service = services.getIfKnown(key);
  const slices = endpointSlices.getIfKnown(key);
  const port = service && proxiedPortOf(service, reference.port);
  if (service === undefined || slices === undefined || port === undefined) return undefined;
  const reachable = usable(endpointsOf(service, port, slices), routing.mode ?? 'cluster-ip', service);
  const podless = reachable.filter(({ pod }) => pod === undefined);
  return podless.length === 0 ? undefined : { key, service, slices, reachable, podless };
}

/** Addresses without a Pod, to which only the API server can connect; undefined if a call reaches none. */
export function unreachableAddresses(callout: Callout, facts: AddressFacts): Unread | undefined {
  const found = failedWithoutPods(callout, facts);
  return (
    found && {
      what: `${counted(found.podless.length, 'address')} of Service ${found.key}`,
      why: 'unreachable',
      detail: 'no Pod has this address, and the API server did not report a call',
    }
  );
}

/**
 * The addresses behind a callout's Service if there are several, some of them without a Pod: a dry run
 * reaches one of them (pkg/proxy/iptables; apiserver/pkg/util/proxy/proxy.go ResolveEndpoint selects a random
 * slice, and starts at a random endpoint of it).
 */
export function untriedAddresses(callout: Callout, facts: AddressFacts): UntriedAddresses | undefined {
  const found = failedWithoutPods(callout, facts);
  if (found === undefined || found.reachable.length < 2) return undefined;
  const { key, service, slices, reachable } = found;
  const fullest = Math.max(...slices.map(({ endpoints = [] }) => endpoints?.length ?? 0), 1);
  const places = Math.max(reachable.length, slices.length * fullest);
  const sticks = service.spec.sessionAffinity === 'ClientIP';
  return {
    ...(sticks ? {} : { enough: enoughFor(places) }),
    unread: {
      what: `each of the ${reachable.length} addresses of Service ${key}`,
      why: 'unreachable',
      detail: 'some of them belong to no Pod: a dry run reaches one address, and does not show which',
    },
  };
}

/** True if so many new connections failed that one would have reached a responding address, if any. */
export function failsAtAll({ enough }: UntriedAddresses, { dryRun }: Pick<CalloutProbes, 'dryRun'>): boolean {
  const { passed = false, messages = [] } = dryRun?.again ?? {};
  return !passed && enough !== undefined && messages.length + 1 >= enough;
}
