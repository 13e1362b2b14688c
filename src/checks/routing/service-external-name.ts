import { ownEndOf } from '../../apiserver/connection/own-call-result.ts';
import { calloutId, namedService, servedByService, serviceOfUrl } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck, fatal, undecided } from '../check.ts';

const nameTheTarget =
  '[end] Set `service` in the client configuration to the Service that the name leads to: `kubectl edit {kind} {configuration}`. [with] Its serving certificate must be for that Service.';

export const serviceExternalName = defineCheck({
  meta: {
    id: 'service-external-name',
    title: 'Service is of type ExternalName',
    severity: 'warning',
    why: 'For an ExternalName Service, the API server resolves the name with the DNS of its host, not with cluster DNS. It still requires a certificate for `SERVICE.NAMESPACE.svc`. With --enable-aggregator-routing it fails with `unsupported service type "ExternalName"`.',
    advice:
      '[end] Set `service` in the client configuration to a Service of type ClusterIP: `kubectl edit {kind} {configuration}`. [end] For a backend outside the cluster, use `clientConfig.url` (an APIService has no such field). [end] Or use a ClusterIP Service without a selector and an EndpointSlice with its address.',
    noRemedy: { because: 'only the owner of the Service knows which Pods it must select' },
    messages: {
      refused: fatal('Service {service} is of type ExternalName, which this API server cannot call'),
      unresolved: fatal(
        'Service {service} points to {host}, Service {target}: the host of the API server cannot resolve the names of Services',
        nameTheTarget,
      ),
      clusterName: undecided(
        'Service {service} points to {host}, Service {target}: the hosts of most API servers cannot resolve the names of Services',
        nameTheTarget,
      ),
      dialled: undecided('Service {service} points to {host}, which the host of the API server must resolve'),
      refusedOrDialled: undecided(
        'Service {service} is of type ExternalName ({host}); whether the API server calls that host or refuses the Service (--enable-aggregator-routing) is unknown',
      ),
    },
    references: [
      '/docs/concepts/services-networking/service/#externalname',
      '/docs/tasks/extend-kubernetes/configure-aggregation-layer/#enable-kubernetes-apiserver-flags',
    ],
  },
  requires: ['callouts', 'services', 'routing', 'probes'],
  subjects: servedByService,
  run(callout, facts, find) {
    const { services, routing, probes } = facts;
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    if (spec?.type !== 'ExternalName') return;
    const host = spec.externalName ?? '';
    const object = namedService(callout);
    const evidence = [
      { object, field: 'spec.type', value: 'ExternalName' },
      { object, field: 'spec.externalName', value: host },
    ];
    const named = serviceOfUrl(`https://${host}`);
    const isNamed = named !== undefined && services.getIfKnown(keyOf(named)) !== undefined;
    if (isNamed && routing.mode !== 'endpoints') {
      const end = probes.known(calloutId(callout)) ? ownEndOf(callout, facts) : undefined;
      // An API server in a Pod, or with a resolver that forwards the cluster domain.
      if (end?.outcome === 'passes') return;
      const data = { service, host, target: keyOf(named) };
      return end?.outcome === 'fails' && end.kind === 'dns'
        ? find('unresolved', data, [...evidence, { object: callout.ref, value: end.sentence }], 'observed')
        : find('clusterName', data, evidence);
    }
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
