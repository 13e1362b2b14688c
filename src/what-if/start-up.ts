import { foreseenOf, requestText } from '../apiserver/deadlock/admission-path.ts';
import { podRequestMatcher, scopeText } from '../apiserver/deadlock/backend-needs.ts';
import { type Serving, servingBy, servingOf } from '../apiserver/deadlock/serving.ts';
import { groupBy } from '../basics/collections.ts';
import { remembered } from '../basics/derive.ts';
import {
  type AdmissionCallout,
  type Callout,
  calloutId,
  closedWebhooks,
  isServiceBacked,
} from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { serviceSelects } from '../facts/objects/label-selector.ts';
import { type Service, selectsPods } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { controllerOf, isOwnWorkload, wantedPods } from '../facts/workloads/workloads.ts';
import { needOf, systemWorkloads } from '../pods/foreseen-supply.ts';
import { hostedByUrl } from '../pods/hosted-by-url.ts';

/** A workload that creates Pods, with their dependencies. */
export interface StartingWorkload {
  /** `Deployment shop/policy`; if workloads were not read, `Service shop/policy`. */
  readonly text: string;
  /** Keys of the Services of webhooks and APIServices that its Pods serve. */
  readonly services: readonly string[];
  /** False if it has no replicas, or nothing recreates its Pods. */
  readonly starts: boolean;
  /** The dependencies of its Pods, evaluated on demand. */
  waitsFor(): readonly Dependency[];
}

/** A dependency of Pods. */
export interface Dependency {
  /** Webhooks of one backend that intercept the same requests; empty for a workload of the system. */
  readonly webhooks: readonly AdmissionCallout[];
  /** `CREATE pods`; for a workload of the system: `the network of its node`. */
  readonly what: string;
  /** Names of the starters of which one must serve; empty if it presumably runs outside of the cluster. */
  readonly providers: readonly string[];
  /** False: it depends on unknown labels or conditions. */
  readonly sure: boolean;
}

/** The starters of a cluster by name. */
export type StartUp = ReadonlyMap<string, StartingWorkload>;

/** Webhooks with the same backend that match the same requests. */
interface Gate {
  readonly webhooks: AdmissionCallout[];
  readonly providers: readonly string[];
  readonly matcher: NonNullable<ReturnType<typeof podRequestMatcher>>;
}

/** Whether nothing recreates these Pods: each was created manually. */
function isMadeByHand({ workload, ref }: Serving, { pods, workloads }: Facts): boolean {
  if (workload !== undefined || !workloads.known(ref.namespace ?? '')) return false;
  const behind = pods.getIfKnown(keyOf(ref)) ?? [];
  return behind.length > 0 && behind.every(({ metadata }) => controllerOf(metadata) === undefined);
}

/** Every workload that was read, and other backends of webhooks and APIServices. */
function servings(facts: Facts): ReadonlyMap<string, Serving> {
  const found = new Map<string, Serving>();
  const backing = facts.callouts.filter(isServiceBacked).flatMap(({ client }) => {
    const service = facts.services.getIfKnown(keyOf(client.service));
    return service === undefined || !selectsPods(service) ? [] : [service];
  });
  for (const service of new Set<Service>(backing))
    for (const serving of servingOf(service, facts))
      if (!found.has(serving.text)) found.set(serving.text, serving);
  for (const workload of facts.workloads.all().flat().filter(isOwnWorkload)) {
    const serving = servingBy(workload, foreseenOf(workload));
    if (!found.has(serving.text)) found.set(serving.text, serving);
  }
  return found;
}

/** Names of the starters behind each webhook, by its id. */
export function providersOf(facts: Facts): (callout: Callout) => readonly string[] {
  const hosted = new Map(
    hostedByUrl(facts).map(({ callout, hosts }) => [callout as Callout, hosts.map(({ text }) => text)]),
  );
  const known = new Map<string, readonly string[]>();
  return (callout) => {
    if (!isServiceBacked(callout)) return hosted.get(callout) ?? [];
    const key = keyOf(callout.client.service);
    const service = facts.services.getIfKnown(key);
    const texts =
      known.get(key) ??
      (service === undefined || !selectsPods(service)
        ? []
        : servingOf(service, facts).map(({ text }) => text));
    known.set(key, texts);
    return texts;
  };
}

/** Webhooks that fail closed and intercept requests that Pods need to start. */
function gatesOf(facts: Facts, providers: (callout: Callout) => readonly string[]): readonly Gate[] {
  const gates = new Map<string, Gate>();
  for (const webhook of closedWebhooks(facts)) {
    const served = providers(webhook);
    const key = JSON.stringify([served.length === 0 ? calloutId(webhook) : served, scopeText(webhook)]);
    const alike = gates.get(key);
    if (alike !== undefined) {
      alike.webhooks.push(webhook);
      continue;
    }
    const ask = podRequestMatcher(webhook, facts);
    if (ask !== undefined) gates.set(key, { webhooks: [webhook], providers: served, matcher: ask });
  }
  return [...gates.values()];
}

/** System Pods without which no Pod of this workload serves. */
const suppliesOf = ({ workload }: Serving, facts: Facts): readonly Dependency[] =>
  workload === undefined
    ? []
    : systemWorkloads(facts).flatMap((supplier: Workload): readonly Dependency[] => {
        const need = needOf(workload.spec.template, supplier, facts);
        const { text } = servingBy(supplier, foreseenOf(supplier));
        return need?.needed !== 'surely'
          ? []
          : [{ webhooks: [], what: need.what, providers: [text], sure: true }];
      });

/** The workloads of this cluster, as far as they were read, with the dependencies of their Pods. */
export function startUpOf(facts: Facts): StartUp {
  const all = servings(facts);
  const gates = gatesOf(facts, providersOf(facts));
  const backing = new Set(facts.callouts.filter(isServiceBacked).map(({ client }) => keyOf(client.service)));
  const byNamespace = groupBy([...backing], (key) => key.split('/', 1)[0] ?? '');
  return new Map(
    [...all].map(([text, serving]) => {
      const services = (byNamespace.get(serving.pod.namespace) ?? []).filter((key) =>
        serving.workload === undefined
          ? key === keyOf(serving.ref)
          : serviceSelects(facts.services.getIfKnown(key)?.spec.selector, serving.pod.labels),
      );
      const wanted = serving.workload === undefined || wantedPods(serving.workload) > 0;
      const starter: StartingWorkload = {
        text,
        services,
        starts: wanted && !isMadeByHand(serving, facts),
        waitsFor: remembered(() => [
          ...gates.flatMap(({ webhooks, providers, matcher: ask }): readonly Dependency[] => {
            const passage = ask(serving.pod);
            if (passage === undefined) return [];
            const what = requestText((passage.matched ?? passage.undecided).about.request);
            return [{ webhooks, what, providers, sure: passage.matched !== undefined }];
          }),
          ...suppliesOf(serving, facts),
        ]),
      };
      return [text, starter];
    }),
  );
}
