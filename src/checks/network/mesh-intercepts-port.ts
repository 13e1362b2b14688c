import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import type { FailedEndpoint } from '../../apiserver/connection/probed-endpoints.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { podByName, sidecarOf } from '../../pods/listening.ts';
import { defineCheck, partial } from '../check.ts';

const endsConnections = ({ callResult }: FailedEndpoint): boolean =>
  callResult.fault === 'intercepted' ||
  (callResult.fault === 'unauthorized' && callResult.detail.includes('RBAC: access denied'));

export const meshInterceptsPort = defineCheck({
  meta: {
    id: 'mesh-intercepts-port',
    title: 'Mesh sidecar rejects the API server',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The sidecar of a service mesh intercepts the connections of the Pod. With strict mutual TLS it requires a certificate of the mesh, which the API server does not have. It closes the connection before it reaches the webhook.',
    advice:
      '[end] Exclude the webhook port from the mesh on the Pod template (Istio: `traffic.sidecar.istio.io/excludeInboundPorts: "{port}"`, Linkerd: `config.linkerd.io/skip-inbound-ports: "{port}"`): `kubectl -n {namespace} edit {workload}`. [end] With Istio, a PeerAuthentication that is PERMISSIVE for this port does the same.',
    noRemedy: 'a-decision',
    preventsReadiness: true,
    messages: {
      all: 'Sidecar {sidecar} of {replicas} closes connections to port {port} before the webhook: {detail}',
      some: partial(
        'Sidecar {sidecar} of {replicas} closes connections to port {port} before the webhook ({bad} of {total} new connections): {detail}',
      ),
    },
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const pods = knownPods(callout, facts);
    const sidecar = ({ pod }: FailedEndpoint): string | undefined => {
      const read = podByName(pod, pods);
      return read && sidecarOf(read);
    };
    const found = failingServers(
      callout,
      facts,
      (endpoint) => endsConnections(endpoint) && sidecar(endpoint) !== undefined,
    );
    const [first] = found?.endpoints ?? [];
    if (found === undefined || first === undefined) return undefined;
    return find(found.extent, { ...found.data, sidecar: sidecar(first) ?? '' }, found.evidence, {
      port: String(found.data.port),
    });
  },
});
