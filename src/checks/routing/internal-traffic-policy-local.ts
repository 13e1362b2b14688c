import { ownCall } from '../../apiserver/connection/own-call-result.ts';
import { calloutId, namedService, servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck, latent } from '../check.ts';

export const internalTrafficPolicyLocal = defineCheck({
  meta: {
    id: 'internal-traffic-policy-local',
    title: 'internalTrafficPolicy is Local',
    severity: 'warning',
    consequence: 'unknown',
    why: 'With `internalTrafficPolicy: Local`, kube-proxy routes to Pods on the node of the client only. An API server on a node without such a Pod gets no response. Objects do not show where it runs, or whether its node has kube-proxy.',
    advice: `Unless a Pod of the webhook runs on every control plane node, set the default: \`kubectl patch service {service} -n {namespace} -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'\`.`,
    messages: {
      reached: latent(
        'Service {service} routes only to Pods on the node of the API server (internalTrafficPolicy Local); API servers on other nodes may get no response',
      ),
      local:
        'Service {service} routes only to Pods on the node of the API server (internalTrafficPolicy Local); it is unknown whether a Pod runs there',
    },
    references: [
      '/docs/concepts/services-networking/service-traffic-policy/#using-service-internal-traffic-policy',
    ],
  },
  requires: ['callouts', 'services', 'routing', 'probes'],
  subjects: servedByService,
  run(callout, facts, find) {
    const { services, routing, probes } = facts;
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    // An API server that connects to Pod IPs does not use kube-proxy.
    if (spec?.internalTrafficPolicy !== 'Local' || routing.mode === 'endpoints') return;
    if (spec.type === 'ExternalName' || spec.clusterIP === 'None') return;
    const isReached = probes.known(calloutId(callout)) && ownCall(callout, facts) === 'passes';
    return find(isReached ? 'reached' : 'local', { service }, [
      { object: namedService(callout), field: 'spec.internalTrafficPolicy', value: 'Local' },
    ]);
  },
});
