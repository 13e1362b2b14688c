import {
  type Backend,
  backends,
  endpointFacts,
  hasSelector,
  serviceRef,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { ServicePort } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
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

/** The Pods that lack the name, and the message about them; undefined without Pods. */
function lackingPods(pods: readonly Pod[], port: ServicePort, hasEndpoint: boolean) {
  if (hasEndpoint) return { message: 'some', without: changedPods(pods, port) } as const;
  if (pods.length === 0) return undefined;
  const without = pods.filter((pod) => !declares(pod, port));
  return without.length === pods.length
    ? ({ message: 'nobody', without } as const)
    : ({ message: 'ready', without: without.filter(isPodReady) } as const);
}

const declaredEvidence = (pod: Pod): Evidence => ({
  object: refOfPod(pod),
  field: 'spec.containers[*].ports',
  value: declaredText([pod]),
});

/** The first workload of the Service whose template lacks the name; undefined if another one has it, or there is none. */
function templateWithout({ namespace, service, port }: Backend, facts: Pick<Facts, 'workloads'>) {
  const made = workloadsMaking(service.spec.selector ?? {}, facts.workloads.getIfKnown(namespace) ?? []);
  const templates = made.map(({ spec }) => spec.template);
  const [first] = made;
  if (first === undefined || templates.some((template) => declares(template, port))) return undefined;
  const declared = declaredText(templates);
  const field = 'spec.template.spec.containers[*].ports';
  return {
    data: { workload: workloadText(first), declared },
    evidence: { object: refOfWorkload(first), field, value: declared },
  };
}

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
    preventsReadiness: true,
    references: ['/docs/concepts/services-networking/service/#field-spec-ports'],
  },
  requires: [...endpointFacts, 'pods', 'workloads'],
  subjects: (facts) => backends(facts).filter((backend) => isNamed(backend) && hasSelector(backend)),
  run(backend, facts, find) {
    const { key, service, port } = backend;
    const data = { service: key, port: port.port, name: port.targetPort ?? '' };
    const wanted = {
      object: serviceRef(backend),
      field: `spec.ports[${service.spec.ports?.indexOf(port)}].targetPort`,
      value: String(port.targetPort),
    };
    const pods = replicaPods(facts.pods.getIfKnown(key) ?? []);
    const lacking = lackingPods(pods, port, usableBehind(backend, facts).length > 0);
    if (lacking !== undefined) {
      const { message, without } = lacking;
      const shown = { pods: podsText(without), declared: declaredText(without) };
      const evidence = [wanted, ...without.map(declaredEvidence)];
      return without.length === 0 ? undefined : find(message, { ...data, ...shown }, evidence);
    }
    // Terminated Pods are not endpoints, whatever they declare.
    if (facts.pods.known(key)) {
      const lack = templateWithout(backend, facts);
      return lack && find('template', { ...data, ...lack.data }, [wanted, lack.evidence]);
    }
    const slices = facts.endpointSlices.get(key) ?? [];
    return leavesPodsOut(slices, port) ? find('slices', data, [wanted]) : undefined;
  },
});
