import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { counted } from '../../phrases/lists.ts';
import { endpointsOf, usable } from './endpoints.ts';
import { proxiedPortOf } from './route.ts';

type AddressFacts = Pick<Facts, 'services' | 'endpointSlices' | 'routing'>;
type ProbedAddressFacts = AddressFacts & Partial<Pick<Facts, 'probes'>>;

/** The endpoints that a call can reach, if some of them belong to no Pod. */
function endpointsWithoutPods(callout: Callout, { services, endpointSlices, routing }: AddressFacts) {
  if (!isServiceBacked(callout)) return undefined;
  const { service: reference } = callout.client;
  const key = keyOf(reference);
  const service = services.getIfKnown(key);
  const slices = endpointSlices.getIfKnown(key);
  const port = service && proxiedPortOf(service, reference.port);
  if (service === undefined || slices === undefined || port === undefined) return undefined;
  const reachable = usable(endpointsOf(service, port, slices), routing.mode ?? 'cluster-ip', service);
  const podless = reachable.filter(({ pod }) => pod === undefined);
  return podless.length === 0 ? undefined : { key, reachable, podless };
}

/** Addresses without a Pod, to which only the API server can connect; undefined if a call reaches none. */
export function unreachableAddresses(callout: Callout, facts: AddressFacts): Unread | undefined {
  const found = endpointsWithoutPods(callout, facts);
  return (
    found && {
      what: `${counted(found.podless.length, 'address')} of Service ${found.key}`,
      why: 'unreachable',
      detail: 'no Pod has this address, and the API server did not report a call',
    }
  );
}

/**
 * Why the state of the addresses behind a callout's Service is unknown if there are several, some of them without a Pod:
 * a dry run reaches one of them (pkg/proxy/iptables; apiserver/pkg/util/proxy/proxy.go ResolveEndpoint selects a random
 * slice, and starts at a random endpoint of it). Undefined if several dry runs failed one after another.
 */
export function untriedAddresses(callout: Callout, facts: ProbedAddressFacts): Unread | undefined {
  const found = endpointsWithoutPods(callout, facts);
  if (found === undefined || found.reachable.length < 2) return undefined;
  if (facts.probes?.getIfKnown(calloutId(callout))?.dryRun?.failsAgain) return undefined;
  return {
    what: `each of the ${found.reachable.length} addresses of Service ${found.key}`,
    why: 'unreachable',
    detail: 'some of them belong to no Pod: a dry run reaches one address, and does not show which',
  };
}

/** True if the next connection to the callout may reach another of such addresses than the last one. */
export const mayReachAnother = (callout: Callout, facts: AddressFacts): boolean =>
  untriedAddresses(callout, facts) !== undefined &&
  isServiceBacked(callout) &&
  facts.services.getIfKnown(keyOf(callout.client.service))?.spec.sessionAffinity !== 'ClientIP';
