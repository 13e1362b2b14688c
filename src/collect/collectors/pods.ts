import { serviceSelects } from '../../facts/label-selector.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { counted } from '../../phrases/numbers.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { defineCollector, eachKey, ofKey } from '../collector.ts';
import {
  backendFacts,
  backendsInQuestion,
  brokenBackends,
  brokenFacts,
  podsOf,
  type SuspectBackend,
} from '../suspicion.ts';
import { commonSelector, readTogether } from './common-selector.ts';

const selectorOf = ({ spec }: Service): Readonly<Record<string, string>> => spec.selector ?? {};

type PodsOfService = readonly [key: string, Reading<readonly Pod[]>];

/** Sends one list request for Services that it can cover together. */
async function listTogether(read: Attempts, services: readonly Service[]): Promise<readonly PodsOfService[]> {
  const namespace = services[0]?.metadata.namespace;
  const query = { labelSelector: commonSelector(services.map(selectorOf)) };
  const where = { ...(namespace === undefined ? {} : { namespace }), query };
  const reading = await read.list<Pod>(resources.Pod, where);
  return services.map((service) => [
    keyOf(service.metadata),
    isRead(reading)
      ? {
          value: reading.value.filter(({ metadata }) =>
            serviceSelects(service.spec.selector, metadata.labels),
          ),
        }
      : reading,
  ]);
}

/**
 * Collects the Pods that each Service selects: at most one list per Service. A Service without selector
 * selects none.
 */
export const pods = defineCollector({
  fact: 'pods',
  topics: ['failures', 'certificates'],
  needs: backendFacts,
  permissions: [toRead(resources.Pod, ['list'], 'backends', 'the Pods of a backend and their status')],
  otherwise: 'the Pods of a backend that looks healthy',
  wants: (facts, readOptions) => backendsInQuestion(facts, readOptions).map(({ key }) => key),
  async read(access, keys, facts) {
    access.stage(`reading the Pods of ${counted(keys.length, 'backend')}`);
    const services = keys.flatMap((key) => facts.services.get(key) ?? []);
    const selecting = services.filter((service) => Object.keys(selectorOf(service)).length > 0);
    const lists = readTogether(selecting, (service) => ({
      namespace: service.metadata.namespace,
      selector: selectorOf(service),
    }));
    const listed = await Promise.all(lists.map((alike) => listTogether(access, alike)));
    const none = services.map((service): PodsOfService => [keyOf(service.metadata), { value: [] }]);
    return new Map([...none, ...listed.flat()]);
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
  topics: ['failures'],
  needs: [...brokenFacts, 'pods'],
  permissions: [
    toRead(resources.Pod, ['get'], 'backends', 'Pods of endpoints that the selector does not match'),
  ],
  atMost: 20,
  otherwise: 'a Pod that no endpoint names',
  wants: (facts, readOptions) =>
    brokenBackends(facts, readOptions).flatMap((backend) => notSelected(backend, podsOf(facts, backend))),
  read: (access, keys) =>
    eachKey(keys, (key) => {
      const { namespace, name } = ofKey(key);
      return access.get<Pod>(resources.Pod, name, { namespace });
    }),
});
