import { otherRow, textRow } from './row.ts';

/**
 * The URL of a request to kube-apiserver: in a Pod it has an address, or this name; other names count if the
 * path is one of the API. client-go uses this timeout for discovery. The URL of a probe of the kubelet is none.
 */
const apiServerUrl = String.raw`(?:\?timeout=32s|(?<!probe \w+: .{0,30})https:\/\/(?:(?:[\d.]+|\[[\da-f:]+\]|kubernetes\.default[\w.]*)(?::(?!23(?:79|80)\b)\d+)?\/(?!apis\/[^\s"/]+\/v\d\w*"?: )(?:apis?|version|healthz|livez|readyz)\b|(?![^\s"/]*\.svc[:/])[^\s"/]+\/(?:api\/v1\/(?:namespaces|nodes|pods|secrets|configmaps|services|endpoints|events|persistent)|apis\/[\w.-]+\/v\d\w*\/\w))).{0,300}`;

/** A connection to an address that is usually that of Service `kubernetes`: without a URL it can be another server. */
export const addressOfApiServer = textRow('api-server-unreachable', 'network', {
  // Service `kubernetes` has the first address of the Service range; a router or a registry can have one like it.
  pattern:
    /^(?!.*(?:webhook|admission|\bPost\b|\.svc\b|apis\/|\bpull(?:ing)?\b|\bimages?\b|\bregistry\b|\bremote[ _-]write\b))(?!.*https?:\/\/[^\s"/]*\/(?!api\b)).*\bdial tcp (?:10|100|172|192)(?:\.\d{1,3}){2}\.1:443: (?:connect: )?(?:i\/o timeout|connection refused|no route to host|connection timed out)/,
  says: 'dial tcp 10.96.0.1:443: i/o timeout',
  means:
    'A Pod cannot reach the Kubernetes API server: port 443 of an address that ends in `.1` is usually Service `kubernetes`. The usual reasons are the Pod network, kube-proxy on its node, a firewall of the nodes, or a NetworkPolicy for egress.',
  next: ['kubectl get nodes,pods -A -o wide', 'kubectl -n NAMESPACE get networkpolicies'],
});

/** Clients of the API server that cannot reach it, or do not find the kind of an object. */
export const apiClientTexts = [
  textRow('no-api-server-known', 'replica', {
    pattern:
      /(?:(?:localhost|127\.0\.0\.1|\[::1\]):8080\b|\bhttps?:\/\/localhost\/(?:apis?|version)\b).{0,200}(?:refused|did you specify the right host)|try setting KUBERNETES_MASTER|unable to load in-cluster configuration|serviceaccount\/(?:token|ca\.crt): [Nn]o such file/,
    says: 'Get "http://localhost:8080/api/v1/secrets": dial tcp 127.0.0.1:8080: connect: connection refused',
    means:
      'The process found no kubeconfig and no ServiceAccount token, so it has no address of the API server. It runs outside a Pod, or with `automountServiceAccountToken: false`.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('proxy-of-pod', 'network', {
    pattern:
      /^(?!.*(?:webhook|missing response)).*https:\/\/(?:[\d.]+|\[[\da-f:]+\]|kubernetes\.default\.svc)(?::\d+)?\/(?!apis\/[^\s"]*\?timeout=)[^\s"]*"?: (?:proxyconnect tcp|(?:[A-Z]\w+(?: \w+){1,3} )?(?:Forbidden|Bad Gateway|Service Unavailable|Gateway Time-?out|Proxy Authentication Required))/,
    says: 'Get "https://203.0.113.1:443/api/v1/nodes": Forbidden',
    means:
      'The process sends its calls to the API server through an HTTP proxy, which refuses them. `NO_PROXY` of this Pod must contain the Service range, the Pod range and the addresses of the API server.',
    next: ['kubectl -n NAMESPACE get deployment NAME -o yaml'],
  }),
  textRow('api-server-unreachable', 'network', {
    pattern: new RegExp(
      `(?:${apiServerUrl}|complete list of server APIs: \\S+: Get "?https://\\S+ .{0,200})(?:i/o timeout|connection refused|no route to host|network is unreachable|TLS handshake timeout|no such host|net/http: request canceled|context deadline exceeded|timed out|Timeout ?Exception|ConnectException|connect E[A-Z]{6,})|Max retries exceeded with url: /apis?/.{0,300}(?:refused|timed out|No route to host|Name or service not known)|(?:\\bKubernetesClientException\\b|\\bkube_client::|\\bHyperError\\b).{0,400}(?:ConnectException|SocketTimeoutException|connect timed out|tcp connect error|UnknownHostException)`,
    ),
    says: 'Failed to watch *v1.Secret: Get "https://203.0.113.1:443/api/v1/secrets": dial tcp 203.0.113.1:443: i/o timeout',
    means:
      'The client cannot reach the Kubernetes API server, or gets no response in time. In a Pod, the usual reasons are the Pod network, kube-proxy on its node, a firewall of the nodes, or a NetworkPolicy for egress.',
    next: ['kubectl get nodes,pods -A -o wide', 'kubectl -n NAMESPACE get networkpolicies'],
  }),
  addressOfApiServer,
  textRow('api-server-not-trusted', 'replica', {
    pattern: new RegExp(
      `${apiServerUrl}(?:x509: |PKIX path building failed)|certificate is valid for [^"]*\\bkubernetes\\.default\\b(?![^"]*, not [^"\\s]*\\.svc)|Max retries exceeded with url: /apis?/.{0,300}certificate verify failed|KubernetesClientException\\b.{0,800}PKIX path|Expected to load root CA config from .{1,200}x509: `,
    ),
    says: 'Failed to get API Group-Resources: Get "https://203.0.113.1:443/api?timeout=32s": x509: certificate signed by unknown authority',
    means:
      'The client does not trust the Kubernetes API server. The CA of its kubeconfig, or `ca.crt` next to its ServiceAccount token, is not the CA of this API server. Or the certificate is not valid for the address, or a clock is wrong.',
    next: ['kubectl -n NAMESPACE get configmap kube-root-ca.crt -o yaml'],
  }),
  textRow('name-not-resolved', 'network', {
    pattern:
      /^(?!.*\bpull(?:ing)? image\b).*https?:\/\/\S+ .{0,80}\blookup \S+.{0,120}: (?:no such host|server misbehaving|(?:.* )?(?:i\/o timeout|refused))/,
    says: 'Get "https://policy.shop.svc:9443/healthz": dial tcp: lookup policy.shop.svc on 203.0.113.10:53: read udp 198.51.100.7:39513->203.0.113.10:53: i/o timeout',
    means:
      'The process cannot resolve a host name. After a timeout or refusal, the DNS of the cluster does not respond to this Pod: CoreDNS, or the network to it, is down. "no such host" means that the name does not exist there.',
    next: ['kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide'],
  }),
  textRow('service-called-by-pod', 'network', {
    // The API server sends reviews with POST, and reads from extension API servers under /apis and /openapi.
    pattern:
      /^(?=.*webhook)(?!.*(?:missing response|failed (?:calling|to call))).*\bGet \\*"https?:\/\/[\w-]+\.[\w-]+\.svc\b[\w.-]*(?::\d+)?\/(?!apis?\b|openapi)[^\s"\\]*\\*": (?:dial tcp (?!lookup)|context deadline|net\/http: |read tcp |EOF)/,
    says: 'Failed to check endpoint: Get "https://policy-webhook.shop.svc:9443/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    means:
      'A program in a Pod called this Service, not the API server. The Service of its own Pods does not respond until one of them is Ready. The Pod network must also return packets to the Pod that sent them (hairpin mode). Otherwise the Pod network, kube-proxy or a NetworkPolicy drops or refuses them.',
    next: ['kubectl -n NAMESPACE get pods -o wide', 'kubectl -n NAMESPACE get networkpolicies'],
  }),
  otherRow('kind-not-served', 'registration', {
    pattern:
      /no matches for kind "?[\w]+"? in (?:version(?: "?(?<served>[a-z][\w-]*(?:\.[\w-]+)+\/v\w+)"?)?|group)|missing (?:a )?required CRDs?\b|customresourcedefinitions?\.apiextensions\.k8s\.io \\*"[\w.-]+\\*" not found|could not find the requested resource \(\w+ (?!\S*metrics\.k8s\.io\b)[\w.]+\.\w|\/apis\/[\w.-]+\/v\w+\/\w+\S*\. Message: (?:404|Not Found)/,
    says: 'if kind is a CRD, it should be installed before calling Start: no matches for kind "Tenant" in version "example.com/v1"',
    means:
      'The API server does not serve this kind, or the process does not support it. Its CRD or APIService is missing or of another release, or the APIService is not Available.',
    next: ['kubectl get crds,apiservices', 'kubectl api-versions'],
  }),
  otherRow('kind-not-served', 'registration', {
    pattern: /no kind is registered for the type|no kind "(?!\w+Review")\w+" is registered for version/,
    says: 'no kind "Tenant" is registered for version "example.com/v1" in scheme "pkg/runtime/scheme.go:100"',
    means:
      'The program that writes this does not support the kind or its version: program and object are of different releases. If it is the API server, the CRD or APIService of the kind is missing or of another release.',
    next: ['kubectl get crds,apiservices', 'kubectl api-versions'],
  }),
  textRow('token-refused', 'replica', {
    // Without its context, the word can come from any server. The last one is of an extension API server.
    pattern:
      /[Ff]ailed to (?:list|watch)\b.{0,300}Unauthorized|error retrieving resource lock.{0,200}Unauthorized|the server has asked for the client to provide credentials|Unauthorized\b.{0,40}error getting secret|\bInternal Server Error: "?\/apis\/\S+: Unauthorized/,
    says: 'Failed to watch *v1.Namespace: Unauthorized',
    means:
      'The API server does not accept the token of the client, usually of a ServiceAccount: it expired, was revoked, or was issued by another cluster. In an error of a webhook call, the webhook server or a proxy requires credentials that the API server does not send.',
    next: ['kubectl -n NAMESPACE rollout restart deployment NAME'],
  }),
  textRow('cache-not-synced', 'replica', {
    // A user without a ServiceAccount is a kubelet, or a client that the API server does not authenticate.
    pattern:
      /^(?!.*forbidden: User \\*"system:(?!serviceaccount:)).*(?:(?<!^.{0,80}\bWaiting for )caches? to sync|failed waiting for .* Informer to sync|failed to (?:list|watch) \*)/i,
    says: 'failed to wait for policy caches to sync: timed out waiting for cache to be synced',
    means:
      'The process cannot list or watch objects that it needs. The usual reasons are a missing permission or CRD, a failing conversion webhook, or a stored object that the process cannot decode.',
    next: ['kubectl auth can-i list RESOURCE --as system:serviceaccount:NAMESPACE:NAME'],
  }),
];
