import { namedService, servedByService } from '../../facts/client-config.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck } from '../check.ts';

export const internalTrafficPolicyLocal = defineCheck({
  meta: {
    id: 'internal-traffic-policy-local',
    link: 'routing',
    title: 'internalTrafficPolicy is Local',
    severity: 'warning',
    consequence: 'unknown',
    explains: { 'connect-timeout': 4, deadline: 6 },
    why: 'With `internalTrafficPolicy: Local`, kube-proxy routes to Pods on the node of the client only. An API server on a node without such a Pod gets no response; objects do not show where it runs, or whether its node has kube-proxy.',
    advice: `Unless a Pod of the webhook runs on every control plane node, set the default: \`kubectl patch service {service} -n {namespace} -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'\`.`,
    noRemedy: 'a-decision',
    messages: {
      local:
        "Service {service} routes only to Pods on the API server's own node (internalTrafficPolicy Local); unknown: whether one runs there",
    },
    references: ['/docs/concepts/services-networking/service-traffic-policy/'],
  },
  requires: ['callouts', 'services', 'routing'],
  subjects: servedByService,
  run(callout, { services, routing }, find) {
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    // An API server that connects to Pod IPs does not use kube-proxy.
    if (spec?.internalTrafficPolicy !== 'Local' || routing.mode === 'endpoints') return;
    if (spec.type === 'ExternalName' || spec.clusterIP === 'None') return;
    return find('local', { service }, [
      { object: namedService(callout), field: 'spec.internalTrafficPolicy', value: 'Local' },
    ]);
  },
});
