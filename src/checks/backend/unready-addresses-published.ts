import type { Backend, EndpointFacts } from '../../apiserver/routing/backends.ts';
import { backends, endpointsBehind, serviceRef } from '../../apiserver/routing/backends.ts';
import { endpointStateOf } from '../../apiserver/routing/endpoint-state.ts';
import { endpointEvidence } from '../../apiserver/routing/unused-endpoints.ts';
import { defineCheck, note, partial, undecided } from '../check.ts';

const publishes = (facts: Pick<EndpointFacts, 'callouts' | 'services'>): readonly Backend[] =>
  backends(facts).filter(({ service }) => service.spec.publishNotReadyAddresses === true);

export const unreadyAddressesPublished = defineCheck({
  meta: {
    id: 'unready-addresses-published',
    title: 'Service routes to Pods that are not Ready',
    severity: 'warning',
    why: 'With `publishNotReadyAddresses: true` every Pod counts as ready. While a Pod starts, stops or crashes, its share of the calls is refused.',
    advice:
      '[end] Remove `publishNotReadyAddresses` from the Service: `kubectl -n {namespace} edit service {service}`. [end] If the Pods need the webhook to become Ready, make readiness depend on the webhook port only.',
    messages: {
      always: note(
        'Service {service} publishes addresses of Pods that are not Ready; all are Ready now, but calls fail during each restart',
      ),
      dead: partial(
        'Service {service} publishes addresses of Pods that are not Ready: {unresponsive} of {total} endpoints cannot respond',
      ),
      unready: undecided(
        'Service {service} publishes addresses of Pods that are not Ready: {unready} of {total} endpoints, which may not respond',
      ),
    },
    references: ['/docs/concepts/services-networking/endpoint-slices/#ready'],
  },
  requires: ['callouts', 'services', 'endpointSlices', 'pods', 'endpointPods', 'nodes'],
  subjects: publishes,
  run(backend, facts, find) {
    const { key } = backend;
    const readyEndpoints = endpointsBehind(backend, facts).filter(({ ready }) => ready);
    const unready = readyEndpoints.filter(({ serving }) => !serving);
    const dead = readyEndpoints.filter((endpoint) =>
      ['refuses', 'gone'].includes(endpointStateOf(endpoint, key, facts)),
    );
    const evidence = [
      { object: serviceRef(backend), field: 'spec.publishNotReadyAddresses', value: 'true' },
      ...endpointEvidence(backend, unready),
    ];
    const data = { service: key, total: readyEndpoints.length };
    // If no Pod can respond, this setting makes no difference: other checks report the Pods.
    if (readyEndpoints.length === 0 || dead.length === readyEndpoints.length) return undefined;
    if (dead.length > 0) return find('dead', { ...data, unresponsive: dead.length }, evidence);
    if (unready.length > 0) return find('unready', { ...data, unready: unready.length }, evidence);
    return find('always', { service: key }, evidence);
  },
});
