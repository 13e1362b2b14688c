import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import {
  failingServers,
  probedCallouts,
  probeFacts,
  probesAt,
  usableMet,
} from '../../apiserver/connection/probed.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const unreachableFromControlPlane = defineCheck({
  meta: {
    id: 'unreachable-from-control-plane',
    link: 'network',
    title: 'The replicas answer, but not to the control plane',
    severity: 'error',
    consequence: 'failing',
    explains: { 'no-route': 3, 'network-unreachable': 3, 'connect-timeout': 2, deadline: 2 },
    why: 'The process answers inside its Pod, so that certificate and program are in order; what the control plane sends does not arrive or is turned away: a NetworkPolicy, a firewall, a tunnel, a sidecar, or routes between the network of the control plane and that of the Pods.',
    advice:
      'Compare with another webhook of the cluster: if none is reached, look at the network of the control plane; if this one only, at NetworkPolicies of its namespace, at firewalls for its target port, and at sidecars of its Pods. Where only the address of the Service gets no answer, check kube-proxy on the nodes of the control plane; if the loss also follows the node of the Pod, turn the checksum offload of the overlay off: `ethtool -K flannel.1 tx-checksum-ip-generic off` (the device of your CNI).',
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas}: answers inside its Pod and not to the control plane ({bad} of {total} replicas): {said}',
      some: {
        text: '{replicas}: answers inside its Pod and not to the control plane; {bad} of {total} new connections end so: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
      clusterIp:
        'all {total} replicas answer the control plane at their own addresses, and its call by the address of the Service gets no answer: {said}',
      dryRun:
        'all {total} replicas answer, and the call of the API server itself does not get through: {said}',
    },
    follows: [
      'api-server-proxy',
      'firewall-target-port',
      'address-not-allowed',
      'tunnel-down',
      'network-policy-shields-webhook',
      'mesh-intercepts-port',
      'replica-node-not-ready',
      'internal-traffic-policy-local',
      'service-not-proxied',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const found = failingServers(probed, facts, ({ meeting }) => meeting.link === 'network');
    if (found !== undefined) return find(found.extent, found.data, found.evidence, 'observed');
    const probes = probesAt(probed, facts);
    const end = probes && ownCallEnd(probed.callout, probes);
    if (end?.outcome !== 'fails' || end.link !== 'network' || end.sporadic) return undefined;
    const usable = usableMet(probed, facts);
    const answering = usable.filter(
      ({ meeting }) => meeting.outcome === 'answers' || meeting.outcome === 'denies',
    );
    // A replica that fails is reason enough.
    if (usable.length === 0 || answering.length < usable.length) return undefined;
    const data = { total: usable.length, said: brief(end.sentence) };
    const evidence = [{ object: probed.ref, value: end.sentence }];
    const byPod = answering.every(({ probe }) => probe?.proxy?.reached && probe.proxy.way === 'pod-proxy');
    return find(end.late && byPod ? 'clusterIp' : 'dryRun', data, evidence, 'observed');
  },
});
