import { namedService, servedByService } from '../../facts/client-config.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import { defineCheck } from '../check.ts';

const proxyNameLabel = 'service.kubernetes.io/service-proxy-name';
/** Kubernetes sets it on what belongs to headless Services; kube-proxy before 1.37 takes it at its word anywhere. */
const headlessLabel = 'service.kubernetes.io/headless';

const hasAddress = ({ spec }: Service): boolean => spec.type !== 'ExternalName' && spec.clusterIP !== 'None';

export const serviceNotProxied = defineCheck({
  meta: {
    id: 'service-not-proxied',
    link: 'routing',
    title: 'kube-proxy does not serve the port',
    severity: 'error',
    consequence: 'failing',
    why: "The API server finds the port by its number alone and opens a TCP connection to the Service's address, where kube-proxy has no rule for it: nothing answers. One that runs with --enable-aggregator-routing dials the replicas and does not notice.",
    advice:
      'Set `protocol: TCP` on the port of the Service. Remove the label service.kubernetes.io/service-proxy-name unless the proxy that it names runs on the control plane nodes too, and the label service.kubernetes.io/headless, which nobody sets by hand.',
    noRemedy: { because: 'only its owner knows what serves the Service instead of kube-proxy' },
    messages: {
      notTcp: 'Port {port} of Service {service} is {protocol} only; webhooks are called over TCP',
      perhapsNotTcp: {
        text: 'Port {port} of Service {service} is {protocol} only; a call over TCP works only if the API server runs with --enable-aggregator-routing, which nothing seen tells',
        severity: 'warning',
        consequence: 'unknown',
      },
      otherProxy: {
        text: 'Service {service} is left to the proxy {proxy}; kube-proxy does not serve it',
        severity: 'warning',
        consequence: 'unknown',
      },
      headlessLabel: {
        text: 'Service {service} carries the label service.kubernetes.io/headless; kube-proxy before 1.37 does not serve it',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
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
      const protocol = protocols.join(' and ');
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
