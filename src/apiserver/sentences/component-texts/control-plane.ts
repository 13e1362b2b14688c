import { otherRow } from './row.ts';

/** Calls of the control plane to nodes, and to other webhooks than those for admission. */
export const controlPlaneTexts = [
  otherRow('other-webhook', 'registration', {
    pattern:
      /Failed to make webhook (?:authenticator|authorizer) request: (?!.* is forbidden|the server could not find the requested resource)|audit plugin ['"]webhook['"]|\bimage ?policy ?webhook\b/i,
    says: 'Failed to make webhook authenticator request: Post "http://127.0.0.1:6440/v1/authenticate": dial tcp 127.0.0.1:6440: connect: connection refused',
    means:
      'This is not an admission webhook. Flags and files of kube-apiserver configure webhooks for authentication, authorization, audit and image policy. An extension API server calls kube-apiserver for authentication and authorization.',
    next: ['kubectl -n kube-system get pods -l component=kube-apiserver -o yaml'],
  }),
  otherRow('tunnel-without-agent', 'network', {
    pattern: /(?:error dialing backend: |\b[Ff]ailed to get a backend\b.*)No (?:agent|backend) available/,
    says: 'error upgrading connection: error dialing backend: No agent available',
    means:
      'No agent is connected to the konnectivity server, so the API server reaches no node and no Pod. `kubectl logs` and `exec` fail as well as webhooks.',
    next: ['kubectl -n kube-system get pods -l k8s-app=konnectivity-agent -o wide'],
  }),
  otherRow('tunnel-call-failed', 'network', {
    // The second one is of kube-apiserver (apiserver/pkg/server/egressselector).
    pattern: /\bSending HTTP\/1\.1 50\d response to \S+: |\berror dialing backend: proxy error from /,
    says: 'level=error msg="Sending HTTP/1.1 502 response to 127.0.0.1:39992: dial tcp 198.51.100.7:10250: connect: connection timed out"',
    means:
      'The API server connects to Pods and kubelets through a proxy, and this connection failed after it. The tunnel of the proxy to the nodes is down, or the Pod network or a NetworkPolicy drops the packets.',
    next: ['kubectl get nodes,pods -A -o wide'],
  }),
  otherRow('kubelet-unreachable', 'network', {
    pattern:
      /\berror dialing backend: |error upgrading connection: (?!.*container not found)|(?:[Ff]ailed to scrape node|unable to fetch metrics from (?:node|[Kk]ubelet)|:10250\/).{0,300}(?:deadline exceeded|timeout|refused|no route|remote error|x509: |\blookup )|\bkubelet\b.*TLS handshake error|certificate available for the kubelet/,
    says: 'error dialing backend: tls: failed to verify certificate: x509: certificate is valid for 192.0.2.10, not 192.0.2.11',
    means:
      'This is a call to a kubelet, for logs, exec or metrics, and not to a webhook. The kubelet does not respond, or a firewall or security group blocks port 10250. Or its serving certificate is not approved yet, is self-signed, or lacks the address of the node. Let the kubelets request signed ones (`serverTLSBootstrap`), or start metrics-server with `--kubelet-insecure-tls`. If metrics-server cannot resolve names of nodes, add `--kubelet-preferred-address-types=InternalIP`.',
    next: ['kubectl get nodes -o wide', 'kubectl get csr'],
  }),
  otherRow('configurations-unreadable', 'registration', {
    pattern:
      /[Uu]nable to refresh the [Ww]ebhook configuration|\bis forbidden: not yet ready to handle request/,
    says: 'Unable to refresh the Webhook configuration: the server was unable to return a response in the time allotted',
    means:
      'The API server cannot read its own list of webhook configurations, or has not read it yet after its start. If that continues, etcd or the API server itself is not healthy. No webhook is at fault.',
    next: ["kubectl get --raw '/readyz?verbose'"],
  }),
  otherRow('slow-webhook-trace', 'response', {
    pattern: /"?Call (?:validating|mutating) webhook"?/,
    says: 'Trace[1]: "Call validating webhook" configuration:policy,webhook:policy.example.com (total time: 4715ms)',
    means:
      'The API server logs a webhook call that took longer than half a second. The call itself succeeded unless another line says otherwise.',
  }),
  otherRow('packets-denied', 'network', {
    pattern:
      /\b[Pp]olicy denied\b.{0,40}\bDROPPED\b|\bpolicy-verdict:\S+ .{0,40}\bDENIED\b|\bdrop \(Policy denied\)/,
    says: '192.0.2.1:42494 (remote-node) <> shop/policy-7c9d5b6f4-x2x7k:9443 Policy denied DROPPED (TCP Flags: SYN)',
    means:
      'The network plugin dropped these packets, because no network policy allows them. Packets of the API server come from a node or from outside of the cluster, not from a Pod. Allow the port of the webhook for them.',
    next: ['kubectl -n NAMESPACE get networkpolicies -o yaml'],
  }),
];
