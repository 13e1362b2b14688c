import { type AdmissionCallout, type Callout, closedWebhooks, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { selectsEverything } from '../../facts/objects/label-selector.ts';
import { type Service, selectsPods } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { impactOf, type MatchedRequest, mayCover, type UndecidedRequest } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import { type ForeseenPod, type PathRequest, pathRequests, podCreation } from './admission-path.ts';
import { type Serving, servingOf } from './serving.ts';

/** A webhook of another backend that Pods must pass before they serve. */
export interface RequiredWebhook {
  readonly webhook: AdmissionCallout;
  /** The first of possibly several requests that it is called for. */
  readonly matched: MatchedRequest<PathRequest>;
}

/** A backend with webhooks that Pods must pass before they serve. */
export interface GuardingBackend {
  /** Identifies the backend: two Services of one workload are one backend. */
  readonly id: string;
  readonly serving: Serving;
  readonly service: Service;
  /** The webhook of this backend that a Pod must pass before it can serve; undefined if there is none. */
  neededBy(pod: ForeseenPod): RequiredWebhook | undefined;
}

/** The facts that show which webhooks the Pods of a backend must pass. */
export const needFacts = ['version', 'callouts', 'services', 'workloads', 'namespaces', 'served'] as const;
export type NeedFacts = Pick<Facts, (typeof needFacts)[number]>;

const serviceOf = (callout: Callout, { services }: Pick<Facts, 'services'>): Service | undefined => {
  if (!isServiceBacked(callout)) return undefined;
  const key = keyOf(callout.client.service);
  const service = services.getIfKnown(key);
  return selectsPods(service) ? service : undefined;
};

/** The identity of a backend: its workload; if not read, its namespace, because Services may share Pods. */
const idOf = ({ workload, text, pod }: Serving): string =>
  workload === undefined ? `namespace ${pod.namespace}` : text;

/** The first request of a Pod that must pass a webhook; if none, the first with an unknown result. */
export type RequiredRequest =
  | { readonly matched: MatchedRequest<PathRequest> }
  | { readonly matched?: undefined; readonly undecided: UndecidedRequest<PathRequest> };

type FindPassage = (pod: ForeseenPod) => RequiredRequest | undefined;

/** Any Pod, if only the kind of request is relevant. */
const anyPod: ForeseenPod = { namespace: '', labels: {}, from: 'template', service: { name: '' } };

/** Leases of the control plane and of nodes: the result is the same for every Pod. */
const ofTheCluster = ({ step }: PathRequest): boolean => step === 'leader-election' || step === 'heartbeat';

/**
 * Creates a function that finds the first request of a Pod that the webhook is called for; undefined if its
 * rules match none. If the webhook has no objectSelector and no matchConditions, the results are cached by
 * namespace.
 */
export function podRequestMatcher(webhook: AdmissionCallout, facts: MatchFacts): FindPassage | undefined {
  const path = pathRequests(anyPod, webhook).filter(
    ({ needed, request }) => needed === 'always' && mayCover(webhook, request),
  );
  if (path.length === 0) return undefined;
  const steps = new Set(path.map(({ step }) => step));
  const first = (requests: readonly PathRequest[]): RequiredRequest | undefined => {
    let undecided: UndecidedRequest<PathRequest> | undefined;
    for (const about of requests) {
      if (!steps.has(about.step)) continue;
      const impact = impactOf(webhook, [about], facts);
      const [matched] = impact.matched;
      if (matched !== undefined) return { matched };
      undecided ??= impact.undecided[0];
    }
    return undecided && { undecided };
  };
  const always = first(path.filter(ofTheCluster));
  const ofPodAlone = path.every((one) => one.step === 'pod' || ofTheCluster(one));
  const ask: FindPassage = (pod) => {
    const creation = first([podCreation(pod, webhook)]);
    if (creation?.matched !== undefined) return creation;
    if (always?.matched !== undefined) return always;
    return ofPodAlone ? (creation ?? always) : first(pathRequests(pod, webhook));
  };
  if (!selectsEverything(webhook.objectSelector) || webhook.matchConditions.length > 0) return ask;
  const known = new Map<string, RequiredRequest | undefined>();
  return (pod) => {
    if (!known.has(pod.namespace)) known.set(pod.namespace, ask(pod));
    return known.get(pod.namespace);
  };
}

/** The rules, selectors and conditions of a webhook as a key; webhooks of one product often share them. */
export const scopeText = ({
  rules,
  namespaceSelector,
  objectSelector,
  matchPolicy,
  matchConditions,
}: AdmissionCallout) =>
  JSON.stringify([rules, namespaceSelector, objectSelector, matchPolicy, matchConditions]);

/** Every identifiable backend whose webhooks may block Pods. */
export function guardingBackends(facts: NeedFacts): readonly GuardingBackend[] {
  const found = new Map<
    string,
    GuardingBackend & { readonly asks: Map<string, [AdmissionCallout, FindPassage]> }
  >();
  const idOfService = new Map<Service, string>();
  const add = (service: Service): string | undefined => {
    const [serving] = servingOf(service, facts);
    if (serving === undefined) return undefined;
    const id = idOf(serving);
    idOfService.set(service, id);
    if (found.has(id)) return id;
    const asks = new Map<string, [AdmissionCallout, FindPassage]>();
    const neededBy = (pod: ForeseenPod): RequiredWebhook | undefined => {
      for (const [webhook, ask] of asks.values()) {
        const matched = ask(pod)?.matched;
        if (matched !== undefined) return { webhook, matched };
      }
      return undefined;
    };
    found.set(id, { id, serving, service, asks, neededBy });
    return id;
  };
  for (const webhook of closedWebhooks(facts)) {
    const service = serviceOf(webhook, facts);
    if (service === undefined) continue;
    const ask = podRequestMatcher(webhook, facts);
    if (ask === undefined) continue;
    const asks = found.get(idOfService.get(service) ?? add(service) ?? '')?.asks;
    const scope = scopeText(webhook);
    if (asks?.has(scope) === false) asks.set(scope, [webhook, ask]);
  }
  return [...found.values()];
}
