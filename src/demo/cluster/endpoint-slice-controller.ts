import type { Endpoint } from '../../facts/objects/endpoint-slice.ts';
import { selectsPod } from '../../facts/objects/label-selector.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service, ServicePort } from '../../facts/objects/service.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import type { ApiObject } from '../api-server/object-store.ts';
import { generated } from './generated-name.ts';

type Family = 'IPv4' | 'IPv6';

/** True for a Pod with an address that has not completed: ShouldPodBeInEndpoints (k8s.io/endpointslice/util). */
export const hasSandbox = ({ status }: Pod): boolean =>
  status.podIP !== undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';

const addressOf = (pod: Pod, family: Family): string | undefined =>
  pod.status.podIPs?.map(({ ip }) => ip).find((ip) => ip.includes(':') === (family === 'IPv6'));

/** The port number for a targetPort in this Pod; undefined for a name that no container declares. */
function portIn(pod: Pod, { port, targetPort = port }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  return containers.flatMap(({ ports }) => ports ?? []).find(({ name }) => name === targetPort)
    ?.containerPort;
}

const portsFor = (pod: Pod, service: Service) =>
  (service.spec.ports ?? []).flatMap((servicePort) => {
    const port = portIn(pod, servicePort);
    return port === undefined
      ? []
      : [{ name: servicePort.name ?? '', protocol: servicePort.protocol ?? 'TCP', port }];
  });

function endpointOf(pod: Pod, address: string, service: Service): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const published = service.spec.publishNotReadyAddresses === true;
  return {
    addresses: [address],
    conditions: { ready: published || (serving && !terminating), serving, terminating },
    targetRef: {
      kind: 'Pod',
      ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
      name: pod.metadata.name,
      ...(pod.metadata.uid === undefined ? {} : { uid: pod.metadata.uid }),
    },
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
  };
}

/** Slices of one address family: one per set of ports; an empty one without endpoints. */
function slicesOf(service: Service, pods: readonly Pod[], family: Family): readonly ApiObject[] {
  const groups = new Map<string, { ports: ReturnType<typeof portsFor>; endpoints: Endpoint[] }>();
  for (const pod of pods.filter(hasSandbox)) {
    const address = addressOf(pod, family);
    if (address === undefined) continue;
    const ports = portsFor(pod, service);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(pod, address, service));
    groups.set(key, group);
  }
  const { name, namespace = 'default' } = service.metadata;
  const found = groups.size === 0 ? [['', { ports: null, endpoints: null }] as const] : [...groups];
  return found.map(([key, { ports, endpoints }]) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: `${name}-${generated(`${namespace}/${name}/${family}/${key}`, 5)}`,
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
    },
    addressType: family,
    ports,
    endpoints,
  }));
}

/** The EndpointSlices of a Service; none without a selector, or for an ExternalName. */
export function makeEndpointSlices(object: ApiObject, pods: readonly Pod[]): readonly ApiObject[] {
  const service = object as unknown as Service;
  const { selector, type, ipFamilies = ['IPv4'] } = service.spec;
  if (type === 'ExternalName' || Object.keys(selector ?? {}).length === 0) return [];
  const selected = pods.filter(({ metadata }) => selectsPod(service, metadata));
  return ipFamilies.flatMap((family) => slicesOf(service, selected, family));
}
