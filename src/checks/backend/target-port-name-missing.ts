import {
  type Backend,
  backends,
  endpointFacts,
  hasSelector,
  serviceRef,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { ServicePort } from '../../facts/objects/service.ts';
import { lastingContainers } from '../../facts/workloads/container-crash.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { byWorkload, refOfPod, refOfWorkload, workloadsMaking } from '../../facts/workloads/workloads.ts';
import { podsText } from '../../pods/bad-replicas.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck, latent } from '../check.ts';

/** Ports of containers and sidecars; name and protocol must match (kubernetes pkg/api/v1/pod FindPort). */
const portsOf = (pod: Pick<Pod, 'spec'>) => lastingContainers(pod).flatMap(({ ports }) => ports ?? []);

const declares = (pod: Pick<Pod, 'spec'>, { targetPort, protocol = 'TCP' }: ServicePort): boolean =>
  portsOf(pod).some((port) => port.name === targetPort && (port.protocol ?? 'TCP') === protocol);

const declaredText = (pods: readonly Pick<Pod, 'spec'>[]): string =>
  [
    ...new Set(
      pods
        .flatMap(portsOf)
        .map(
          ({ name, containerPort, protocol = 'TCP' }) =>
            `${name ?? 'unnamed'} (${containerPort}${protocol === 'TCP' ? '' : `/${protocol}`})`,
        ),
    ),
  ].join(', ') || 'none';

/** A Pod that lacks the name is in an EndpointSlice without that port (endpointslice getEndpointPorts). */
const leavesPodsOut = (slices: readonly EndpointSlice[], { name = '' }: ServicePort): boolean =>
  slices.some(({ endpoints }) => (endpoints ?? []).length > 0) &&
  !slices.some(({ ports }) => (ports ?? []).some((port) => (port.name ?? '') === name));

/** Pods that do not declare the name although others of the workload do: a rollout that changed the name. */
const changedPods = (pods: readonly Pod[], port: ServicePort): readonly Pod[] =>
  [...byWorkload(pods).values()].flatMap((siblings) => {
    const without = siblings.filter((pod) => !declares(pod, port));
    return without.length < siblings.length ? without : [];
  });

const isNamed = ({ port }: Backend): boolean => typeof port.targetPort === 'string';

export const targetPortNameMissing = defineCheck({
  meta: {
    id: 'target-port-name-missing',
    title: 'No container declares the named targetPort',
    consequence: 'failing',
    why: 'A targetPort name is resolved in each Pod. A Pod in which no container declares that name and protocol is not an endpoint for the port, even if it is Ready.',
    advice:
      '[end] Set that name on the container port (`ports[].name` in the Pod template): `kubectl -n {namespace} edit {workload}`. [end] Or set the port number as `targetPort`: `kubectl -n {namespace} edit service {service}`.',
    messages: {
      nobody:
        'Service {service} maps port {port} to container port {name}, which no Pod declares; declared: {declared}',
      template:
        'Service {service} maps port {port} to container port {name}, which the Pods of {workload} will not declare; declared: {declared}',
      slices:
        'Service {service} maps port {port} to container port {name}, and its EndpointSlices contain Pods without it',
      ready:
        'Service {service} maps port {port} to container port {name}, which no Ready Pod declares ({pods}); Pods that declare it are not Ready',
      some: latent(
        'Service {service} maps port {port} to container port {name}, which is no longer declared by {pods}; other Pods declare it',
      ),
    },
    references: ['/docs/concepts/services-networking/service/#field-spec-ports'],
  },
  requires: [...endpointFacts, 'pods', 'workloads'],
  subjects: (facts) => backends(facts).filter((backend) => isNamed(backend) && hasSelector(backend)),
  run(backend, facts, find) {
    const { key, namespace, service, port } = backend;
    const data = { service: key, port: port.port, name: port.targetPort ?? '' };
    const wanted = {
      object: serviceRef(backend),
      field: `spec.ports[${service.spec.ports?.indexOf(port)}].targetPort`,
      value: String(port.targetPort),
    };
    const usable = usableBehind(backend, facts);
    const pods = replicaPods(facts.pods.getIfKnown(key) ?? []);
    const declared = (of: readonly Pod[]) =>
      of.map((pod) => ({
        object: refOfPod(pod),
        field: 'spec.containers[*].ports',
        value: declaredText([pod]),
      }));
    if (usable.length > 0) {
      const without = changedPods(pods, port);
      if (without.length === 0) return undefined;
      return find('some', { ...data, pods: podsText(without) }, [wanted, ...declared(without)]);
    }
    if (pods.length > 0) {
      if (pods.some((pod) => declares(pod, port))) {
        const without = pods.filter((pod) => isPodReady(pod) && !declares(pod, port));
        return without.length === 0
          ? undefined
          : find('ready', { ...data, pods: podsText(without) }, [wanted, ...declared(without)]);
      }
      return find('nobody', { ...data, declared: declaredText(pods) }, [wanted, ...declared(pods)]);
    }
    // Terminated Pods are not endpoints, whatever they declare.
    if (facts.pods.known(key)) {
      const made = workloadsMaking(service.spec.selector ?? {}, facts.workloads.getIfKnown(namespace) ?? []);
      const templates = made.map(({ spec }) => spec.template);
      const [first] = made;
      if (first === undefined || templates.some((template) => declares(template, port))) return undefined;
      const declaredThere = declaredText(templates);
      const field = 'spec.template.spec.containers[*].ports';
      return find('template', { ...data, workload: workloadText(first), declared: declaredThere }, [
        wanted,
        { object: refOfWorkload(first), field, value: declaredThere },
      ]);
    }
    return leavesPodsOut(facts.endpointSlices.get(key) ?? [], port)
      ? find('slices', data, [wanted])
      : undefined;
  },
});
