import { servicePortOf } from '../../apiserver/routing/route.ts';
import { clientConfigEvidence, namedService, servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { hasOtherPurpose, type ServicePort } from '../../facts/objects/service.ts';
import { conversionOff } from '../../phrases/conversion-off.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

/** `443 (https), 8080`. */
const portsText = (ports: readonly ServicePort[]): string =>
  listed(ports.map(({ port, name }) => (name === undefined ? `${port}` : `${port} (${name})`)));

export const servicePortMissing = defineCheck({
  meta: {
    id: 'service-port-missing',
    title: 'Service has no such port',
    consequence: 'failing',
    why: 'The API server looks for the port number of `clientConfig.service.port` (443 by default) in `spec.ports[].port` of the Service. The Service has no such port, so the call fails with `no service port N found for service "NAME"`.',
    advice:
      '[look] Compare the ports of the Service with `service.port` of the configuration: `kubectl -n {namespace} get service {service} -o yaml`. [end] Correct the number in the configuration: `kubectl edit {kind} {configuration}`. [end] Or add the port to the Service, with the `targetPort` on which the Pods serve TLS: `kubectl -n {namespace} edit service {service}`. [end] If the values of the chart turn the webhook off, turn it on, or delete the configuration: `kubectl delete {kind} {leftover}`.',
    messages: {
      otherPorts: 'Service {service} has no port {port}; it has {ports}',
      targetPort: 'Service {service} has no port {port}: {port} is the targetPort of its port {servicePort}',
      otherPurpose: {
        text: 'Service {service} has no port {port}; it has {ports}, for other requests',
        advice: `[end] If the values of the chart turn the webhook off, turn it on. [end] If the webhook is not needed, delete the configuration: \`kubectl delete {kind} {leftover}\`. [end] If all versions of the CRD have the same fields, turn its conversion off: ${conversionOff}. [end] Otherwise add the port to the Service, with the \`targetPort\` on which the Pods serve TLS: \`kubectl -n {namespace} edit service {service}\`.`,
      },
      noPorts: 'Service {service} has no port {port}: it has no ports',
    },
  },
  requires: ['callouts', 'services'],
  subjects: servedByService,
  run(callout, { services }, find) {
    const service = keyOf(callout.client.service);
    const { port } = callout.client.service;
    const found = services.get(service);
    // The API server connects to an ExternalName at any port.
    if (found === undefined || found.spec.type === 'ExternalName') return;
    if (servicePortOf(found, port) !== undefined) return;

    const ports = found.spec.ports ?? [];
    const evidence = [
      clientConfigEvidence(callout, 'service.port', port),
      { object: namedService(callout), field: 'spec.ports[*].port', value: portsText(ports) || 'none' },
    ];
    if (ports.length === 0) return find('noPorts', { service, port }, evidence);
    const behind = ports.find(({ targetPort }) => targetPort === port);
    if (behind !== undefined) {
      return find('targetPort', { service, port, servicePort: behind.port }, evidence);
    }
    const isNone = ports.every((one) => hasOtherPurpose(one, callout.kind));
    return find(isNone ? 'otherPurpose' : 'otherPorts', { service, port, ports: portsText(ports) }, evidence);
  },
});
