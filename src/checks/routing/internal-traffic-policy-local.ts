import { advise } from '../../facts/advice.ts';
import { namedService, servedByService } from '../../facts/client-config.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck } from '../check.ts';

export const internalTrafficPolicyLocal = defineCheck({
  meta: {
    id: 'internal-traffic-policy-local',
    link: 'routing',
    title: 'The Service leads only to replicas on the same node',
    severity: 'warning',
    consequence: 'unknown',
    explains: { 'connect-timeout': 4, deadline: 6 },
    why: 'kube-proxy sends a call for this Service only to replicas on the node where the call starts. An API server whose node has none gets no answer; where it runs, and whether its node has a kube-proxy, objects do not tell.',
    advice: advise`Set it back for the Service of a webhook: ${`kubectl patch service {service} -n {namespace} -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`}, unless a replica runs on every control plane node.`,
    noRemedy: 'a-decision',
    messages: {
      local: "Calls to Service {service} reach only replicas on the API server's own node",
    },
    references: ['https://kubernetes.io/docs/concepts/services-networking/service-traffic-policy/'],
  },
  requires: ['callouts', 'services', 'routing'],
  subjects: servedByService,
  run(callout, { services, routing }, find) {
    const service = keyOf(callout.client.service);
    const spec = services.get(service)?.spec;
    // An API server that dials replicas itself asks no kube-proxy.
    if (spec?.internalTrafficPolicy !== 'Local' || routing.mode === 'endpoints') return;
    if (spec.type === 'ExternalName' || spec.clusterIP === 'None') return;
    return find('local', { service }, [
      { object: namedService(callout), field: 'spec.internalTrafficPolicy', value: 'Local' },
    ]);
  },
});
