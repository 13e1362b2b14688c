import { defined } from '../../../basics/collections.ts';
import { keyOf, ofKey } from '../../../facts/object-ref.ts';
import { endpointsIn } from '../../../facts/objects/endpoint-slice.ts';
import { selectsPod } from '../../../facts/objects/label-selector.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Service } from '../../../facts/objects/service.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { clusterDns } from '../../../facts/workloads/system-pods.ts';
import { counted } from '../../../phrases/lists.ts';
import { uncalledServices } from '../../../products/uncalled-services.ts';
import { type Attempts, isRead, type Reading, type ReadLocation } from '../../attempts.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import {
  type BackendFacts,
  backendFacts,
  backendsInQuestion,
  brokenBackends,
  brokenFacts,
  podsOf,
  type SuspectBackend,
} from '../../suspect-backends.ts';

type Selector = Readonly<Record<string, string>>;

/** The maximum number of Services per list: each adds to the query, and proxies reject URLs over 8 kB. */
const together = 40;

/** Above this number of lists, one list over all namespaces costs less, if it covers all Services. */
const severalLists = 3;

/**
 * A list over all namespaces comes from the memory of the API server: otherwise, one with an old etcd reads
 * all Pods of the cluster from there. Controllers see the same Pods, milliseconds old.
 */
const fromMemory = { resourceVersion: '0' };

/**
 * Combines selectors over the same label keys into one label selector that matches every object which any of
 * them matches: `app in (a,b),tier=web`. It may match more objects; the caller must filter the result.
 */
export function commonSelector(selectors: readonly Selector[]): string {
  return Object.keys(selectors[0] ?? {})
    .map((key) => {
      const values = [...new Set(selectors.map((selector) => selector[key] ?? ''))].sort();
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join()})`;
    })
    .join();
}

/** Groups items that one list request can cover: same namespace, selectors over the same label keys. */
export function readTogether<T>(
  items: readonly T[],
  of: (item: T) => { readonly namespace: string | undefined; readonly selector: Selector },
): readonly (readonly T[])[] {
  const groups = new Map<string, T[][]>();
  for (const item of items) {
    const { namespace, selector } = of(item);
    const key = `${namespace ?? ''} ${Object.keys(selector).sort().join()}`;
    const alike = groups.get(key) ?? [];
    groups.set(key, alike);
    const last = alike.at(-1);
    if (last !== undefined && last.length < together) last.push(item);
    else alike.push([item]);
  }
  return [...groups.values()].flat();
}

const selectorOf = ({ spec }: Pick<Service, 'spec'>): Readonly<Record<string, string>> => spec.selector ?? {};

type PodsOfService = readonly [key: string, Reading<readonly Pod[]>];

/** Sends one list request for Services that it can cover together: of a namespace, or of all. */
async function listTogether(
  read: Attempts,
  services: readonly Service[],
  where: Pick<ReadLocation, 'namespace' | 'query' | 'refusable'>,
): Promise<readonly PodsOfService[]> {
  const query = { labelSelector: commonSelector(services.map(selectorOf)), ...where.query };
  const reading = await read.list<Pod>(resources.Pod, { ...where, query });
  return services.map((service) => [
    keyOf(service.metadata),
    isRead(reading)
      ? { value: reading.value.filter(({ metadata }) => selectsPod(service, metadata)) }
      : reading,
  ]);
}

/**
 * Lists the Pods of these Services, which have a selector.
 *
 * @param optional keys of Services that no webhook calls, or whose endpoints look healthy: nothing is incomplete if
 *   their Pods may not be read.
 */
async function listPods(
  read: Attempts,
  services: readonly Service[],
  optional: ReadonlySet<string>,
): Promise<readonly PodsOfService[]> {
  const of = ({ metadata: { namespace }, ...service }: Service) => ({
    namespace,
    selector: selectorOf(service),
  });
  const lists = readTogether(services, of);
  const [all = [], ...rest] = readTogether(services, (service) => ({ ...of(service), namespace: undefined }));
  if (lists.length > severalLists && rest.length === 0) {
    const everywhere = await listTogether(read, all, { query: fromMemory, refusable: true });
    if (everywhere.every(([, reading]) => isRead(reading))) return everywhere;
  }
  const listed = lists.map((alike) =>
    listTogether(read, alike, {
      ...defined({ namespace: alike[0]?.metadata.namespace }),
      refusable: alike.every(({ metadata }) => optional.has(keyOf(metadata))),
    }),
  );
  return (await Promise.all(listed)).flat();
}

/** Their Pods may be unable to register webhooks. */
const withoutWebhooks = (
  facts: Pick<Facts, 'services'>,
  { chosen, examineAll, topics }: ReadOptions,
): readonly string[] =>
  examineAll || !topics.includes('failures')
    ? []
    : uncalledServices(chosen, facts).map(({ service }) => keyOf(service.metadata));

/** Cluster DNS, if a backend is broken, and no endpoint of cluster DNS is ready: its Pods may have the reason. */
function brokenResolver(facts: BackendFacts, readOptions: ReadOptions): readonly string[] {
  const slices = facts.endpointSlices.getIfKnown(clusterDns) ?? [];
  const endpoints = endpointsIn(slices);
  const isBroken = endpoints.length > 0 && endpoints.every(({ conditions }) => conditions?.ready === false);
  return isBroken && backendsInQuestion(facts, readOptions).some(({ changedOnly }) => !changedOnly)
    ? [clusterDns]
    : [];
}

/** Collects the Pods that each Service selects: at most one list per Service; none without a selector. */
export const pods = defineCollector({
  fact: 'pods',
  topics: ['failures', 'certificates'],
  needs: backendFacts,
  permissions: [toRead(resources.Pod, ['list'], 'backends', 'the Pods of a backend and their status')],
  otherwise: 'the Pods of a backend that looks healthy',
  wants: (facts, readOptions) => [
    ...backendsInQuestion(facts, readOptions).map(({ key }) => key),
    ...withoutWebhooks(facts, readOptions),
    ...brokenResolver(facts, readOptions),
  ],
  async read(access, keys, facts, readOptions) {
    access.stage(`reading the Pods of ${counted(keys.length, 'backend')}`);
    const services = keys.flatMap((key) => facts.services.get(key) ?? []);
    const selecting = services.filter((service) => Object.keys(selectorOf(service)).length > 0);
    const none = services.map((service): PodsOfService => [keyOf(service.metadata), { value: [] }]);
    const changed = backendsInQuestion(facts, readOptions).filter(({ changedOnly }) => changedOnly);
    const healthy = new Set(changed.map(({ key }) => key));
    const optional = new Set([...withoutWebhooks(facts, readOptions), ...healthy, clusterDns]);
    const listed = await listPods(access, selecting, optional);
    const known = listed.map(([key, reading]): PodsOfService => {
      const isKept = isRead(reading) || reading.unread.why !== 'forbidden' || !healthy.has(key);
      return [key, isKept ? reading : { unread: { ...reading.unread, why: 'not-requested' } }];
    });
    return new Map([...none, ...known]);
  },
});

/** Pods that endpoints refer to but the selector does not match. */
const notSelected = ({ slices, namespace }: SuspectBackend, selected: readonly Pod[]): readonly string[] => {
  const known = new Set(selected.map(({ metadata }) => keyOf(metadata)));
  return slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .flatMap(({ targetRef }) =>
      targetRef?.kind === 'Pod' && targetRef.name !== undefined
        ? [keyOf({ namespace: targetRef.namespace ?? namespace, name: targetRef.name })]
        : [],
    )
    .filter((key) => !known.has(key));
};

export const endpointPods = defineCollector({
  fact: 'endpointPods',
  needs: [...brokenFacts, 'pods'],
  permissions: [
    toRead(resources.Pod, ['get'], 'backends', 'Pods of endpoints that the selector does not match'),
  ],
  atMost: 20,
  otherwise: 'a Pod that no endpoint names',
  wants: (facts, readOptions) =>
    brokenBackends(facts, readOptions).flatMap((backend) => notSelected(backend, podsOf(facts, backend))),
  readEach(access, key) {
    const { namespace, name } = ofKey(key);
    return access.get<Pod>(resources.Pod, name, { namespace });
  },
});
