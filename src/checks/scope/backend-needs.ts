import type { PathRequest } from '../../apiserver/admission-path.ts';
import { bootstrapOf } from '../../apiserver/bootstrap.ts';
import type { Asked } from '../../apiserver/impact.ts';
import { selectsEverything } from '../../apiserver/selectors.ts';
import { type AdmissionCallout, type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { closedWebhooks } from './closed-webhooks.ts';
import { type Serving, servingOf } from './serving.ts';

/** A webhook of another backend that Pods must pass before they serve. */
export interface Need {
  readonly webhook: AdmissionCallout;
  readonly asked: readonly Asked<PathRequest>[];
}

/** What serves some callouts, and what it needs of others. */
export interface NeedyBackend {
  /** Tells backends apart: two Services of one workload are one backend. */
  readonly id: string;
  readonly serving: Serving;
  readonly service: Service;
  /** By the id of the other backend, the first of its webhooks that is asked. */
  readonly needs: ReadonlyMap<string, Need>;
}

type NeedFacts = Pick<Facts, 'callouts' | 'services' | 'workloads' | 'namespaces' | 'served'>;

const serviceOf = (callout: Callout, { services }: Pick<Facts, 'services'>): Service | undefined => {
  if (!isServiceBacked(callout)) return undefined;
  const key = keyOf(callout.client.service);
  const service = services.known(key) ? services.get(key) : undefined;
  return Object.keys(service?.spec.selector ?? {}).length === 0 ? undefined : service;
};

/** Where nobody read the workloads, the Services of one namespace may well lead to the same Pods. */
const idOf = ({ workload, text, pod }: Serving): string =>
  workload === undefined ? `namespace ${pod.namespace}` : text;

/** The answer of a webhook without an objectSelector is the same for every Pod of a namespace. */
function asker(webhook: AdmissionCallout, facts: NeedFacts): (serving: Serving) => Need | undefined {
  const known = new Map<string, Need | undefined>();
  const ask = ({ pod }: Serving): Need | undefined => {
    const found = bootstrapOf(webhook, pod, facts);
    return found.outcome === 'blocked' ? { webhook, asked: found.asked } : undefined;
  };
  if (!selectsEverything(webhook.objectSelector)) return ask;
  return (serving) => {
    const { namespace } = serving.pod;
    if (!known.has(namespace)) known.set(namespace, ask(serving));
    return known.get(namespace);
  };
}

/** What a webhook lets through; webhooks of one product often agree in it. */
const scopeText = ({
  rules,
  namespaceSelector,
  objectSelector,
  matchPolicy,
  matchConditions,
}: AdmissionCallout) =>
  JSON.stringify([rules, namespaceSelector, objectSelector, matchPolicy, matchConditions]);

/** Every backend that can be told apart, and which webhooks of the others its Pods must pass before they serve. */
export function backendNeeds(facts: NeedFacts): readonly NeedyBackend[] {
  const found = new Map<string, { serving: Serving; service: Service; needs: Map<string, Need> }>();
  const idOfService = new Map<Service, string>();
  for (const callout of facts.callouts) {
    const service = serviceOf(callout, facts);
    if (service === undefined || idOfService.has(service)) continue;
    const [serving] = servingOf(service, facts);
    if (serving === undefined) continue;
    const id = idOf(serving);
    idOfService.set(service, id);
    if (!found.has(id)) found.set(id, { serving, service, needs: new Map() });
  }
  const seen = new Set<string>();
  for (const webhook of closedWebhooks(facts)) {
    const service = serviceOf(webhook, facts);
    const to = service && idOfService.get(service);
    const scope = `${to} ${scopeText(webhook)}`;
    if (to === undefined || seen.has(scope)) continue;
    seen.add(scope);
    const ask = asker(webhook, facts);
    for (const [from, { serving, needs }] of found) {
      if (from === to || needs.has(to)) continue;
      const need = ask(serving);
      if (need !== undefined) needs.set(to, need);
    }
  }
  return [...found].map(([id, backend]) => ({ id, ...backend }));
}
