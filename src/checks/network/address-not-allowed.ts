import { reportFailing } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { defineCheck, partial } from '../check.ts';

export const addressNotAllowed = defineCheck({
  meta: {
    id: 'address-not-allowed',
    title: 'Control plane refuses to connect to Pod IPs',
    consequence: 'failing',
    why: 'The managed control plane rejects addresses outside its own network (Amazon EKS: `Address is not allowed`). With an overlay CNI, Pod IPs are such addresses, and no webhook in these Pods can be called.',
    advice:
      '[end] Run the webhook with `hostNetwork: true` and `dnsPolicy: ClusterFirstWithHostNet`, and on a port that is free on the nodes: `kubectl -n {namespace} edit {workload}`. [end] Or give its Pods addresses from the network of the control plane.',
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      all: 'The control plane refuses to connect to {replicas}: {detail}',
      some: partial(
        'The control plane refuses to connect to {replicas} ({bad} of {total} new connections): {detail}',
      ),
    },
    preventsReadiness: true,
    references: [
      'https://cert-manager.io/docs/installation/compatibility/#aws-eks',
      '/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing((endpoint) => lossOf(endpoint) === 'not-allowed'),
});
