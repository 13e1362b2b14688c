import { namedService, servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck, undecided } from '../check.ts';

const proxyNameLabel = 'service.kubernetes.io/service-proxy-name';
/** The label of headless Services and EndpointSlices; kube-proxy before 1.37 applies it to every Service. */
const headlessLabel = 'service.kubernetes.io/headless';

const hasAddress = ({ spec }: Service): boolean => spec.type !== 'ExternalName' && spec.clusterIP !== 'None';

export const serviceNotProxied = defineCheck({
  meta: {
    id: 'service-not-proxied',
    title: 'kube-proxy does not serve the Service port',
    consequence: 'failing',
    why: 'The API server connects to the Service address over TCP, and kube-proxy has no rule for that: the connection times out or is refused. An API server with --enable-aggregator-routing connects to the Pods directly and is not affected.',
    advice: 'Set `protocol: TCP` on the port: `kubectl -n {namespace} edit service {service}`.',
    messages: {
      notTcp: 'Port {port} of Service {service} is {protocol} only; the API server calls webhooks over TCP',
      perhapsNotTcp: undecided(
        'Port {port} of Service {service} is {protocol}, not TCP; whether the API server has --enable-aggregator-routing and can call it is unknown',
      ),
      otherProxy: undecided(
        'Service {service} is assigned to the proxy {proxy}; kube-proxy does not serve it',
        'Unless that proxy also runs on the control plane nodes, remove the label: `kubectl -n {namespace} label service {service} service.kubernetes.io/service-proxy-name-`.',
      ),
      headlessLabel: undecided(
        'Service {service} has the label service.kubernetes.io/headless; kube-proxy before 1.37 does not serve it',
        'Remove the label: `kubectl -n {namespace} label service {service} service.kubernetes.io/headless-`.',
      ),
    },
    preventsReadiness: true,
    references: [
      '/docs/reference/labels-annotations-taints/#servicekubernetesioservice-proxy-name',
      '/docs/tasks/extend-kubernetes/configure-aggregation-layer/#enable-kubernetes-apiserver-flags',
    ],
  },
  requires: ['callouts', 'services', 'routing'],
  subjects: servedByService,
  run(callout, { services, routing }, find) {
    const service = keyOf(callout.client.service);
    const { port } = callout.client.service;
    const found = services.get(service);
    if (found === undefined || !hasAddress(found) || routing.mode === 'endpoints') return;
    const object = namedService(callout);
    const protocols = (found.spec.ports ?? [])
      .filter((offered) => offered.port === port)
      .map(({ protocol }) => protocol ?? 'TCP');
    if (protocols.length > 0 && !protocols.includes('TCP')) {
      const protocol = listed(protocols);
      const messageId = routing.mode === undefined ? 'perhapsNotTcp' : 'notTcp';
      return find(messageId, { service, port, protocol }, [
        { object, field: 'spec.ports[*].protocol', value: protocol },
      ]);
    }
    const proxy = found.metadata.labels?.[proxyNameLabel];
    if (proxy === undefined) {
      const headless = found.metadata.labels?.[headlessLabel];
      if (headless === undefined) return;
      return find('headlessLabel', { service }, [
        { object, field: `metadata.labels["${headlessLabel}"]`, value: headless },
      ]);
    }
    return find('otherProxy', { service, proxy }, [
      { object, field: `metadata.labels["${proxyNameLabel}"]`, value: proxy },
    ]);
  },
});
