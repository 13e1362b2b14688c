import { withoutDialedAddress } from '../../apiserver/connection/connection-error-text.ts';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { ownCall, ownDetailOf, ownErrorOf } from '../../apiserver/connection/own-call-result.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { responseTimes, slowAmong } from '../../apiserver/connection/response-times.ts';
import { derive } from '../../basics/derive.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck, partial } from '../check.ts';

const isAnswering = ({ callResult: { outcome } }: ProbedEndpoint): boolean =>
  outcome === 'answers' || outcome === 'denies';

/**
 * The Services through whose address the API server called a webhook in this run: `namespace/name`. If their Pods accept
 * no connections, a call over an open connection does not show that their address can be reached.
 */
const calledServices = derive([...probeFacts], (facts: ProbeFacts): readonly string[] => {
  const called = probedCallouts(facts).flatMap((callout) => {
    if (!isServiceBacked(callout) || ownCall(callout, facts) !== 'passes') return [];
    const usable = usableEndpoints(callout, facts);
    return usable.length > 0 && usable.every(isAnswering) ? keyOf(callout.client.service) : [];
  });
  return [...new Set(called)];
});

export const unreachableFromControlPlane = defineCheck({
  meta: {
    id: 'unreachable-from-control-plane',
    title: 'Control plane cannot connect',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The process responds inside its Pod, so certificate and program work. A NetworkPolicy, a firewall, a tunnel, a sidecar or a missing route to the Pod network drops or rejects packets from the control plane.',
    advice:
      '[look] Check whether a NetworkPolicy selects the Pods of the webhook: `kubectl -n {namespace} get networkpolicies`. [look] Check that the firewall between the control plane and the nodes allows the target port, and that no mesh sidecar of the Pod intercepts it. [end] If no webhook of the cluster can be reached, the control plane may have no routes to the Pod network: add these routes, or run the webhook with `hostNetwork: true`.',
    noRemedy: 'in-the-network',
    messages: {
      all: {
        sharedCause: true,
        text: 'Connections from the control plane to {replicas} fail, but succeed inside the Pods: {detail}',
      },
      noRoute: {
        sharedCause: true,
        text: 'Connections from the control plane to {replicas} fail, but succeed inside the Pods: {detail}',
        advice:
          '[look] Read the firewall rules on the nodes (`firewall-cmd --list-all`, `nft list ruleset`): a rule that rejects packets causes this error. [end] Allow the target port and the Pod network, or stop `firewalld`. [look] Some network plugins reject what a NetworkPolicy denies: `kubectl -n {namespace} get networkpolicies`. [end] If no webhook of the cluster can be reached, the control plane may have no routes to the Pod network: add these routes, or run the webhook with `hostNetwork: true`.',
      },
      some: partial(
        'Connections from the control plane to {replicas} fail ({bad} of {total} Pods), but succeed inside the Pods: {detail}',
      ),
      clusterIp: {
        sharedCause: true,
        text: 'Every replica responds to the control plane at its own address, but the connection to the Service address fails: {detail}',
        advice:
          '[look] Check that kube-proxy, or its replacement, runs on the control plane nodes: `kubectl -n kube-system get pods -o wide`. [end] If kube-proxy runs, disable the checksum offload of the overlay there: `ethtool -K flannel.1 tx-checksum-ip-generic off` (the device of your network plugin).',
      },
      clusterIpAlone: {
        text: 'The control plane reaches every replica, and calls Service {other}, but cannot connect to the address of Service {service}: {detail}',
        advice:
          '[look] Check that kube-proxy, or its replacement, runs on the control plane nodes: `kubectl -n kube-system get pods -o wide`. [end] If kube-proxy runs, restart it, so that it writes the rules of this Service again: `kubectl -n kube-system rollout restart daemonset/kube-proxy` (or its replacement). [end] If calls then still fail, disable the checksum offload of the overlay there: `ethtool -K flannel.1 tx-checksum-ip-generic off` (the device of your network plugin).',
      },
      dryRun: 'Every replica responds, but a call by the API server itself fails: {detail}',
    },
    preventsReadiness: true,
    follows: [
      'network-plugin-failing',
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
  // Nothing connects from inside to a URL: url-unreachable reports it.
  subjects: (facts) => probedCallouts(facts).filter(isServiceBacked),
  run(callout, facts, find) {
    const found = failingServers(callout, facts, ({ callResult }) => callResult.link === 'network');
    if (found !== undefined) {
      const detail = withoutDialedAddress(found.data.detail);
      const hasNoRoute = found.extent === 'all' && detail.includes('no route to host');
      return find(hasNoRoute ? 'noRoute' : found.extent, { ...found.data, detail }, found.evidence);
    }
    const probes = probesAt(callout, facts);
    const end = probes && ownCallEnd(callout, probes);
    if (end?.outcome !== 'fails' || end.link !== 'network' || end.mayPassOnRetry) return undefined;
    const usable = usableEndpoints(callout, facts);
    const answering = usable.filter(isAnswering);
    // A Pod that fails is a sufficient cause.
    if (usable.length === 0 || answering.length < usable.length) return undefined;
    // If responses are slow for this program, they are slower for the API server.
    const times = responseTimes(callout, facts);
    const slow = slowAmong(times, callout.timeoutSeconds);
    if (end.kind === 'deadline' && times.length > 0 && slow.length === times.length) return undefined;
    const data = { detail: withoutDialedAddress(ownDetailOf(end)) };
    const evidence = [{ object: callout.ref, value: probes?.dialError ?? ownErrorOf(end) }];
    const byPod = answering.every(({ probe }) => probe?.proxy?.reached);
    const ofAddress = end.isTimeout || end.kind === 'no-route' || end.kind === 'network-unreachable';
    const confidence = end.inferred ? 'derived' : 'observed';
    if (!ofAddress || !byPod) return find('dryRun', data, evidence, confidence);
    const service = keyOf(callout.client.service);
    const other = calledServices(facts).find((one) => one !== service);
    return other === undefined
      ? find('clusterIp', data, evidence, confidence)
      : find('clusterIpAlone', { ...data, service, other }, evidence, confidence);
  },
});
