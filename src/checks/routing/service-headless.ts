import { namedService, servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck, undecided } from '../check.ts';

export const serviceHeadless = defineCheck({
  meta: {
    id: 'service-headless',
    title: 'Service is headless',
    consequence: 'failing',
    why: 'A headless Service has no ClusterIP, so the call fails with `cannot route to service with ClusterIP "None"`. Only an API server with --enable-aggregator-routing connects to the Pods directly.',
    advice:
      '[end] `clusterIP` is immutable, so create a second Service of type ClusterIP with the selector and ports of this one: `kubectl -n {namespace} get service {service} -o yaml`. [with] Set `clientConfig.service` to the new Service: `kubectl edit {kind} {configuration}`.',
    noRemedy: { because: 'clusterIP is immutable: the Service must be created again' },
    messages: {
      noAddress: 'Service {service} has clusterIP None, and the API server connects to Service addresses',
      perhapsNoAddress: undecided(
        'Service {service} has clusterIP None; only an API server with --enable-aggregator-routing can call it, and it is unknown whether that flag is set',
      ),
    },
    references: [
      '/docs/concepts/services-networking/service/#headless-services',
      '/docs/tasks/extend-kubernetes/configure-aggregation-layer/#enable-kubernetes-apiserver-flags',
    ],
  },
  requires: ['callouts', 'services', 'routing'],
  subjects: servedByService,
  run(callout, { services, routing }, find) {
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    if (spec === undefined || (spec.type ?? 'ClusterIP') !== 'ClusterIP' || spec.clusterIP !== 'None') return;
    if (routing.mode === 'endpoints') return;
    return find(routing.mode === undefined ? 'perhapsNoAddress' : 'noAddress', { service }, [
      { object: namedService(callout), field: 'spec.clusterIP', value: 'None' },
    ]);
  },
});
