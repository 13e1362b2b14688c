import type { BackendEndpoint } from '../../apiserver/endpoints.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { labelsText } from '../../facts/workloads.ts';
import {
  type Backend,
  backends,
  endpointFacts,
  endpointsBehind,
  hasSelector,
  serviceRef,
  usableBehind,
} from '../backends.ts';
import { judgedPods, podEvidence } from '../bad-replicas.ts';
import { defineCheck, type Evidence } from '../check.ts';

/** The reason per Pod, where Pods were read; else what the slices say per address. */
function reasons(
  backend: Backend,
  endpoints: readonly BackendEndpoint[],
  facts: Pick<Facts, 'pods' | 'events' | 'nodes' | 'secrets'>,
  takenAt: string,
): readonly Evidence[] {
  const judged = facts.pods.known(backend.key) ? judgedPods(backend, facts, takenAt) : [];
  if (judged.length > 0) return podEvidence(judged);
  return endpoints.map(({ address, port, ready, serving, terminating, slice }) => ({
    object: { kind: 'EndpointSlice', namespace: backend.namespace, name: slice },
    field: 'endpoints',
    value: `${address}:${port} ready=${ready} serving=${serving} terminating=${terminating}`,
  }));
}

/** Port names of slices that do hold ready addresses, only under other names than the Service's. */
function otherPorts({ key }: Backend, { endpointSlices }: Pick<Facts, 'endpointSlices'>): readonly string[] {
  const holding = (endpointSlices.get(key) ?? []).filter(({ endpoints }) => (endpoints ?? []).length > 0);
  return [...new Set(holding.flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? '')))];
}

const nameText = (name: string | undefined): string => name || 'without a name';

export const noReadyEndpoint = defineCheck({
  meta: {
    id: 'no-ready-endpoint',
    link: 'backend',
    title: 'No endpoint of the Service can take a call',
    severity: 'error',
    consequence: 'failing',
    why: "The API server dials the Service's address, where kube-proxy refuses (`connection refused`), or, when it routes to endpoints itself, finds `no endpoints available for service`. Every matching request fails or goes unchecked, as failurePolicy says.",
    advice: 'Bring a Pod of the Service to Ready: `kubectl -n NAMESPACE get endpointslices,pods -o wide`.',
    messages: {
      none: 'Service {service} has no endpoints',
      noPods: 'Service {service} has no endpoints: no Pod carries {selector}',
      noSelector: 'Service {service} has no selector, and nobody has given it endpoints',
      noneReady: 'none of the {total} endpoints of Service {service} is ready',
      starting: 'the Pods of Service {service} are starting, none is ready yet',
      portNameDiffers:
        'the EndpointSlices of Service {service} have no port named {wanted}; they have {found}',
    },
    // Whatever keeps Pods from being made, found or ready explains why there is none.
    follows: [
      'selector-matches-no-pod',
      'workload-missing',
      'workload-scaled-to-zero',
      'workload-cannot-create-pods',
      'target-port-name-missing',
      'endpoints-only-terminating',
      'replica-unschedulable',
      'replica-volume-missing',
      'replica-image-pull-failing',
      'replica-config-error',
      'replica-init-stuck',
      'replica-out-of-memory',
      'replica-crash-looping',
      'replica-readiness-failing',
      'replica-node-not-ready',
      'replica-evicted',
      'replica-terminating-stuck',
      'bootstrap-deadlock',
      'deadlock-cycle',
    ],
    references: ['https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/'],
  },
  requires: [...endpointFacts, 'pods', 'events', 'nodes', 'secrets'],
  subjects: backends,
  run(backend, facts, find, takenAt) {
    const { key, service, port } = backend;
    if (usableBehind(backend, facts).length > 0) return undefined;
    const endpoints = endpointsBehind(backend, facts);
    const evidence = reasons(backend, endpoints, facts, takenAt);
    const wanted = port.name ?? '';
    const others = otherPorts(backend, facts);
    if (endpoints.length === 0 && others.some((name) => name !== wanted) && !others.includes(wanted)) {
      const found = others.map(nameText).join(', ');
      return find('portNameDiffers', { service: key, wanted: nameText(wanted), found }, evidence);
    }
    if (!hasSelector(backend) && endpoints.length === 0) return find('noSelector', { service: key });
    const pods = facts.pods.known(key) ? judgedPods(backend, facts, takenAt) : undefined;
    if (pods !== undefined && pods.length > 0 && pods.every(({ state }) => state.state === 'starting')) {
      return find('starting', { service: key }, evidence);
    }
    if (endpoints.length > 0) return find('noneReady', { service: key, total: endpoints.length }, evidence);
    if (pods?.length !== 0) return find('none', { service: key }, evidence);
    const selector = labelsText(service.spec.selector ?? {});
    return find('noPods', { service: key, selector }, [
      { object: serviceRef(backend), field: 'spec.selector', value: selector },
    ]);
  },
});
