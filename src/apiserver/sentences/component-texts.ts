import type { CallErrorKind } from './call-error.ts';
import type { Symptom } from './cause-kind.ts';
import type { DenialReason } from './denial-reasons.ts';

/** Every text that a check can explain: the cause of a failed call, a rejection, or a text of a component. */
export type KnownText =
  | Symptom
  | CallErrorKind
  | ComponentTextKind
  | DenialReason['kind']
  | 'pod-refused'
  | 'heartbeat-refused'
  | 'several-backends'
  | 'call-cut'
  | 'policies-too-slow'
  | 'conversion-unserved';

/** The component that writes the text; `storage`: the API server, about an object that it does not store. */
export type TextClass =
  | 'call-failure'
  | 'denial'
  | 'conversion'
  | 'aggregated-api'
  | 'storage'
  | 'backend-log'
  | 'other';

/** A text of a backend, kubelet, controller, operator or Job that occurs when a webhook fails. */
interface TextOf<Kind extends string> {
  /** The subject of the text; several wordings of one subject are several texts. */
  readonly kind: Kind;
  readonly class: TextClass;
  readonly link:
    | 'registration'
    | 'routing'
    | 'backend'
    | 'replica'
    | 'tls'
    | 'response'
    | 'network'
    | 'ownership'
    | 'scope'
    | 'effect';
  /** Groups: the `webhook` in the text, or the `group` and `version` of an API. */
  readonly pattern: RegExp;
  /** An example as the component writes it. */
  readonly says: string;
  /** One or two sentences. */
  readonly means: string;
  /** Plain commands that show more, if no check does. */
  readonly next?: readonly string[];
}

/** From the log of a backend unless `class` is set. */
type Row = Omit<TextOf<string>, 'kind' | 'link' | 'class'> & { readonly class?: TextClass };
const row = <Kind extends string>(kind: Kind, link: TextOf<string>['link'], text: Row): TextOf<Kind> => ({
  kind,
  link,
  class: 'backend-log',
  ...text,
});

/** Log lines of a backend's TLS server: a TLS alert in them was sent by the client. */
const tlsServer = [
  row('client-rejects-certificate', 'tls', {
    pattern:
      /^(?!.*(?:https?:\/\/\S+: .*remote error|\betcd\b|\brejected connection\b)).*(?:\btls: |remote error: |\balert(?::|_| number \d+,)? ?|TLSV1_ALERT_|fatal alert: )(?:bad[ _]?cert\w*|unknown[ _]?ca\b|unknown[ _]?cert\w*|expired certificate|certificate[ _]?(?:expired|unknown)|unknown authority)/i,
    says: 'http: TLS handshake error from 192.0.2.1:46144: remote error: tls: bad certificate',
    means:
      'The client, usually the API server, rejects the certificate of this Pod: it does not match the caBundle, or its names or dates are wrong.',
    next: ['kubectl webhook cert-check'],
  }),
  row('server-without-certificate', 'tls', {
    pattern:
      /^(?!.*\bkubelet\b).*(?:tls: no certificates configured|no (?:serving )?certificate available|\bserver key missing\b)/i,
    says: 'http: TLS handshake error from 192.0.2.1:53616: tls: no certificates configured',
    means: 'The webhook server accepts connections, but has no serving certificate yet.',
  }),
  row('client-tls-version', 'tls', {
    pattern: /client offered only unsupported versions|TLS handshake error.*protocol version not supported/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: tls: client offered only unsupported versions: [303 302 301]',
    means:
      'The webhook server requires a newer TLS version than the client offers. An API server built for FIPS, or a proxy before it, may offer TLS 1.2 only.',
  }),
  row('no-common-cipher', 'tls', {
    pattern: /no cipher suite supported by both client and server/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: tls: no cipher suite supported by both client and server',
    means: 'The webhook server allows none of the cipher suites that the client offers.',
  }),
  row('client-certificate-missing', 'tls', {
    pattern: /tls: client didn't provide a certificate|tls: failed to verify client certificate/,
    says: "http: TLS handshake error from 192.0.2.1:42380: tls: client didn't provide a certificate",
    means:
      'The webhook server requires a client certificate. kube-apiserver presents one only if its AdmissionConfiguration names a kubeconfig for webhooks.',
  }),
  row('client-speaks-http', 'tls', {
    pattern:
      /client sent an HTTP request to an HTTPS server|TLS handshake error.*first record does not look like a TLS handshake/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: client sent an HTTP request to an HTTPS server',
    means:
      'A client sends plain HTTP to the port that serves TLS: a probe with scheme HTTP, a load balancer, or a mesh sidecar.',
    next: ['kubectl -n NAMESPACE describe pod POD'],
  }),
  row('request-header-unread', 'replica', {
    pattern:
      /missing content for (?:request header )?CA bundle|"extension-apiserver-authentication-reader"\s+not found/,
    says: 'key failed with : missing content for CA bundle "client-ca::kube-system::extension-apiserver-authentication::requestheader-client-ca-file"',
    means:
      'The extension API server has not read the requestheader CA yet. In the first seconds that is harmless. If it continues, its ServiceAccount lacks the Role `extension-apiserver-authentication-reader`, or kube-apiserver has no such CA.',
    next: [
      'kubectl -n kube-system get rolebindings',
      'kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml',
    ],
  }),
  row('client-not-authenticated', 'response', {
    pattern: /Unable to authenticate the request.*x509|x509: subject with cn=\S+ is not (?:in the )?allowed/,
    says: 'Unable to authenticate the request due to an error: x509: certificate signed by unknown authority',
    means:
      'The server rejects the certificate of its client. For an extension API server that is kube-apiserver. The requestheader CA or its allowed names changed after the server started, or the server was started with another CA.',
    next: ['kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml'],
  }),
  row('handshake-unfinished', 'network', {
    pattern: /TLS handshake error from .*i\/o timeout/,
    says: 'http: TLS handshake error from 192.0.2.1:11741: read tcp 198.51.100.7:9876->192.0.2.1:11741: i/o timeout',
    means:
      'The server waited for the rest of a TLS handshake. If the API server reports a timeout at the same time, large packets are lost between them: compare the MTU.',
  }),
  row('handshake-ended-by-client', 'network', {
    pattern: /TLS handshake error from .*(?:EOF|connection reset by peer|broken pipe)/,
    says: 'http: TLS handshake error from 192.0.2.1:36928: EOF',
    means:
      'A client closed the connection during the TLS handshake. This is harmless for TCP health checks. The API server closes the connection when the webhook timeout ends.',
    next: ['kubectl get nodes,pods -A -o wide'],
  }),
  row('kubeconfig-unreadable', 'tls', {
    class: 'other',
    // The text starts with a lower-case letter only in errors of kubectl itself.
    pattern:
      /^error: (?:tls: (?:failed to find any PEM data|private key)|unable to load root certificates|unable to read (?:client-cert|client-key|certificate-authority))|Unable to connect to (?:the )?server: |The connection to the server \S+ was refused/,
    says: 'Unable to connect to the server: x509: certificate signed by unknown authority',
    means:
      'This is an error of kubectl itself: it cannot load its kubeconfig, or cannot connect to the Kubernetes API server. No webhook is involved. Compare address and certificates of the kubeconfig with those of the API server.',
    next: ['kubectl config view --minify --raw'],
  }),
  row('key-pair-unreadable', 'tls', {
    pattern: /found a (?:certificate rather than a key|key rather than a certificate) in the PEM/,
    says: 'tls: found a certificate rather than a key in the PEM for the private key',
    means:
      'A program reads a certificate where it needs a private key: its two files are exchanged, or are the same. If an aggregated API returns this, it is `--proxy-client-key-file` of kube-apiserver.',
  }),
  row('key-pair-unreadable', 'tls', {
    pattern:
      /failed to find any PEM data in (?:certificate|key) input|private key (?:type )?does not match public key|(?:could not|failed to|unable to) (?:load|parse|read) (?:the )?(?:TLS |x509 )?key ?pair/i,
    says: 'Could not load TLS keypair: tls: failed to find any PEM data in certificate input',
    means:
      'The process cannot load its certificate: `tls.crt` or `tls.key` is empty or damaged, or they do not match. In a client, it is the client certificate of its kubeconfig.',
  }),
  row('certificate-file-missing', 'replica', {
    pattern:
      /^(?!.*(?:\bexec: |serviceaccount\/ca\.crt)).*(?:open|stat) \S*(?:\.crt|\.key|\.pem|\.cert)\S*: no such file or directory/,
    says: 'open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory',
    means:
      'The webhook server does not find its certificate file: the Secret does not exist, has no such key, or is not mounted at that path.',
  }),
  row('own-authority-expired', 'tls', {
    pattern: /\bCA (?:certificate )?(?:has|is) expired\b|\bca cert(?:ificate)? (?:has|is) expired\b/i,
    says: 'Failed to generate serving certificate, retrying...: CA certificate has expired, try again later',
    means:
      'The CA with which the process signs its serving certificate has expired. Renew it where it is created, and update the caBundle. Delete its Secret only if a program creates a missing one again.',
    next: ['kubectl -n NAMESPACE get secrets'],
  }),
  row('own-certificate-rejected', 'tls', {
    // git and wget write the first wording about the certificate of another server.
    pattern:
      /^(?!.*(?:https?:\/\/|\bserver certificate|CAfile)).*(?:\bcertificate (?:verification|validation) failed\b|\b(?:unable|failed) to validate (?:the )?(?:\w+ )?cert(?:ificate)?s?\b|\binvalid certs?\b.{0,20}\bretrying\b|\bcert(?:ificate)? (?:is )?not active\b|\bthe certificate is invalid: )/i,
    says: 'Certificate verification failed, rotating the certificate',
    means:
      'A process checks a certificate that it serves or issues, and does not accept it: it is not valid, or its CA is another one. Such processes write a new one. If this repeats, another writer overwrites the Secret or the CA, such as a GitOps tool.',
    next: ['kubectl -n NAMESPACE get secret SECRET -o yaml --show-managed-fields'],
  }),
  row('certificate-argument-missing', 'replica', {
    pattern:
      /\bTLS (?:certificate|private key|key) file is not set\b|\b(?:cert|certificate|tls|key)[ -]file (?:must be|is not) (?:set|specified|provided)\b/i,
    says: 'TLS certificate file is not set',
    means:
      'The webhook server is started without the path of its certificate or key: an argument of the container is missing.',
    next: ['kubectl -n NAMESPACE edit deployment/NAME'],
  }),
];

/** Logs of backends, and Events of their Pods. */
const backend = [
  row('port-in-use', 'replica', {
    pattern: /bind: address already in use/,
    says: 'listen tcp :10250: bind: address already in use',
    means:
      'Another process uses the port. With `hostNetwork: true` it can be any process on the node. The kubelet uses 10250.',
  }),
  row('response-not-received', 'response', {
    // The port of this end is a server's, and the other one is ephemeral.
    pattern:
      /write tcp \S+:(?:\d{1,4}|[12]\d{4})->\S+:(?:3[3-9]\d{3}|[4-6]\d{4}): (?:write: (?:broken pipe|connection reset by peer)|i\/o timeout)/,
    says: 'write tcp 198.51.100.7:9443->192.0.2.1:41059: write: broken pipe',
    means:
      'A server sends a response to a client that has closed the connection. For a webhook, the API server has usually stopped waiting: the response took longer than timeoutSeconds.',
    next: ['kubectl webhook doctor'],
  }),
  row('service-variable', 'replica', {
    pattern: /\bparsing \\?"tcp:\/\/[\d.:[\]a-f]+\\?": invalid syntax|\binvalid \w+ value: ['"]?tcp:\/\/\d/,
    says: 'panic: failed to convert the environment variable "WEBHOOK_PORT": strconv.Atoi: parsing "tcp://198.51.100.7:9090": invalid syntax',
    means:
      'The process exits, because it reads a variable such as `WEBHOOK_PORT` as a number. Kubernetes sets it to `tcp://…` if the namespace has a Service `webhook`. Set `enableServiceLinks: false` in the Pod, or rename the Service.',
    next: ['kubectl -n NAMESPACE get services'],
  }),
  row('handler-panic', 'response', {
    pattern:
      /http2?: panic serving|Observed a panic|unhandled panic|^panic: |runtime error: (?:invalid memory address|index out of range|slice bounds)|panic: runtime error|admission\/http\.go/,
    says: 'http: panic serving 198.51.100.7:14914: runtime error: invalid memory address or nil pointer dereference',
    means:
      'The process that logged this panicked. If it is a webhook server that handles a request, the API server reports EOF for that call.',
    next: ['kubectl -n NAMESPACE logs POD --previous'],
  }),
  row('out-of-memory', 'replica', {
    pattern: /\bOOM ?Killed\b|exit code:? ?137\b|Memory cgroup out of memory/i,
    says: 'Reason: OOMKilled  Exit Code: 137',
    means: 'The kernel killed the container because it exceeded its memory limit.',
  }),
  row('crash-loop', 'replica', {
    pattern: /Back-off restarting failed container|CrashLoopBackOff/,
    says: 'Back-off restarting failed container webhook in pod policy-7c9d5b6f4-x2x7k',
    means:
      'The container is crash-looping: it exits after each start, and the kubelet waits longer before each restart.',
  }),
  row('image-pull', 'replica', {
    pattern:
      /ErrImage(?:Never)?Pull|ImagePullBackOff|[Ff]ailed to (?:pull|inspect|get(?: sandbox)?) image\b|not present with pull policy of Never/,
    says: 'Failed to pull image "example.com/policy:2": not found',
    means: 'The kubelet cannot pull the image, so the container does not start.',
  }),
  row('secret-incomplete', 'tls', {
    pattern:
      /secret "?[\w./-]+"? is missing "?[\w.-]+"? key|secret is not well-formed|missing ca\.crt|references non-existent secret key|couldn't find key \S+ in Secret|\bkey "?[\w.-]+"? (?:needs|has) to exist in secret\b|\bsecret,? .{0,60}(?:did not|does not|doesn't) (?:contain|have) .{0,40}\bkey\b/i,
    says: 'secret "webhook-certs" is missing "ca-cert.pem" key',
    means:
      'The Secret exists, but lacks a key that a Pod or a component needs. The component that writes the Secret has not added the key yet.',
    next: ['kubectl -n NAMESPACE describe secret SECRET'],
  }),
  row('volume-not-mounted', 'replica', {
    pattern:
      /MountVolume\.Set[Uu]p failed|Unable to attach or mount volumes|\b(?:secret|configmap)s? "?(?!extension-apiserver-authentication)[\w./-]+"? not found|\bno secret with '[\w.-]+' in '/i,
    says: 'MountVolume.SetUp failed for volume "certificates": secret "policy-tls" not found',
    means:
      'The Secret or ConfigMap does not exist, or its volume cannot be mounted. A Pod that mounts it waits, which is normal in the first seconds of an installation. A component that reads it cannot continue.',
  }),
  row('container-config', 'replica', {
    pattern:
      /CreateContainerConfigError|CreateContainerError|RunContainerError|container has runAsNonRoot and /,
    says: 'Error: CreateContainerConfigError',
    means:
      'The kubelet cannot create the container from its Pod spec. A key that it refers to is missing, or `runAsNonRoot` requires a numeric user other than root.',
  }),
  row('webhook-server-not-started', 'replica', {
    pattern:
      /webhook server (?:has not been started|is not (?:reachable|ready))|webhook (?:deployment is not ready|server can't be reached) yet|\bwebhook\b.{0,120}https:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d+.{0,100}refused/,
    says: 'healthz check failed: webhook server is not reachable: dial tcp :9443: connect: connection refused',
    means:
      'The webhook server of this process does not listen (yet). It still starts, waits for its certificate or for leadership, or failed for a reason that the log names before this line.',
    next: ['kubectl -n NAMESPACE logs POD'],
  }),
  row('webhook-not-ready-in-time', 'backend', {
    pattern:
      /\bwebhook[\w-]*" exceeded its progress deadline|^(?!.*\b(?:git\w*|bitbucket|slack|deliver\w*)\b).*\bwait(?:ed|ing)?\b.{0,80}\bwebhooks?\b.{0,160}(?:deadline exceeded|timed out|(?<!\?)timeout)|^(?!.*\b(?:git\w*|bitbucket|slack|deliver\w*)\b).*(?:deadline exceeded|timed out|timeout) .{0,40}\bwaiting\b.{0,60}\bwebhooks?\b|\bwebhook\b.{0,40}\bnot (?:yet )?(?:ready|available|accessible|reachable)(?: yet)?(?:: .{0,40}(?:deadline exceeded|timed out)| (?:after|within) \d)|\b(?:hook|job) [\w ./-]*\bstartupapicheck\b[\w ./-]* failed/i,
    says: 'error waiting for webhook to be ready: context deadline exceeded',
    means:
      'A program waited for the webhook until its own time limit. The text does not name the reason: examine the Pods of the webhook, then its certificate, then the network.',
  }),
  row('other-job-failed', 'effect', {
    class: 'other',
    pattern:
      /\b(?:pre|post)-(?:install|upgrade|delete|rollback)\b.{0,100}\bjobs? (?![\w.-]*(?:admission|webhook|cert|tls|ssl|secret|patch))[\w.-]+ failed: (?:Backoff|Deadline)/,
    says: 'failed pre-upgrade: 1 error occurred: * job database-migrate failed: BackoffLimitExceeded',
    means:
      'A hook Job of the chart failed, and its name does not point at a webhook. The log and the Events of its Pod have the reason.',
    next: ['kubectl -n NAMESPACE describe job JOB', 'kubectl -n NAMESPACE logs job/JOB'],
  }),
  row('hook-job-failed', 'tls', {
    class: 'other',
    pattern:
      /\b[Jj]ob failed: (?:Backoff|Deadline)|failed (?:pre|post)-(?:install|upgrade|delete|rollback): .{0,100}(?:BackoffLimitExceeded|DeadlineExceeded|timed out waiting)|(?:pre|post)-(?:install|upgrade|delete|rollback)(?: hooks)? failed: .{0,100}(?:BackoffLimitExceeded|DeadlineExceeded|timed out waiting)|\b[\w.-]*(?:admission|webhook|cert-?gen)[\w.-]*\b.{0,80}(?:BackoffLimitExceeded|DeadlineExceeded)|(?:BackoffLimitExceeded|DeadlineExceeded).{0,80}\b[\w.-]*(?:admission|webhook|cert-?gen)/,
    says: 'failed pre-install: 1 error occurred: * job policy-admission-create failed: BackoffLimitExceeded',
    means:
      'A hook Job of the chart failed. Charts with webhooks run such Jobs to create the serving certificate and to write the caBundle. The log and the Events of its Pod have the reason.',
    next: ['kubectl -n NAMESPACE describe job JOB', 'kubectl -n NAMESPACE logs job/JOB'],
  }),
  row('readiness-probe', 'replica', {
    pattern: /(?:Readiness|Liveness|Startup) probe (?:failed|errored)/,
    says: 'Readiness probe failed: Get "http://198.51.100.7:8081/readyz": dial tcp 198.51.100.7:8081: connect: connection refused',
    means:
      'The readiness probe of the Pod fails. A Pod that is not ready receives no requests from the Service.',
  }),
  row('unschedulable', 'replica', {
    // The binding is refused only after the scheduler has found a node.
    pattern: /\d+\/\d+ nodes are available|FailedScheduling(?!.*\b(?:Bind plugin|[Bb]inding rejected)\b)/,
    says: '0/3 nodes are available: 3 Insufficient memory.',
    means: 'The scheduler finds no node for the Pod.',
  }),
  row('aggregation-not-configured', 'registration', {
    pattern:
      /doesn't provide requestheader-client-ca-file|request-?header client certificate authentication won't work|configmaps "extension-apiserver-authentication" not found|User "system:anonymous" cannot \w+ (?:\w+\.|resource .{0,40}API group "|path "\/apis\/)[\w.]*\bmetrics\.k8s\.io\b/i,
    says: "Cluster doesn't provide requestheader-client-ca-file in configmap/extension-apiserver-authentication in kube-system",
    means:
      'kube-apiserver runs without the flags of the aggregation layer, `--requestheader-*` and `--proxy-client-*`. The backend cannot identify the client and returns 401 or 403. With `system:anonymous`, the client may also have sent no credentials.',
    next: ['kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml'],
  }),
  row('conversion-refused', 'response', {
    pattern:
      /\bconversion-webhook\b.{0,200}failed to convert|failed to convert to v\d\w*: |conversion not supported for type \[kind=/,
    says: 'conversion-webhook: failed to convert: failed to convert to v1: field "size" has the wrong type',
    means:
      'The conversion webhook cannot convert a stored object, or does not support a version that the CRD serves. Every list that must convert this object fails, and the garbage collector may stop for the whole cluster.',
    next: ['kubectl get --raw /apis/GROUP/VERSION/RESOURCE'],
  }),
  row('lease-not-stored', 'replica', {
    pattern: /\b(?:lock|lease|leader election record)\b.{0,200}\betcdserver: /i,
    says: 'Failed to update lock: etcdserver: request timed out',
    means:
      'The API server could not store the Lease, because etcd did not respond in time. A process that cannot renew its Lease exits and starts again. Examine etcd first: its disks, its network and the number of its members.',
    next: ['kubectl get --raw "/readyz?verbose"'],
  }),
  row('lease-not-held', 'replica', {
    pattern:
      /failed to (?:renew|update|acquire) (?:lease|lock)\b|leader election lost|has stopped leading|error (?:initially creating|retrieving) (?:leader election record|resource lock)|attempting to acquire leader lease|error retrieving resource lock|lock is held by|Webhook leader elected|Not the leader\b|Trying to become the leader|Found existing lock\b/i,
    says: 'failed to renew lease policy/policy-leader: timed out waiting for the condition',
    means:
      'The process is not the leader, or lost the Lease. If the webhook or its certificates depend on leadership, this Pod does not serve. A lock in a ConfigMap belongs to its Pod until that Pod is deleted.',
    next: ['kubectl -n NAMESPACE get leases,configmaps'],
  }),
  row('no-conversion-webhook', 'registration', {
    class: 'conversion',
    pattern:
      /(?:list|watch)\b.*(?:\.\w+List\.Items: .*(?:Read\w+: expect|readObjectStart)|json: cannot unmarshal \w+ into Go struct field \w*\.?items\.)/,
    says: 'Failed to list *v1beta2.Widget: v1beta2.WidgetList.Items: []v1beta2.Widget: v1beta2.Widget.Spec: v1beta2.WidgetSpec.Tags: ReadArrayCB: expect [ or n, but found {',
    means:
      'A client cannot decode objects of this resource: they have the structure of another version. With conversion strategy `None`, the API server only changes their `apiVersion`. Either the CRD lacks the conversion webhook, or the client is of another release than the CRD.',
    next: ['kubectl get crd NAME -o yaml'],
  }),
  row('cache-not-synced', 'replica', {
    pattern: /caches? to sync|failed waiting for .* Informer to sync|failed to (?:list|watch) \*/i,
    says: 'failed to wait for policy caches to sync: timed out waiting for cache to be synced',
    means:
      'The process cannot list or watch objects that it needs. The usual reasons are a missing permission or CRD, a failing conversion webhook, or a stored object that the process cannot decode.',
    next: ['kubectl auth can-i list RESOURCE --as system:serviceaccount:NAMESPACE:NAME'],
  }),
  row('configuration-not-found', 'registration', {
    pattern:
      /^(?!.*(?:https?:\/\/|\b(?:git\w*|bitbucket)\b)).*(?:failed|unable|could not|cannot|error) (?:to )?(?:register|registering|create|creating|install|deploy|reconcile)(?:ing)? (?:the )?(?:(?:admission|mutating|validating|conversion) )*webhooks?\b(?! (?:cert|secret|server|service))/i,
    says: 'setup "msg"="failed to register webhook" "reason"="pod is not assigned to any node yet"',
    means:
      'The program cannot register its webhooks. This log line or an earlier one contains the reason. Until then, the API server does not call them.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  }),
  row('pods-not-created', 'backend', {
    class: 'denial',
    pattern:
      /\bpods "[^"]*" is forbidden: .*(?:exceeded quota:|failed quota:|(?:maximum|minimum) [\w./-]+ usage per|max limit to request ratio per)|\binsufficient quota to match these scopes: /,
    says: 'Error creating: pods "policy-7c9d5b6f4-" is forbidden: exceeded quota: none, requested: pods=1',
    means:
      'The API server itself refuses the Pod because of a ResourceQuota (`quota`) or a LimitRange (`usage per`). The quota is used up, or the requests or limits of a container are missing or outside the range. It can be a container that a webhook adds. With `scopes`, no quota of the namespace allows its PriorityClass.',
    next: ['kubectl -n NAMESPACE describe resourcequota,limitrange'],
  }),
  row('pods-not-created', 'backend', {
    class: 'denial',
    pattern: /\bviolates PodSecurity "/,
    says: 'pods "policy-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    means:
      'The API server refuses the Pod because of Pod Security admission, and no webhook is involved. The label `pod-security.kubernetes.io/enforce` of the namespace, or the configuration of kube-apiserver, sets the level.',
    next: ['kubectl get namespace NAMESPACE --show-labels'],
  }),
  row('pods-not-created', 'backend', {
    class: 'denial',
    pattern:
      /PodSecurityPolicy: unable to admit pod|unable to validate against any (?:pod security policy|security context constraint)/,
    says: 'pods "policy-" is forbidden: unable to validate against any security context constraint: []',
    means:
      'The API server refuses the Pod, and no webhook is involved. No PodSecurityPolicy or SecurityContextConstraints that the ServiceAccount may use allows this securityContext.',
    next: ['kubectl -n NAMESPACE describe replicaset'],
  }),
  row('pods-not-created', 'backend', {
    class: 'denial',
    pattern:
      /error looking up service account|serviceaccount "[\w.-]+" not found|no API token found for service account|no PriorityClass with name \S+ was found|integer value of priority .{0,20}must not be provided|RuntimeClass "[^"]*" not found/,
    says: 'pods "policy-" is forbidden: error looking up service account shop/policy: serviceaccount "policy" not found',
    means:
      'The API server refuses the Pod because its ServiceAccount, PriorityClass or RuntimeClass does not exist, or does not match its values. No webhook is involved.',
    next: ['kubectl get serviceaccounts,priorityclasses,runtimeclasses -A'],
  }),
  row('pods-not-created', 'backend', {
    class: 'denial',
    pattern: /\bpods "[^"]*" is forbidden: /,
    says: 'Error creating: pods "policy-7c9d5b6f4-" is forbidden: disallowed by cluster policy',
    means:
      'The API server itself refuses the Pod, and no webhook is involved. The text after "is forbidden" is the reason of a built-in admission plugin.',
    next: ['kubectl describe namespace NAMESPACE'],
  }),
  row('built-in-denial', 'effect', {
    class: 'other',
    pattern: /\bwould violate PodSecurity "/,
    says: 'Warning: would violate PodSecurity "restricted:latest": runAsNonRoot != true',
    means:
      'This is a warning of Pod Security admission, and no webhook is involved. The object is stored. Its Pods are refused if the namespace also enforces this level.',
    next: ['kubectl get namespace NAMESPACE --show-labels'],
  }),
  row('built-in-denial', 'effect', {
    class: 'denial',
    pattern:
      /\bforbidden: .*(?:exceeded quota:|failed quota:|(?:maximum|minimum) [\w./-]+ usage per|max limit to request ratio per)/,
    says: 'persistentvolumeclaims "data" is forbidden: exceeded quota: storage, requested: requests.storage=10Gi, used: requests.storage=90Gi, limited: requests.storage=95Gi',
    means:
      'The API server refuses the object because of a ResourceQuota (`quota`) or a LimitRange (`usage per`). No webhook is involved.',
    next: ['kubectl -n NAMESPACE describe resourcequota,limitrange'],
  }),
];

/**
 * The URL of a request to kube-apiserver: in a Pod it has an address, or this name; other names count if the
 * path is one of the API. client-go uses this timeout for discovery. The URL of a probe of the kubelet is none.
 */
const apiServerUrl = String.raw`(?:\?timeout=32s|(?<!probe \w+: .{0,30})https:\/\/(?:(?:[\d.]+|\[[\da-f:]+\]|kubernetes\.default[\w.]*)(?::(?!23(?:79|80)\b)\d+)?\/(?!apis\/[^\s"/]+\/v\d\w*"?: )(?:apis?|version|healthz|livez|readyz)\b|(?![^\s"/]*\.svc[:/])[^\s"/]+\/(?:api\/v1\/(?:namespaces|nodes|pods|secrets|configmaps|services|endpoints|events|persistent)|apis\/[\w.-]+\/v\d\w*\/\w))).{0,300}`;

/** Errors of any program that are caused by the cluster, the node or its own flags. */
const program = [
  row('packets-denied', 'network', {
    class: 'other',
    pattern:
      /\b[Pp]olicy denied\b.{0,40}\bDROPPED\b|\bpolicy-verdict:\S+ .{0,40}\bDENIED\b|\bdrop \(Policy denied\)/,
    says: '192.0.2.1:42494 (remote-node) <> shop/policy-7c9d5b6f4-x2x7k:9443 Policy denied DROPPED (TCP Flags: SYN)',
    means:
      'The network plugin dropped these packets, because no network policy allows them. Packets of the API server come from a node or from outside of the cluster, not from a Pod. Allow the port of the webhook for them.',
    next: ['kubectl -n NAMESPACE get networkpolicies -o yaml'],
  }),
  row('no-api-server-known', 'replica', {
    pattern:
      /(?:localhost|127\.0\.0\.1|\[::1\]):8080\b.{0,200}(?:refused|did you specify the right host)|try setting KUBERNETES_MASTER|unable to load in-cluster configuration|serviceaccount\/(?:token|ca\.crt): [Nn]o such file/,
    says: 'Get "http://localhost:8080/api/v1/secrets": dial tcp 127.0.0.1:8080: connect: connection refused',
    means:
      'The process found no kubeconfig and no ServiceAccount token, so it has no address of the API server. It runs outside a Pod, or with `automountServiceAccountToken: false`.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  row('proxy-of-pod', 'network', {
    pattern:
      /^(?!.*(?:webhook|missing response)).*https:\/\/(?:[\d.]+|\[[\da-f:]+\]|kubernetes\.default\.svc)(?::\d+)?\/(?!apis\/[^\s"]*\?timeout=)[^\s"]*"?: (?:proxyconnect tcp|(?:[A-Z]\w+(?: \w+){1,3} )?(?:Forbidden|Bad Gateway|Service Unavailable|Gateway Time-?out|Proxy Authentication Required))/,
    says: 'Get "https://203.0.113.1:443/api/v1/nodes": Forbidden',
    means:
      'The process sends its calls to the API server through an HTTP proxy, which refuses them. `NO_PROXY` of this Pod must contain the Service range, the Pod range and the addresses of the API server.',
    next: ['kubectl -n NAMESPACE get deployment NAME -o yaml'],
  }),
  row('program-missing', 'replica', {
    pattern:
      /\bexec(?:: .{0,200}|(?:utable)? \/\S+: )(?:no such file or directory|executable file not found)|exec format error|exec user process caused: |^(?:Error: |error: |panic: )?(?:unknown (?:shorthand )?flag:|flag provided but not defined|unrecognized (?:arguments|option|command)|unknown command )/,
    says: 'unable to start container process: exec: "/manager": stat /manager: no such file or directory',
    means:
      'The container cannot start its program. The image does not contain the program or does not support an argument, because image and manifest are of different releases. With "exec format error", the image is built for another processor architecture.',
    next: ['kubectl -n NAMESPACE get deployment NAME -o yaml', 'kubectl get nodes -L kubernetes.io/arch'],
  }),
  row('api-server-unreachable', 'network', {
    pattern: new RegExp(
      `${apiServerUrl}(?:i/o timeout|connection refused|no route to host|network is unreachable|TLS handshake timeout|no such host|net/http: request canceled|context deadline exceeded|timed out|Timeout ?Exception|ConnectException)|Max retries exceeded with url: /apis?/.{0,300}(?:refused|timed out|No route to host|Name or service not known)`,
    ),
    says: 'Failed to watch *v1.Secret: Get "https://203.0.113.1:443/api/v1/secrets": dial tcp 203.0.113.1:443: i/o timeout',
    means:
      'The client cannot reach the Kubernetes API server, or gets no response in time. In a Pod, the usual reasons are the Pod network, kube-proxy on its node, a firewall of the nodes, or a NetworkPolicy for egress.',
    next: ['kubectl get nodes,pods -A -o wide', 'kubectl -n NAMESPACE get networkpolicies'],
  }),
  row('api-server-not-trusted', 'replica', {
    pattern: new RegExp(
      `${apiServerUrl}(?:x509: |PKIX path building failed)|certificate is valid for [^"]*\\bkubernetes\\.default\\b(?![^"]*, not [^"\\s]*\\.svc)|Max retries exceeded with url: /apis?/.{0,300}certificate verify failed|KubernetesClientException\\b.{0,800}PKIX path`,
    ),
    says: 'Failed to get API Group-Resources: Get "https://203.0.113.1:443/api?timeout=32s": x509: certificate signed by unknown authority',
    means:
      'The client does not trust the Kubernetes API server. The CA of its kubeconfig, or `ca.crt` next to its ServiceAccount token, is not the CA of this API server. Or the certificate is not valid for the address, or a clock is wrong.',
    next: ['kubectl -n NAMESPACE get configmap kube-root-ca.crt -o yaml'],
  }),
  row('name-not-resolved', 'network', {
    pattern:
      /^(?!.*\bpull(?:ing)? image\b).*https?:\/\/\S+ .{0,80}\blookup \S+.{0,120}: (?:no such host|server misbehaving|(?:.* )?(?:i\/o timeout|refused))/,
    says: 'Get "https://policy.shop.svc:9443/healthz": dial tcp: lookup policy.shop.svc on 203.0.113.10:53: read udp 198.51.100.7:39513->203.0.113.10:53: i/o timeout',
    means:
      'The process cannot resolve a host name. After a timeout or refusal, the DNS of the cluster does not respond to this Pod: CoreDNS, or the network to it, is down. "no such host" means that the name does not exist there.',
    next: ['kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide'],
  }),
  row('kind-not-served', 'registration', {
    class: 'other',
    pattern:
      /no matches for kind "?[\w]+"? in (?:version(?: "(?<served>[a-z][\w-]*(?:\.[\w-]+)+\/v\w+)")?|group)|missing (?:a )?required CRDs?\b|customresourcedefinitions?\.apiextensions\.k8s\.io \\*"[\w.-]+\\*" not found|no kind is registered for the type|no kind "(?!\w+Review")\w+" is registered for version|could not find the requested resource \(\w+ (?!\S*metrics\.k8s\.io\b)[\w.]+\.\w|\/apis\/[\w.-]+\/v\w+\/\w+\S*\. Message: (?:404|Not Found)/,
    says: 'if kind is a CRD, it should be installed before calling Start: no matches for kind "Tenant" in version "example.com/v1"',
    means:
      'The API server does not serve this kind, or the process does not support it. Its CRD or APIService is missing or of another release, or the APIService is not Available.',
    next: ['kubectl get crds,apiservices', 'kubectl api-versions'],
  }),
  row('port-or-file-denied', 'replica', {
    pattern: /\b(?:open|mkdir|create|write)\b.{0,200}: read-only file system/,
    says: 'open /tmp/policy.log: read-only file system',
    means:
      'The process writes to a read-only filesystem: the root filesystem of its container (`readOnlyRootFilesystem: true`), or a mount. Mount an `emptyDir` at this path, or change the path.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  row('port-or-file-denied', 'replica', {
    pattern:
      /\b(?:bind|open|mkdir|create)\b.{0,200}: permission denied|too many open files|inotify_(?:init|add_watch)/,
    says: 'listen tcp :443: bind: permission denied',
    means:
      'The process has no permission to open a port below 1024 or a file: check its securityContext, user and mounts. It may also have reached a limit of the node for open files or inotify.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  row('token-refused', 'replica', {
    // Without its context, the word can come from any server. The last one is of an extension API server.
    pattern:
      /[Ff]ailed to (?:list|watch)\b.{0,300}Unauthorized|error retrieving resource lock.{0,200}Unauthorized|the server has asked for the client to provide credentials|Unauthorized\b.{0,40}error getting secret|\bInternal Server Error: "?\/apis\/\S+: Unauthorized/,
    says: 'Failed to watch *v1.Namespace: Unauthorized',
    means:
      'The API server does not accept the token of the client, usually of a ServiceAccount: it expired, was revoked, or was issued by another cluster. In an error of a webhook call, the webhook server or a proxy requires credentials that the API server does not send.',
    next: ['kubectl -n NAMESPACE rollout restart deployment NAME'],
  }),
];

/** Errors of the API server, its controllers and clients about objects. */
const cluster = [
  row('other-webhook', 'registration', {
    class: 'other',
    pattern:
      /Failed to make webhook (?:authenticator|authorizer) request: (?!.* is forbidden)|audit plugin ['"]webhook['"]|\bimage ?policy ?webhook\b/i,
    says: 'Failed to make webhook authenticator request: Post "http://127.0.0.1:6440/v1/authenticate": dial tcp 127.0.0.1:6440: connect: connection refused',
    means:
      'This is not an admission webhook. Flags and files of kube-apiserver configure webhooks for authentication, authorization, audit and image policy. An extension API server calls kube-apiserver for authentication and authorization.',
    next: ['kubectl -n kube-system get pods -l component=kube-apiserver -o yaml'],
  }),
  row('tunnel-without-agent', 'network', {
    class: 'other',
    pattern: /(?:error dialing backend: |\b[Ff]ailed to get a backend\b.*)No (?:agent|backend) available/,
    says: 'error upgrading connection: error dialing backend: No agent available',
    means:
      'No agent is connected to the konnectivity server, so the API server reaches no node and no Pod. `kubectl logs` and `exec` fail as well as webhooks.',
    next: ['kubectl -n kube-system get pods -l k8s-app=konnectivity-agent -o wide'],
  }),
  row('kubelet-unreachable', 'network', {
    class: 'other',
    pattern:
      /\berror dialing backend: |error upgrading connection: |(?:[Ff]ailed to scrape node|unable to fetch metrics from (?:node|kubelet)|:10250\/).{0,300}(?:deadline exceeded|timeout|refused|no route|remote error|x509: )|\bkubelet\b.*TLS handshake error|certificate available for the kubelet/,
    says: 'error dialing backend: tls: failed to verify certificate: x509: certificate is valid for 192.0.2.10, not 192.0.2.11',
    means:
      'This is a call to a kubelet, for logs, exec or metrics, and not to a webhook. The kubelet does not respond, or a firewall or security group blocks port 10250. Or its serving certificate is not approved yet, is self-signed, or lacks the address of the node. Let the kubelets request signed ones (`serverTLSBootstrap`), or start metrics-server with `--kubelet-insecure-tls`.',
    next: ['kubectl get nodes -o wide', 'kubectl get csr'],
  }),
  row('service-not-found', 'routing', {
    class: 'other',
    pattern: /\bservices "[a-z0-9.-]+" not found/,
    says: 'handler need-a-cert: services "policy" not found, requeuing',
    means:
      'A component looked for a Service that does not exist in that namespace. It may not exist yet, or was deleted.',
    next: ['kubectl get services -A'],
  }),
  row('stored-version-removed', 'registration', {
    class: 'storage',
    pattern:
      /status\.storedVersions\[\d+\]: Invalid value: |request to convert CR (?:from|to) an invalid group\/version/,
    says: 'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions',
    means:
      'The CRD does not list a version that `status.storedVersions`, a stored object or its `managedFields` still contain. Add the version with `served: false`, write every object once in the new version, then remove the old one from `status.storedVersions`.',
    next: ["kubectl get crd NAME -o jsonpath='{.status.storedVersions}'"],
  }),
  row('configurations-unreadable', 'registration', {
    class: 'other',
    pattern: /[Uu]nable to refresh the [Ww]ebhook configuration/,
    says: 'Unable to refresh the Webhook configuration: the server was unable to return a response in the time allotted',
    means:
      'The API server cannot read its own list of webhook configurations: etcd or the API server itself is not healthy. No webhook is at fault.',
    next: ["kubectl get --raw '/readyz?verbose'"],
  }),
  row('owned-by-another-release', 'ownership', {
    class: 'other',
    pattern:
      /(?:APIService|WebhookConfiguration|CustomResourceDefinition) "[^"]+" in namespace "[^"]*" exists and cannot be imported into the current release|existing resource conflict: .*kind: (?:APIService|\w+WebhookConfiguration|CustomResourceDefinition)\b|\b(?:apiservices|\w+webhookconfigurations|customresourcedefinitions)\.[\w.]+ "[^"]+" already exists|[Aa]dmission ?[Ww]ebhook\b.{0,80} is already registered\b/,
    says: 'APIService "v1beta1.external.metrics.k8s.io" in namespace "" exists and cannot be imported into the current release: invalid ownership metadata',
    means:
      'The object already exists: another release, product or tool created it. Two installations contain the same object, or an earlier one left it. Helm adopts no object of another owner.',
    next: ['helm list -A'],
  }),
  row('configuration-not-writable', 'registration', {
    pattern:
      /(?:mutating|validating)webhookconfigurations\.admissionregistration\.k8s\.io(?: \\*"[^"]*")? is forbidden: User \\*"system:serviceaccount:[^"]*" cannot (?:create|update|patch|delete)\b/,
    says: 'mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "system:serviceaccount:shop:policy" cannot create resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
    means:
      'The ServiceAccount is not permitted to write webhook configurations. The program that uses it cannot register its webhook, or cannot write the caBundle.',
  }),
  row('ca-not-injected', 'tls', {
    pattern:
      /ca cert not yet ready|could not find any ca data|\bca ?bundle (?:is (?:not (?:yet )?(?:injected|set)|empty|missing)|has not been)|(?:mutating|validating)webhookconfigurations(?:\.admissionregistration\.k8s\.io)?(?: \\?"[^"]*")? is forbidden(?!: cannot set blockOwnerDeletion|: User \\*"[^"]*" cannot (?:get|list|watch)\b)|could not refresh CA and server certs(?!.*object has been modified)|unable to inject cert to webhook|refusing to inject|unable to fetch (?:associated )?(?:certificate|secret)|(?<!Webhook not found\. )Unable to update certificate|failed (?:to )?patch(?:ing)? webhook|without having a TLS bundle|error (?:updating|injecting) (?:webhook|ca)/i,
    says: 'unable to inject CA: ca cert not yet ready',
    means:
      'The component that writes the caBundle cannot write it yet. The CA does not exist, its Secret does not allow direct injection, or the component cannot patch the configuration.',
  }),
  row('stored-ca-bundle-invalid', 'tls', {
    class: 'storage',
    pattern:
      /caBundle: Invalid value|caBundle.*unable to load root certificates|caBundle\): invalid type|(?:WebhookConfiguration|CustomResourceDefinition|APIService): .{0,200}illegal base64 data/i,
    says: 'The CustomResourceDefinition "widgets.example.com" is invalid: spec.conversion.webhookClientConfig.caBundle: Invalid value: unable to load root certificates: unable to parse bytes as PEM block',
    means:
      'The API server does not store the object: its caBundle is not base64 in one line, or contains no valid PEM certificate.',
  }),
  row('removed-api-version', 'registration', {
    class: 'storage',
    pattern: /webhooks\[\d+\]\.(?:sideEffects|admissionReviewVersions): (?:Required|Unsupported) value/,
    says: 'MutatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    means:
      'The configuration lacks fields that `admissionregistration.k8s.io/v1` requires, or has values that only v1beta1 allowed: `sideEffects`, `admissionReviewVersions`. The component needs a release that supports v1.',
  }),
  row('object-invalid', 'registration', {
    class: 'conversion',
    pattern: /failed to convert pruned object at version .*in input object/,
    says: 'failed to convert pruned object at version example.com/v1beta1: conversion webhook for example.com/v1, Kind=Widget returned invalid metadata: invalid metadata of type <nil> in input object',
    means:
      'The API server itself sends an object without metadata to the conversion webhook, after a server-side apply. An entry of `managedFields` names another version of the object. Apply the object in that version, or remove the entry.',
    next: ['kubectl get KIND NAME -o yaml --show-managed-fields'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern: /Required value: required when strategy is set to Webhook/,
    says: 'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    means:
      'The CRD has `strategy: Webhook` without the fields of the webhook. In `apiextensions.k8s.io/v1` they are in `spec.conversion.webhook`, and v1beta1 ignores them there. If the message ends with `feature is disabled`, this release of Kubernetes does not call conversion webhooks.',
    next: ['kubectl apply --dry-run=server -f FILE'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern: /webhook(?:ClientConfig)?: Forbidden: should not be set when strategy is not set to Webhook/,
    says: 'spec.conversion.strategy: Required value, spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
    means:
      'The CRD has fields of a conversion webhook, such as `caBundle`, without `strategy: Webhook`. They are in the manifest, or another field manager, such as a CA injector, still owns them. Remove them there. In the cluster, set `spec.conversion` to `strategy: None`, and delete the annotation of the injector.',
    next: ['kubectl get crd NAME -o yaml --show-managed-fields'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern: /"[^"]+" is invalid: metadata\.annotations: Too long\b/,
    says: 'The CustomResourceDefinition "widgets.example.com" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    means:
      'Client-side `kubectl apply` stores the whole manifest in an annotation, and this object is larger than an annotation may be. Use server-side apply, which stores no annotation.',
    next: ['kubectl apply --server-side -f FILE'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern:
      /etcdserver: request is too large|Request entity too large: limit is \d+|trying to send message larger than max/,
    says: 'Error from server: etcdserver: request is too large',
    means:
      'The object is larger than etcd or the API server accepts, with the fields that webhooks add. The default limit of etcd is 1.5 MiB. Make the object smaller: shorten the descriptions of a CRD, or split it.',
    next: ['kubectl get KIND NAME -o json | wc -c'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern: /exactly one of url or service is required/,
    says: 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    means:
      'The `clientConfig` would have both `url` and `service`, or neither. A patch or an apply keeps the one that the stored object has: set that field to null in the patch.',
    next: ['kubectl get KIND NAME -o yaml'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern:
      /\b(?:Deployment|DaemonSet|StatefulSet)\.apps "[^"]*(?:admission|webhook|cert|operator|controller|manager|inject)[^"]*" is invalid: spec\.selector: .*field is immutable/i,
    says: 'Deployment.apps "policy-webhook" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"policy"}}: field is immutable',
    means:
      'The new manifest changes the selector of a workload, which is immutable. Delete the workload, then apply the manifest again. Until its new Pods are Ready, calls to its webhooks fail.',
    next: ['kubectl -n NAMESPACE get deployments,statefulsets,daemonsets --show-labels'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern:
      /(?:(?:Validating|Mutating)WebhookConfiguration|CustomResourceDefinition|APIService)s?(?:\.[\w.]+)? "[^"]*" is invalid: |ValidationError\((?:(?:Validating|Mutating)WebhookConfiguration|CustomResourceDefinition|APIService)\b|cannot be handled as an? (?:\w+WebhookConfiguration|CustomResourceDefinition|APIService): |\bThe Job "[^"]*(?:admission|webhook|cert)[^"]*" is invalid: .*field is immutable|\bwebhooks\[\d+\]\.[\w.[\]]+: (?:Required|Invalid|Unsupported|Duplicate) value/i,
    says: 'The ValidatingWebhookConfiguration "policy" is invalid: webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds',
    means:
      'The API server does not store the object. The message names the field, its value and the requirement. If a field of a Job is immutable, delete the completed Job first.',
    next: ['kubectl apply --dry-run=server -f FILE'],
  }),
  row('object-invalid', 'registration', {
    class: 'storage',
    pattern:
      /^(?!.*(?:denied|Internal error occurr?ed|webhook response)).*\b(?:add|remove|replace|move|copy|test) operation does not apply: /,
    says: 'Error from server: jsonpatch replace operation does not apply: doc is missing key: /webhooks/0/clientConfig/caBundle',
    means:
      'A client sent a JSON patch that does not apply to the stored object: the path does not exist, or a `test` failed. `add` sets a field that may be absent, such as an empty caBundle. `replace` does not.',
    next: ['kubectl get KIND NAME -o yaml'],
  }),
  row('certificate-warning', 'tls', {
    class: 'other',
    pattern:
      /invalid-cert\.(?:webhook\.gke\.io|kubernetes\.io)|No subjectAltNames returned|insecure-sha1\.|missing-san\./,
    says: 'missing-san.invalid-cert.kubernetes.io/policy.shop.svc: server certificate has no subject alternative name',
    means:
      'The API server accepted the certificate of the backend, but a newer API server rejects it. It has no subject alternative name, or a SHA-1 signature.',
  }),
  row('object-not-encoded', 'registration', {
    class: 'call-failure',
    pattern:
      /Internal error occurred: no kind "(?!AdmissionReview"|ConversionReview")\w+" is registered for version/,
    says: 'Internal error occurred: no kind "DeploymentConfig" is registered for version "apps.openshift.io/" in scheme "pkg/runtime/scheme.go:101"',
    means:
      'The API server cannot encode this object for a webhook, so it calls no webhook. Rules with `*` match a resource or subresource whose kind has no such version. List the resources in the rules instead.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml'],
  }),
  row('no-conversion-webhook', 'registration', {
    class: 'conversion',
    pattern: /isn't configured for webhook conversion|unexpected crd conversion/,
    says: 'custom resource "widgets.example.com" isn\'t configured for webhook conversion',
    means:
      'A controller expects `spec.conversion.strategy: Webhook` in this CRD, but it is `None`. An older CRD was installed, or another writer replaced it.',
    next: ['kubectl get crd NAME -o yaml'],
  }),
  row('garbage-collector-waits', 'effect', {
    class: 'conversion',
    pattern:
      /garbage controller monitor not yet synced|unable to sync caches for garbage collector|waiting for dependency graph builder sync/,
    says: 'garbage controller monitor not yet synced: example.com/v1, Resource=widgets',
    means:
      'The garbage collector cannot list this resource, so it deletes nothing in the whole cluster. A failing conversion webhook or APIService is the usual reason.',
    next: ['kubectl get --raw /apis/GROUP/VERSION/RESOURCE'],
  }),
  row('removed-api-version', 'registration', {
    class: 'other',
    pattern:
      /no matches for kind "?\w+"? in version "?\[?(?:admissionregistration|apiextensions|apiregistration)\.k8s\.io\/v1|failed (?:getting|patching|to (?:register|create|get|update|patch)) (?:validating|mutating) (?:admission )?webhook.*could not find the requested resource|could not find the requested resource(?:.*failed (?:getting|patching) (?:validating|mutating) webhook| \(\w+ \w+\.(?:admissionregistration|apiextensions|apiregistration)\.k8s\.io\b)/i,
    says: 'no matches for kind "MutatingWebhookConfiguration" in version "admissionregistration.k8s.io/v1beta1"',
    means:
      'The component uses a version of an API that this release does not serve. Of `admissionregistration.k8s.io` and `apiextensions.k8s.io`, Kubernetes 1.22 removed v1beta1, and releases before 1.16 have no v1.',
    next: ['kubectl api-versions'],
  }),
  row('resource-not-found', 'registration', {
    class: 'other',
    pattern:
      /^(?!.*(?:webhook|https:\/\/|APIs: |\b(?:Pod|Node)Metrics: )).*the server could not find the requested resource(?! \(\w+ \S+\.)/,
    says: 'F0907 10:26:15.502685 11 main.go:208] the server could not find the requested resource',
    means:
      'This message alone has two possible causes. A program used an API version that this release does not serve, such as `admissionregistration.k8s.io/v1beta1`. Or a webhook server returned 404 for its path.',
    next: ['kubectl api-versions'],
  }),
  row('configuration-not-found', 'registration', {
    class: 'other',
    pattern:
      /(?:Mutating|Validating)WebhookConfiguration(?:s)?(?:\.admissionregistration\.k8s\.io)? "[^"]+" not found|Webhook not found|\bwebhook did not (?:validate|mutate)\b|(?:could not|failed to) (?:find|fetch|get) (?:the )?(?:mutating |validating )?webhook config/i,
    says: 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "policy" not found',
    means:
      'A component tried to read or change a webhook configuration that does not exist. It may not exist yet, or was deleted.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  }),
  row('not-authorized', 'replica', {
    class: 'other',
    // A name that a person has removed, or the reason of another authorizer than RBAC.
    pattern:
      /forbidden: +User "?(?:(?:<[^>"]*>|\*+|x{2,}|\[?redacted\]?)"? cannot [\w:-]+ resource|[^\s"]+"? cannot [\w:-]+ resource .{1,300}: \w+ authz: )/i,
    says: 'roles.rbac.authorization.k8s.io is forbidden: User "<redacted>" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "kube-system"',
    means:
      'The user or ServiceAccount is not permitted to make this request. Usually a Role or its binding is missing. A reason at the end of the text is of another authorizer, such as that of a provider which protects `kube-system`.',
    next: ['kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER'],
  }),
  row('grant-refused', 'registration', {
    class: 'other',
    pattern: /attempt(?:ing)? to grant .{1,2000}webhookconfigurations/,
    says: 'clusterroles.rbac.authorization.k8s.io "policy-admission" is forbidden: user "jane" is attempting to grant RBAC permissions not currently held: {APIGroups:["admissionregistration.k8s.io"], Resources:["mutatingwebhookconfigurations"], Verbs:["update"]}',
    means:
      'The API server does not let a user grant permissions that the user does not have, here for webhook configurations. Install the product as a user who may write them, or turn off its webhooks in its values.',
    next: ['kubectl auth can-i --list'],
  }),
  row('not-authorized', 'replica', {
    pattern:
      /(?:is )?forbidden: +User "?(?!system:(?!serviceaccount:))[^\s":]+:[^\s"]+"? cannot [\w:-]+ (?:resource|\S+ (?:at the cluster scope|in the namespace))|^(?=.*system:serviceaccount:).*attempt(?:ing)? to grant (?:extra privileges|RBAC permissions)|cannot set blockOwnerDeletion if /,
    says: 'leases.coordination.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "shop"',
    means:
      'The ServiceAccount is not permitted to make this request. Usually a Role or its binding is missing. A reason at the end of the text is of another authorizer, such as that of a provider which protects `kube-system`.',
    next: ['kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER'],
  }),
  row('owner-not-found', 'backend', {
    class: 'other',
    pattern: /OwnerRefInvalidNamespace|ownerRef \[.{1,400}\] does not exist in namespace/,
    says: 'reason="OwnerRefInvalidNamespace" message="ownerRef [example.com/v1/App, namespace: shop, name: policy, uid: 1] does not exist in namespace \\"shop\\""',
    means:
      'The object has an owner reference to an object that does not exist in its namespace, so the garbage collector deletes it. It also deletes a Deployment or Service of a webhook. Correct or remove `metadata.ownerReferences`.',
    next: ['kubectl get events -A --field-selector reason=OwnerRefInvalidNamespace'],
  }),
  row('namespace-terminating', 'backend', {
    class: 'other',
    pattern: /unable to create new content in namespace [\w-]+ because it is being terminated/,
    says: 'pods "policy-0" is forbidden: unable to create new content in namespace shop because it is being terminated',
    means: 'The namespace is being deleted: no object can be created in it, and no Pod of a webhook.',
    next: ['kubectl get namespace NAMESPACE -o yaml'],
  }),
  row('certificate-pending', 'tls', {
    class: 'other',
    pattern:
      /signed certificate did not appear|Referenced "(?:Cluster)?Issuer" not found|Issuing certificate as Secret does not exist|[Ww]aiting on certificate issuance|(?:unable to find|no) (?:valid |ready )?certificate ?requests?\b|\bcertificate ?request\b.{0,60}(?:denied|not (?:been )?approved)|\bcertificate\b.{0,80}waiting for approval/,
    says: 'Issuing certificate as Secret does not exist',
    means:
      'The certificate is requested, but not issued. The issuer is missing or not ready, the request is not approved, or this release does not support the signer.',
    next: ['kubectl get certificates,certificaterequests,issuers -A', 'kubectl get csr'],
  }),
  row('finalizers-remain', 'effect', {
    class: 'other',
    pattern: /content in the namespace has finalizers remaining/,
    says: 'Some content in the namespace has finalizers remaining: example.com/cleanup in 1 resource instances',
    means:
      'Objects in the namespace still have a finalizer. Its controller does not run, or cannot remove it, for example because a webhook denies the UPDATE.',
    next: ['kubectl get namespace NAMESPACE -o yaml'],
  }),
  row('namespace-discovery-failed', 'effect', {
    class: 'aggregated-api',
    pattern:
      /NamespaceDeletionDiscoveryFailure|Discovery failed for some groups|NamespaceDeletionContentFailure|NamespaceContentRemaining|ensuring all content is removed from this namespace/,
    says: 'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
    means:
      'The namespace stays in Terminating: an APIService is not available, or a webhook refuses the deletion of its objects.',
  }),
  row('apiservice-discovery-failed', 'network', {
    class: 'aggregated-api',
    pattern: /FailedDiscoveryCheck/,
    says: 'False (FailedDiscoveryCheck)',
    means:
      'The APIService is not Available: it has endpoints, but the API server gets no usable response from them. Its condition contains the full message. The availability check does not verify certificates before Kubernetes 1.36.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  row('apiservice-no-endpoint', 'backend', {
    class: 'aggregated-api',
    pattern: /\b(?:MissingEndpoints|EndpointsNotFound|EndpointsAccessError)\b/,
    says: 'False (MissingEndpoints)',
    means: 'The APIService is not Available: its Service has no ready endpoint.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  row('apiservice-not-found', 'routing', {
    class: 'aggregated-api',
    pattern: /\b(?:ServiceNotFound|ServicePortError|ServiceAccessError)\b/,
    says: 'False (ServiceNotFound)',
    means: 'The APIService is not Available: its Service, or the port that it names, does not exist.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  row('api-not-registered', 'registration', {
    class: 'aggregated-api',
    pattern:
      /no (?:custom|external) metrics API \([\w.]+\) registered|\b(?:Pod|Node)Metrics: the server could not find the requested resource|could not find the requested resource \(\w+ \S*metrics\.k8s\.io\b/,
    says: 'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    means:
      'No APIService registers this API, or discovery does not list it. A metrics adapter serves it only if its manifests include the APIService.',
    next: ['kubectl get apiservices'],
  }),
  row('api-empty', 'response', {
    class: 'aggregated-api',
    pattern: /[Gg]ot empty response for: /,
    says: "couldn't get resource list for external.metrics.k8s.io/v1beta1: Got empty response for: external.metrics.k8s.io/v1beta1",
    means:
      'The aggregated API works, but lists no resource, for example because the metrics adapter is empty. Old clients print this warning, newer clients do not. If the product was removed, delete the APIService.',
    next: ['kubectl get apiservices'],
  }),
  row('api-version-not-found', 'response', {
    class: 'aggregated-api',
    pattern:
      /unable to retrieve the complete list of server APIs: (?:\S+: (?!the server is currently)[^,]+, )*(?<group>[\w.-]+)\/(?<version>v\d\w*): the server could not find the requested resource/,
    says: 'unable to retrieve the complete list of server APIs: example.com/v1: the server could not find the requested resource',
    means:
      'Discovery lists a version of an API for which the API server returns 404. It was just added or removed, or API servers of two releases respond. Or an orphaned or restored APIService registers it, and its backend does not serve it.',
  }),
  row('openapi-not-served', 'response', {
    class: 'aggregated-api',
    pattern:
      /loading OpenAPI spec for [\\"]+(?<version>v\w+)\.(?<group>[\w.-]+)[\\"]+ failed with: OpenAPI spec does not exist/,
    says: 'loading OpenAPI spec for "v1beta1.custom.metrics.k8s.io" failed with: OpenAPI spec does not exist',
    means:
      'The extension API server responds, but publishes no OpenAPI document, and kube-apiserver requests it again and again. This is harmless: requests to the API work, and only `kubectl explain` does not describe it.',
    next: ['kubectl get apiservices'],
  }),
  row('api-unavailable', 'routing', {
    class: 'aggregated-api',
    pattern:
      /unable to retrieve the complete list of server APIs(?:: (?<groupVersion>[\w.-]+\/v\d\w*): )?|(?:loading OpenAPI spec for|Error updating APIService) [\\"]+(?<version>v\w+)\.(?<group>[\w.-]+).{1,300}(?:could not get list|Body: service unavailable)|stale GroupVersion discovery|the server is currently unable to handle the request(?: \([a-z]+ (?<resource>[^\s()]+\.[\w.:-]+))?|^error: Metrics API not available/m,
    says: 'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get nodes.metrics.k8s.io)',
    means:
      'An aggregated API returns 503, or kube-apiserver cannot read its discovery (`stale`). The column AVAILABLE of its APIService shows the reason. `ServiceNotFound`: the product was removed. `MissingEndpoints`: no Pod is ready. `FailedDiscoveryCheck`: the network, or the response. `True`: its certificate is not trusted or has expired, which the availability check does not verify before Kubernetes 1.36.',
    next: ['kubectl get apiservices'],
  }),
  row('metrics-not-fetched', 'response', {
    class: 'aggregated-api',
    pattern:
      /unable to fetch metrics from (?<metrics>external|custom|resource) metrics API: (?!the server could not find|no custom metrics API|an error on the server|.*is forbidden)/,
    says: 'unable to fetch metrics from external metrics API: the server was unable to return a response in the time allotted, but may still be processing the request (get s0-cron.external.metrics.k8s.io)',
    means:
      'A HorizontalPodAutoscaler gets an error from the backend of a metrics API. The backend runs, and the server from which it reads the metric does not respond or refuses the request.',
    next: ['kubectl get hpa -A', 'kubectl get apiservices'],
  }),
  row('broken-webhook-reported', 'backend', {
    class: 'other',
    pattern: /cluster has a broken webhook application|K8S_ADMISSION_WEBHOOK_UNAVAILABLE/,
    says: 'Cannot complete cluster master operations because the cluster has a broken webhook application.',
    means:
      'The provider of the cluster found a webhook that does not respond. Some providers do not upgrade the control plane until the webhook responds.',
  }),
  row('webhook-scope-reported', 'scope', {
    class: 'other',
    pattern:
      /K8S_ADMISSION_WEBHOOK_UNSAFE|intercepting system critical requests|Intercepting (?:resources in the [\w-]+ namespace|cluster-scoped system resources)|is problematic: webhook "(?<webhook>[^"]+)" .{1,300} might prevent worker nodes from properly joining/,
    says: 'ValidatingWebhookConfiguration "policy" is problematic: webhook "policy.example.com" with failurePolicy "Fail" and 30s timeout might prevent worker nodes from properly joining the shoot cluster',
    means:
      'The provider of the cluster warns of a webhook that matches requests of nodes or system components. Its calls may succeed now.',
  }),
  row('webhook-breadth-reported', 'scope', {
    class: 'other',
    pattern: /\bhas wildcards? in both APIGroups and Resources|webhooks?, that might prevent (?:stop|start)/i,
    says: "Webhook configuration 'policy': 'policy.example.com' Rule 1 has wildcard in both APIGroups and Resources.",
    means:
      'The provider does not stop or start the cluster while a rule of a webhook matches all resources of all groups. Nodes could not register without the webhook, and its Pods need nodes. List the resources in the rule.',
    next: ['kubectl webhook matrix'],
  }),
  row('webhook-overlap-reported', 'registration', {
    class: 'other',
    pattern: /\bIST0139\b|Webhook overlaps with others: \[/,
    says: 'Error [IST0139] (MutatingWebhookConfiguration injector) Webhook overlaps with others: [injector-2/sidecar.example.com]',
    means:
      'Two webhook configurations of one product match the same Pods, so both webhooks are called for each of them. An earlier installation or revision may have left one.',
    next: ['kubectl webhook list -o wide'],
  }),
  row('eviction-refused', 'effect', {
    class: 'other',
    pattern: /Cannot evict pod as it would violate the pod's disruption budget|\bblocked by pdb \S/,
    says: "Cannot evict pod as it would violate the pod's disruption budget.",
    means: 'The PodDisruptionBudget allows no eviction now. A drain waits until it allows one.',
  }),
  row('eviction-denied', 'effect', {
    class: 'denial',
    pattern: /\b[Dd]en(?:y|ied|ying)\b.{0,80}\bevict(?:ion|ing)\b|\beviction\b.{0,80}\b[Dd]enied\b/,
    says: 'Denying request for eviction of Pod kafka-0 in namespace kafka',
    means:
      'A webhook denies the eviction of a Pod, often by design, so that its operator moves the Pod. kubectl drain retries only a 429. Any other denial stops the drain, and an upgrade of the node fails or waits.',
    next: ['kubectl get pods -A --field-selector spec.nodeName=NODE'],
  }),
  row('apply-conflict', 'ownership', {
    class: 'other',
    pattern: /Apply failed with \d+ conflicts?: conflicts? with/,
    says: 'Apply failed with 1 conflict: conflict with "admissionsenforcer" using admissionregistration.k8s.io/v1: .webhooks[name="policy.example.com"].namespaceSelector',
    means: 'Another field manager owns the applied fields. Each manager overwrites the values of the other.',
    next: ['kubectl get KIND NAME -o yaml --show-managed-fields'],
  }),
  row('write-conflict', 'ownership', {
    class: 'other',
    pattern:
      /Operation cannot be fulfilled on (?:(?:mutating|validating)webhookconfigurations|customresourcedefinitions|apiservices|secrets)\b/,
    says: 'Operation cannot be fulfilled on mutatingwebhookconfigurations.admissionregistration.k8s.io "policy": the object has been modified; please apply your changes to the latest version and try again',
    means:
      'Another client changed the object between read and write. A single conflict is harmless, because controllers retry. Repeated conflicts mean that two writers overwrite each other.',
  }),
  row('slow-webhook-trace', 'response', {
    class: 'other',
    pattern: /"?Call (?:validating|mutating) webhook"?/,
    says: 'Trace[1]: "Call validating webhook" configuration:policy,webhook:policy.example.com (total time: 4715ms)',
    means:
      'The API server logs a webhook call that took longer than half a second. The call itself succeeded unless another line says otherwise.',
  }),
  row('policy-denial', 'effect', {
    class: 'denial',
    pattern:
      /[Pp]olicy ['"]?[^\s'"]+['"]? with binding ['"]?[^\s'"]+['"]? denied request|no params found for policy binding|\bdenied request: (?:JSON Patch|ApplyConfiguration): /,
    says: "ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: failed expression: …",
    means:
      'A ValidatingAdmissionPolicy or MutatingAdmissionPolicy denies the request. The API server evaluates it, and no webhook is involved. After `resulted in error` or `no params found`, the policy is at fault: its expression has an error, or its parameter object does not exist.',
    next: ['kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml'],
  }),
];

/** Matched in this order: texts of specific components first, then those that several components can write. */
const texts = [...tlsServer, ...cluster, ...program, ...backend];

/** The subject of a text that is not the error of a call, but occurs together with one. */
export type ComponentTextKind = (typeof texts)[number]['kind'];
/** A text of a component other than the error of a call. */
export type ComponentText = TextOf<ComponentTextKind>;
/** All of them, in the order in which they are matched. */
export const componentTexts: readonly ComponentText[] = texts;

/** The first known text of a component in a line, in which a logger may have escaped quotes. */
export function findComponentText(line: string): ComponentText | undefined {
  if (line === '') return undefined;
  const plain = line.replaceAll('\\"', '"');
  return componentTexts.find(({ pattern }) => pattern.test(plain));
}
