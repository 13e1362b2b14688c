import { reportFailing } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { defineCheck, partial } from '../check.ts';

export const firewallTargetPort = defineCheck({
  meta: {
    id: 'firewall-target-port',
    title: 'Firewall may block the target port',
    consequence: 'failing',
    why: 'A firewall between control plane and nodes must allow the targetPort, not the Service port, because packets to a Pod have the targetPort. Private GKE clusters allow only 443 and 10250. Otherwise the process responds inside its Pod, and calls from the control plane time out.',
    advice:
      '[end] Allow the target port, TCP `{port}`, from the control plane to the nodes, in the firewall or the security group. [see] To read the node and the Pod address for the rule: `kubectl -n {namespace} get pod {pod} -o wide`. [end] Or let the webhook serve on a port that is allowed already (private GKE: 10250 or 443). [end] If the control plane has no route to any Pod, run the webhook with `hostNetwork: true` and `dnsPolicy: ClusterFirstWithHostNet`. [look] To test the connection, run `curl -vk https://{address}` on the node of the API server. [end] If the TLS handshake hangs there, reduce the MTU of the Pod network.',
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      all: 'Port {port} of {replicas} responds inside the Pod, but not to the control plane',
      some: partial(
        'Port {port} of {replicas} responds inside the Pod, but not to the control plane ({bad} of {total} new connections time out)',
      ),
    },
    preventsReadiness: true,
    follows: [
      'address-not-allowed',
      'network-plugin-failing',
      'network-policy-shields-webhook',
      'packets-lost-by-node',
      'replica-node-not-ready',
    ],
    references: [
      'https://cert-manager.io/docs/installation/compatibility/#gke',
      'https://cert-manager.io/docs/installation/compatibility/#aws-eks',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing((endpoint) => lossOf(endpoint) === 'dropped'),
});
