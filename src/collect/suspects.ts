import { type ForeseenPod, foreseenByService } from '../apiserver/deadlock/admission-path.ts';
import { mayBlockOwnPods } from '../apiserver/deadlock/bootstrap.ts';
import { type Callout, isAdmission, isServiceBacked, type ServiceReference } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Service } from '../facts/objects/service.ts';
import type { BaseFacts } from './base.ts';
import { looksWhole } from './looks-whole.ts';

/** A backend to look at closely: the Service that callouts name, and the object where there is one. */
export interface Suspect {
  readonly key: string;
  readonly namespace: string;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

/**
 * The backends of the given callouts that do not look whole, and those that probes found in trouble; all of them when
 * `everything` is asked. A backend whose Service or slices could not be read is none: there is nothing to start from.
 *
 * @param troubled Services by `namespace/name`.
 */
export function suspects(
  base: BaseFacts,
  callouts: readonly Callout[],
  everything: boolean,
  troubled: ReadonlySet<string> = new Set(),
): readonly Suspect[] {
  const found = new Map<string, Suspect>();
  const look = ({ namespace, name, port }: ServiceReference): void => {
    const key = keyOf({ namespace, name });
    if (found.has(key) || !base.services.known(key) || !base.endpointSlices.known(key)) return;
    const service = base.services.get(key);
    const slices = base.endpointSlices.get(key) ?? [];
    const called = everything || troubled.has(key);
    if (!called && service !== undefined && looksWhole(service, slices, port)) return;
    found.set(key, { key, namespace, service, slices });
  };
  for (const callout of callouts) if (isServiceBacked(callout)) look(callout.client.service);
  return [...found.values()];
}

/** Namespaces that are read for a deadlock that has not happened yet. */
const namespacesAtMost = 10;

/**
 * Namespaces of backends, whole or not, whose webhook may be asked about the very Pods that serve it, as far as its
 * rules and selectors tell: the template of their workload decides whether it is.
 */
export function namespacesOfOwnPods(base: BaseFacts, callouts: readonly Callout[]): readonly string[] {
  const found = new Set<string>();
  for (const callout of callouts) {
    if (found.size === namespacesAtMost) break;
    if (!isAdmission(callout) || !isServiceBacked(callout)) continue;
    const { namespace, name } = callout.client.service;
    const key = keyOf({ namespace, name });
    const service = base.services.known(key) ? base.services.get(key) : undefined;
    if (found.has(namespace) || Object.keys(service?.spec.selector ?? {}).length === 0) continue;
    if (service !== undefined && mayBlockOwnPods(callout, foreseenByService(service), base)) {
      found.add(namespace);
    }
  }
  return [...found];
}

/** Any Pod of a namespace: nobody knows its labels. */
const anyPod = (namespace: string): ForeseenPod => ({ namespace, labels: {}, from: 'selector' });

/**
 * Of these namespaces, those whose new Pods a webhook that fails closed may be asked about: where they hold what other
 * Pods need, the network above all, the webhook's own Pods may wait for them.
 */
export const namespacesAskedAbout = (
  base: BaseFacts,
  callouts: readonly Callout[],
  among: readonly string[],
): readonly string[] =>
  among
    .filter((namespace) => base.namespaces.known(namespace) && base.namespaces.get(namespace) !== undefined)
    .filter((namespace) =>
      callouts.some((callout) => isAdmission(callout) && mayBlockOwnPods(callout, anyPod(namespace), base)),
    )
    .slice(0, namespacesAtMost);
