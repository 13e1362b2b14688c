import { derive } from '../../basics/derive.ts';
import { type Callout, isLoopback, isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, type ObjectRef, refOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { type Service, type ServicePort, selectsPods } from '../../facts/objects/service.ts';
import type { Facts, RoutingMode } from '../../facts/snapshot.ts';
import { labelsText } from '../../facts/workloads/workloads.ts';
import { type BackendEndpoint, endpointsOf, usable } from './endpoints.ts';
import { meantPortOf } from './route.ts';

/** A callout, and the Service port of its replicas. */
export interface Backend {
  /** The callout, the subject of findings. */
  readonly ref: ObjectRef;
  readonly callout: Callout;
  /** `namespace/name` of the Service. */
  readonly key: string;
  readonly namespace: string;
  readonly service: Service;
  readonly port: ServicePort;
}

/** The facts that decide which endpoints a call can reach. */
export const endpointFacts = ['callouts', 'services', 'endpointSlices', 'routing'] as const;
export type EndpointFacts = Pick<Facts, (typeof endpointFacts)[number]>;

/** The port of a Pod behind a port of its Service. */
export const targetPortOf = ({ targetPort, port }: ServicePort, { spec }: Pod): number =>
  typeof targetPort === 'number'
    ? targetPort
    : (spec.containers.flatMap(({ ports }) => ports ?? []).find(({ name }) => name === targetPort)
        ?.containerPort ?? port);

/**
 * Callouts whose Service exists and has a port for them, possibly under another number: a missing Service or
 * port is checked in routing. Excluded are ExternalName Services (they have no endpoints), Services that
 * could not be read, and the API server itself (it has no replicas).
 */
export const backends = derive(
  ['callouts', 'services'],
  ({ callouts, services }: Pick<Facts, 'callouts' | 'services'>): readonly Backend[] =>
    callouts.flatMap((callout): readonly Backend[] => {
      if (!isServiceBacked(callout)) return [];
      const { service: reference } = callout.client;
      if (isLoopback(reference)) return [];
      const key = keyOf(reference);
      const service = services.getIfKnown(key);
      if (service === undefined || service.spec.type === 'ExternalName') return [];
      const port = meantPortOf(service, reference.port);
      if (port === undefined) return [];
      return [{ ref: callout.ref, callout, key, namespace: reference.namespace, service, port }];
    }),
);

/** Every address behind the port. Throws NotKnown if the EndpointSlices could not be read. */
export const endpointsBehind = (
  { key, service, port }: Backend,
  { endpointSlices }: Pick<Facts, 'endpointSlices'>,
): readonly BackendEndpoint[] => endpointsOf(service, port, endpointSlices.get(key) ?? []);

/** The routing mode; the default one if it is not known. */
export const likelyMode = ({ routing }: Pick<Facts, 'routing'>): RoutingMode => routing.mode ?? 'cluster-ip';

/** The addresses that the next call can reach. Throws NotKnown if the EndpointSlices could not be read. */
export const usableBehind = (
  backend: Backend,
  facts: Pick<Facts, 'endpointSlices' | 'routing'>,
): readonly BackendEndpoint[] => usable(endpointsBehind(backend, facts), likelyMode(facts), backend.service);

/** Backends that are known to have no address that a call can reach. */
const unusableBackends = derive(endpointFacts, (facts: EndpointFacts): readonly Backend[] =>
  backends(facts).filter(
    (backend) => facts.endpointSlices.known(backend.key) && usableBehind(backend, facts).length === 0,
  ),
);

/** True if the Service selects Pods; otherwise its endpoints are created by someone else. */
export const hasSelector = ({ service }: Backend): boolean => selectsPods(service);

/** Backends whose Pods had to be read, whether or not the read was allowed. */
export const examinedBackends = derive(
  ['callouts', 'services', 'pods'],
  (facts: Pick<Facts, 'callouts' | 'services' | 'pods'>): readonly Backend[] =>
    backends(facts).filter(
      (backend) => hasSelector(backend) && facts.pods.why(backend.key)?.why !== 'not-requested',
    ),
);

/** Backends without a usable address whose namespace's workloads were read. */
export const backendsInNeedOfPods = (facts: EndpointFacts & Pick<Facts, 'workloads'>): readonly Backend[] =>
  unusableBackends(facts).filter(
    (backend) => hasSelector(backend) && facts.workloads.why(backend.namespace)?.why !== 'not-requested',
  );

/** The Service of a backend. */
export const serviceRef = ({ service, namespace }: Backend): ObjectRef =>
  refOf('Service', { namespace, name: service.metadata.name });

/** The selector of a Service, as evidence. */
export const selectorEvidence = (backend: Backend): Evidence => ({
  object: serviceRef(backend),
  field: 'spec.selector',
  value: labelsText(backend.service.spec.selector ?? {}),
});
