import {
  type FailedEndpoint,
  failingServers,
  probedCallouts,
  probeFacts,
} from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { knownPods, podByName } from '../../pods/listening.ts';
import { defineCheck } from '../check.ts';

/** Containers that take every connection of a Pod before the others see it. */
const sidecars = /^(istio-proxy|linkerd-proxy|kuma-sidecar|consul-dataplane|envoy-sidecar|envoy)$/;

const sidecarOf = ({ spec }: Pod): string | undefined =>
  [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => sidecars.test(name))?.name;

const endsConnections = ({ meeting }: FailedEndpoint): boolean =>
  meeting.fault === 'intercepted' ||
  (meeting.fault === 'unauthorized' && meeting.said.includes('RBAC: access denied'));

export const meshInterceptsPort = defineCheck({
  meta: {
    id: 'mesh-intercepts-port',
    link: 'network',
    title: 'A sidecar turns the API server away',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-speaks-http': 2, 'connection-closed': 3, forbidden: 2, 'name-mismatch': 2 },
    why: 'The sidecar of a service mesh takes the connections of the Pod. With strict mutual TLS it wants a certificate of the mesh, which the API server does not have, and ends the connection before the webhook sees it.',
    advice: advise`Take the port of the webhook out of the mesh: for Istio ${{ code: 'traffic.sidecar.istio.io/excludeInboundPorts: "{port}"' }} on the Pod template (or a PeerAuthentication that is PERMISSIVE for this port), for Linkerd ${{ code: 'config.linkerd.io/skip-inbound-ports: "{port}"' }}.`,
    noRemedy: 'a-decision',
    messages: {
      all: '{replicas}: {sidecar} ends connections to port {port} before the webhook sees them ({bad} of {total} replicas): {said}',
      some: {
        text: '{replicas}: {sidecar} ends connections to port {port} before the webhook sees them; {bad} of {total} new connections end so: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
  },
  requires: [...probeFacts, 'pods'],
  subjects: probedCallouts,
  run(probed, facts, find) {
    const pods = knownPods(probed, facts);
    const sidecar = ({ pod }: FailedEndpoint): string | undefined => {
      const read = podByName(pod, pods);
      return read && sidecarOf(read);
    };
    const found = failingServers(probed, facts, (met) => endsConnections(met) && sidecar(met) !== undefined);
    const [first] = found?.met ?? [];
    if (found === undefined || first === undefined) return undefined;
    return find(
      found.extent,
      { ...found.data, sidecar: sidecar(first) ?? '' },
      found.evidence,
      { port: String(found.data.port) },
      'observed',
    );
  },
});
