import { namedService, servedByService } from '../../facts/client-config.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck } from '../check.ts';

export const serviceHeadless = defineCheck({
  meta: {
    id: 'service-headless',
    link: 'routing',
    title: 'The Service is headless',
    severity: 'error',
    consequence: 'failing',
    explains: { headless: 1 },
    why: 'An API server that dials the Service\'s address has none to dial and ends the call with `cannot route to service with ClusterIP "None"`. Only one that runs with --enable-aggregator-routing dials the replicas themselves.',
    advice:
      'Give the webhook a Service of type ClusterIP with the same selector and ports, and name that one in `clientConfig.service`. `clusterIP` of an existing Service cannot be changed: delete and create it.',
    noRemedy: { because: 'clusterIP cannot be changed: the Service has to be made again' },
    messages: {
      noAddress: 'Service {service} has clusterIP None, and the API server dials Service addresses',
      perhapsNoAddress: {
        text: 'Service {service} has clusterIP None; whether the API server can call it depends on its --enable-aggregator-routing, which nothing seen tells',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
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
