import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const firewallTargetPort = defineCheck({
  meta: {
    id: 'firewall-target-port',
    link: 'network',
    title: 'Packets from the control plane to the target port are lost',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'no-route': 2,
      'not-permitted': 2,
      'network-unreachable': 2,
      'handshake-timeout': 3,
      'connect-timeout': 1,
      deadline: 1,
      'timeout-504': 2,
    },
    why: "The process answers inside its Pod; what the control plane sends to the Pod's port gets no answer at all. A firewall between control plane and nodes has to let the targetPort through, not the Service's port: packets to a Pod carry the former. Private GKE clusters open 443 and 10250 only.",
    advice:
      "On the node of the API server run `curl -vk https://POD-ADDRESS:PORT`. If no connection comes about, open the target port from the control plane's addresses to the nodes in the firewall, security group or NetworkPolicy, or let the webhook serve on a port that is open (10250, 443). If the TLS handshake hangs, the port is open: reduce the MTU of the Pod network. If every port of Pods is silent, the control plane is not part of the Pod network: run the webhook with `hostNetwork: true`.",
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas}: answers inside its Pod, and nothing comes back from port {port} when the control plane asks ({bad} of {total} replicas)',
      some: {
        text: '{replicas}: answers inside its Pod, and nothing comes back from port {port} when the control plane asks; {bad} of {total} new connections get lost',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: ['network-policy-shields-webhook', 'packets-lost-by-node', 'replica-node-not-ready'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing((met) => lossOf(met) === 'dropped'),
});
