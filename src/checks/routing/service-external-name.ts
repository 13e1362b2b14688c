import { namedService, servedByService } from '../../facts/client-config.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck } from '../check.ts';

export const serviceExternalName = defineCheck({
  meta: {
    id: 'service-external-name',
    link: 'routing',
    title: 'The Service is only a DNS name',
    severity: 'warning',
    explains: { 'external-name': 1, dns: 3 },
    why: 'For an ExternalName Service the API server asks the resolver of its own host, which does not know names inside the cluster, and still wants a certificate for NAME.NAMESPACE.svc. With --enable-aggregator-routing it refuses: `unsupported service type "ExternalName"`.',
    advice:
      'Name a Service of type ClusterIP in `clientConfig.service`. For a backend outside the cluster use `clientConfig.url`, or a ClusterIP Service without selector and an EndpointSlice with its address.',
    noRemedy: { because: 'only its owner knows which Pods are meant' },
    messages: {
      refused: {
        text: 'Service {service} is of type ExternalName, which this API server refuses to call',
        severity: 'error',
        consequence: 'failing',
      },
      dialled: {
        text: "Service {service} leads to {host}, which the API server's host has to resolve",
        consequence: 'unknown',
      },
      refusedOrDialled: {
        text: 'Service {service} leads to {host}: the API server refuses it or has to resolve it, depending on its --enable-aggregator-routing, which nothing seen tells',
        consequence: 'unknown',
      },
    },
  },
  requires: ['callouts', 'services', 'routing'],
  subjects: servedByService,
  run(callout, { services, routing }, find) {
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    if (spec?.type !== 'ExternalName') return;
    const host = spec.externalName ?? '';
    const object = namedService(callout);
    const evidence = [
      { object, field: 'spec.type', value: 'ExternalName' },
      { object, field: 'spec.externalName', value: host },
    ];
    switch (routing.mode) {
      case 'endpoints':
        return find('refused', { service }, evidence);
      case 'cluster-ip':
        return find('dialled', { service, host }, evidence);
      default:
        return find('refusedOrDialled', { service, host }, evidence);
    }
  },
});
