import { otherRow, textRow } from './row.ts';

/** Processes of backends and Jobs, and Events of their Pods. */
export const processTexts = [
  textRow('program-missing', 'replica', {
    pattern:
      /\bexec(?:: .{0,200}|(?:utable)? \/\S+: )(?:no such file or directory|executable file not found)|exec format error|exec user process caused: |\bflag provided but not defined: -|^(?:Error: |error: |panic: )?(?:unknown (?:shorthand )?flag:|unrecognized (?:arguments|option|command)|unknown command )|\brequired env(?:ironment)? var(?:iable)?\b|\benv(?:ironment)? var(?:iable)?s? \S{1,80} (?:is|was|must|has)(?: not|n't| to)? (?:be )?(?:set|required|missing|defined)\b/,
    says: 'unable to start container process: exec: "/manager": stat /manager: no such file or directory',
    means:
      'The container cannot start its program. The image lacks the program, does not support an argument, or requires a variable that is not set: image and manifest are of different releases. With "exec format error", the image is built for another processor architecture.',
    next: ['kubectl -n NAMESPACE get deployment NAME -o yaml', 'kubectl get nodes -L kubernetes.io/arch'],
  }),
  textRow('socket-missing', 'replica', {
    // The API server itself connects to the socket of its Konnectivity server. The kubelet and a network plugin connect to
    // sockets of the node, before a process of the Pod starts. A probe may use a socket, too.
    pattern:
      /^(?!.*(?:calling webhook|conversion webhook for|error trying to reach|proxy error from|konnectivity|\bsandbox\b|\bplugin type=|\bprobe (?:failed|errored)|\bMountVolume\b|\/(?:containerd|crio|docker|cri-dockerd|dockershim|kubelet)\b)).*\bdial unix \/\S+: connect: (?:no such file or directory|connection refused)/,
    says: 'failed to mint initial webhook certificate: connection error: desc = "transport: Error while dialing dial unix /run/spire/sockets/api.sock: connect: no such file or directory"',
    means:
      'The socket does not exist yet, or nothing listens on it. Another container of the Pod creates it, or a Pod on the same node. The kubelet starts a program that exits for this reason again.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('identity-missing', 'replica', {
    // spire pkg/agent/endpoints/workload/handler.go
    pattern: /\bno identity issued\b/i,
    says: 'rpc error: code = PermissionDenied desc = no identity issued',
    means:
      'The SPIRE agent has no registration entry that matches the Pod, so the program gets no certificate. Apply the ClusterSPIFFEID that selects the Pod, or create the entry on the SPIRE server.',
    next: ['kubectl get clusterspiffeids.spire.spiffe.io -o yaml'],
  }),
  textRow('port-or-file-denied', 'replica', {
    pattern: /\b(?:open|mkdir|create|write)\b.{0,200}: read-only file system/,
    says: 'open /tmp/policy.log: read-only file system',
    means:
      'The process writes to a read-only filesystem: the root filesystem of its container (`readOnlyRootFilesystem: true`), or a mount. Mount an `emptyDir` at this path, or change the path.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('port-or-file-denied', 'replica', {
    pattern: /\blisten tcp[46]? \S*:(?:\d{1,3}|10[01]\d|102[0-3]): bind: permission denied/,
    says: 'listen tcp :443: bind: permission denied',
    means:
      'The process has no permission to open a port below 1024. Use a port above 1023, run the process as root, or add the capability NET_BIND_SERVICE.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('port-or-file-denied', 'replica', {
    pattern: /\btoo many open files\b|\binotify_(?:init|add_watch)/,
    says: 'too many open files',
    means:
      'The process has reached the limit for its open files, or a limit of the node for open files or inotify.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('port-or-file-denied', 'replica', {
    pattern:
      /\bbind: permission denied|\b(?:open|mkdir|create)\b.{0,200}: permission denied|\bEACCES: |\[Errno 13\] /,
    says: 'open /certs/tls.key: permission denied',
    means:
      'The process has no permission for this file or socket: check its securityContext (user, SELinux, seccomp) and the mounts of the container.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('port-in-use', 'replica', {
    pattern: /\baddress already in use\b|\bAddrInUse\b/i,
    says: 'listen tcp :10250: bind: address already in use',
    means:
      'Another process uses the port. With `hostNetwork: true` it can be any process on the node. The kubelet uses 10250.',
  }),
  textRow('own-calls-not-seen', 'network', {
    // Kyverno pkg/webhookconfig/monitor.go, until it was removed.
    pattern: /"webhook check failed".{0,20}"admission control configuration error"/,
    says: 'WebhookMonitor "msg"="webhook check failed" "error"="admission control configuration error" "deadline"="5m0s"',
    means:
      'Kyverno has seen no request of the API server for this time, not even the one that it causes itself, and registers its webhooks again. Calls do not reach its Pods. Or the release does not record them: 1.6.2 corrects this for installations without policies.',
    next: ['kubectl webhook doctor'],
  }),
  textRow('response-not-received', 'response', {
    // The port of this end is a server's, and the other one is ephemeral.
    pattern:
      /write tcp \S+:(?:\d{1,4}|[12]\d{4})->\S+:(?:3[3-9]\d{3}|[4-6]\d{4}): (?:write: (?:broken pipe|connection reset by peer)|i\/o timeout)|\bunable to write a (?:fallback )?JSON response: http2: stream closed/,
    says: 'write tcp 198.51.100.7:9443->192.0.2.1:41059: write: broken pipe',
    means:
      'A server sends a response to a client that has closed the connection. For a webhook, the API server has usually stopped waiting: the response took longer than timeoutSeconds.',
    next: ['kubectl webhook doctor'],
  }),
  textRow('request-without-review', 'response', {
    pattern:
      /^(?=.*(?:webhook|admission|mutat|validat|convert)).*(?:\b(?:request )?body is empty\b|\bempty (?:request )?body\b|\bjson for path \S+: EOF|\bcontent-?type\W.{0,30}\bexpect(?:ed)? \W?application\/json)/i,
    says: 'webhook "msg"="bad request" "error"="request body is empty"',
    means:
      'The webhook server received a request that is not a review. The API server always sends one, so the client was probably a health check, a scanner or a person. If the API server also reports an error, examine that error instead.',
    next: ['kubectl webhook doctor'],
  }),
  textRow('request-of-other-kind', 'response', {
    pattern:
      /^(?=.*(?:webhook|admission|\breview\b)).*(?:\brequest does not contain an? \w+ (?:resource )?but\b|\bexpect(?:ed)? resource (?:to be|of)\b|\b(?:unexpected|unsupported) (?:resource|kind|GVK|GVR)\b)/i,
    says: 'failed to process webhook request: rejecting admission review because the request does not contain an Ingress resource but networking.k8s.io/v1, Kind=Ingress',
    means:
      'The handler received an object of a kind or version that its program does not support, and refuses it. Program and API are of different releases, or the rules of the configuration match more than the program handles.',
    next: ['kubectl webhook doctor'],
  }),
  textRow('service-variable', 'replica', {
    pattern: /\bparsing \\?"tcp:\/\/[\d.:[\]a-f]+\\?": invalid syntax|\binvalid \w+ value: ['"]?tcp:\/\/\d/,
    says: 'panic: failed to convert the environment variable "WEBHOOK_PORT": strconv.Atoi: parsing "tcp://198.51.100.7:9090": invalid syntax',
    means:
      'The process exits, because it reads a variable such as `WEBHOOK_PORT` as a number. Kubernetes sets it to `tcp://…` if the namespace has a Service `webhook`. Set `enableServiceLinks: false` in the Pod, or rename the Service.',
    next: ['kubectl -n NAMESPACE get services'],
  }),
  textRow('crash-loop', 'replica', {
    pattern: /^panic: /,
    says: 'panic: unable to read the configuration: open /etc/policy/config.yaml: no such file or directory',
    means:
      'The process ended, and the text after `panic:` is the reason. If it is a webhook server, nothing listens on its port until the kubelet starts the container again.',
    next: ['kubectl -n NAMESPACE logs POD --previous'],
  }),
  textRow('handler-panic', 'response', {
    pattern:
      /http2?: panic serving|Observed a panic|unhandled panic|runtime error: (?:invalid memory address|index out of range|slice bounds)|panic: runtime error|admission\/http\.go/,
    says: 'http: panic serving 198.51.100.7:14914: runtime error: invalid memory address or nil pointer dereference',
    means:
      'The process that logged this panicked. If it is a webhook server that handles a request, the API server reports EOF for that call.',
    next: ['kubectl -n NAMESPACE logs POD --previous'],
  }),
  textRow('out-of-memory', 'replica', {
    pattern: /\bOOM ?Killed\b|exit code:? ?137\b|Memory cgroup out of memory/i,
    says: 'Reason: OOMKilled  Exit Code: 137',
    means: 'The kernel killed the container because it exceeded its memory limit.',
  }),
  textRow('crash-loop', 'replica', {
    pattern: /Back-off restarting failed container|CrashLoopBackOff/,
    says: 'Back-off restarting failed container webhook in pod policy-7c9d5b6f4-x2x7k',
    means:
      'The container is crash-looping: it exits after each start, and the kubelet waits longer before each restart.',
  }),
  textRow('image-pull', 'replica', {
    pattern:
      /ErrImage(?:Never)?Pull|ImagePullBackOff|Back-off pulling image|[Ff]ailed to (?:pull|inspect|get(?: sandbox)?) image\b|not present with pull policy of Never/,
    says: 'Failed to pull image "example.com/policy:2": not found',
    means: 'The kubelet cannot pull the image, so the container does not start.',
  }),
  textRow('pod-not-connected', 'replica', {
    pattern: /FailedCreatePodSandBox|[Ff]ailed to (?:create pod|setup network for) sandbox\b/,
    says: 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "8d4a": plugin type="calico" failed (add): connection is unauthorized: Unauthorized',
    means:
      'The node cannot connect the Pod to the network, so no container of the Pod starts. The network plugin fails or does not run on this node, and the end of the text is its reason.',
    next: ['kubectl get pods -A -o wide --field-selector spec.nodeName=NODE'],
  }),
  textRow('certificate-secret-missing', 'replica', {
    // The name shows what it contains.
    pattern:
      /\bsecrets? "?(?!extension-apiserver-authentication)(?=[\w./-]*(?:cert|tls|webhook|serving))[\w./-]+"? not found(?!.*\b(?:no secret found|will (?:attempt to |try to )?(?:re-?)?create)\b)/i,
    says: 'MountVolume.SetUp failed for volume "cert" : secret "policy-webhook-tls" not found',
    means:
      'The Secret does not exist. Its name suggests that it contains a serving certificate. A Pod that mounts it waits, which is normal in the first seconds of an installation. If that continues, its writer failed: cert-manager, a Job of the chart, or the program itself.',
    next: ['kubectl -n NAMESPACE get certificates,jobs,pods'],
  }),
  textRow('keystore-not-written', 'tls', {
    // cert-manager internal/controller/certificates/secrets (certificates/issuing/internal/secret.go).
    pattern: /\bfailed to add keystores to Secret\b|\berror encoding (?:PKCS12|JKS) bundle\b/,
    says: 'failed to add keystores to Secret: error encoding PKCS12 bundle: crypto/cipher: unsupported cipher: DES3',
    means:
      'cert-manager has the certificate, and cannot write the keystore that `spec.keystores` of the Certificate requests. The Secret keeps the former certificate, or does not exist. The end of the text is the reason, such as a `profile` that the build of cert-manager does not support.',
    next: ['kubectl -n NAMESPACE get certificate NAME -o yaml'],
  }),
  textRow('volume-not-mounted', 'replica', {
    pattern:
      /MountVolume\.Set[Uu]p failed|Unable to attach or mount volumes|\b(?:secret|configmap)s? "?(?!extension-apiserver-authentication)[\w./-]+"? not found(?!.*\b(?:no secret found|will (?:attempt to |try to )?(?:re-?)?create)\b)|\bcannot get (?:\w+ ){0,3}secret\b|\bno secret with '[\w.-]+' in '/i,
    says: 'MountVolume.SetUp failed for volume "rules": configmap "policy-rules" not found',
    means:
      'The Secret or ConfigMap does not exist, or its volume cannot be mounted. A Pod that mounts it waits, which is normal in the first seconds of an installation. A component that reads it cannot continue.',
  }),
  textRow('container-config', 'replica', {
    pattern:
      /CreateContainerConfigError|CreateContainerError|RunContainerError|container has runAsNonRoot and /,
    says: 'Error: CreateContainerConfigError',
    means:
      'The kubelet cannot create the container from its Pod spec. A key that it refers to is missing, or `runAsNonRoot` requires a numeric user other than root.',
  }),
  textRow('webhook-server-not-started', 'replica', {
    pattern:
      /webhook server (?:has not been started|is not (?:reachable|ready))|webhook (?:deployment is not ready|server can't be reached) yet|\bwebhook\b.{0,120}https:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d+.{0,100}refused/,
    says: 'healthz check failed: webhook server is not reachable: dial tcp :9443: connect: connection refused',
    means:
      'The webhook server of this process does not listen (yet). It still starts, waits for its certificate or for leadership, or failed for a reason that the log names before this line.',
    next: ['kubectl -n NAMESPACE logs POD'],
  }),
  textRow('webhook-not-ready-in-time', 'backend', {
    pattern:
      /\bwebhook[\w-]*" exceeded its progress deadline|\bresource Deployment\/\S*(?:webhook|admission)\S* not ready\b|^(?!.*\b(?:git\w*|bitbucket|slack|deliver\w*)\b).*\bwait(?:ed|ing)?\b.{0,80}\bwebhooks?\b.{0,160}(?:deadline exceeded|timed out|(?<!\?)timeout)|^(?!.*\b(?:git\w*|bitbucket|slack|deliver\w*)\b).*(?:deadline exceeded|timed out|timeout) .{0,40}\bwaiting\b.{0,60}\bwebhooks?\b|\bwebhook\b.{0,40}\bnot (?:yet )?(?:ready|available|accessible|reachable)(?: yet)?(?:: .{0,40}(?:deadline exceeded|timed out)| (?:after|within) \d)|\b(?:hook|job) [\w ./-]*\bstartupapicheck\b[\w ./-]* failed/i,
    says: 'error waiting for webhook to be ready: context deadline exceeded',
    means:
      'A program waited for the webhook until its own time limit. The text does not name the reason: examine the Pods of the webhook, then its certificate, then the network.',
  }),
  otherRow('client-wait-ended', 'effect', {
    // Of Helm, Flux, Terraform and kubectl wait: errors of the API server begin with "Error from server".
    pattern:
      /\b(?:UPGRADE|INSTALLATION|ROLLBACK|UNINSTALLATION) FAILED: (?!.{0,40}\b(?:pre|post)-)(?!.{0,200}\b(?:unreachable|download|fetch\w*|repo\w*|registry)\b)(?:[^:]{0,200}: )?(?:context deadline exceeded|timed out waiting for the condition)\b|\bHelm (?:install|upgrade|rollback|uninstall)\w* failed\b[^:]{0,200}: (?:context deadline exceeded|timed out waiting for the condition)\b|^error: timed out waiting for the condition(?: on (?:pods|deployments|statefulsets|daemonsets|jobs)[\w.]*\/\S+)?$|^Error: context deadline exceeded with \S*\bhelm_release\./i,
    says: 'Error: UPGRADE FAILED: context deadline exceeded',
    means:
      'A client waited (`--wait`, `--atomic`) until its own time limit, and the text has no reason. Usually a Pod did not become Ready, or a hook Job did not end. Events `FailedCreate` show that a webhook may refuse the Pods: explain such an Event instead.',
    next: ['kubectl -n NAMESPACE get pods', 'kubectl get events -A --field-selector reason=FailedCreate'],
  }),
  otherRow('object-not-completed', 'effect', {
    pattern:
      /^(?!.*\b(?:git\w*|bitbucket|slack)\b)(?=.*\b[a-z]\w*(?:\.\w+)*[A-Z]\w* (?:must not be|shouldn't be|should not be|cannot be|is|was) (?:nil|null|empty|unset|not set|missing|undefined)\b).*\b(?:check|verify|ensure|make sure)\b[^.]{0,40}\bwebhooks? (?:setup|installation|(?:is|are) (?:set up|installed|running|registered|enabled))\b/i,
    says: 'policyRef must not be nil, please check webhook setup',
    means:
      'A controller found an object without a value that a mutating webhook sets. The object was created before the webhook existed, while calls to it failed open, or outside of its rules and selectors. When the webhook works, create the object again.',
    next: ['kubectl get mutatingwebhookconfigurations'],
  }),
  otherRow('other-job-failed', 'effect', {
    pattern:
      /\b(?:pre|post)-(?:install|upgrade|delete|rollback)\b.{0,100}\bjobs? (?![\w.-]*(?:admission|webhook|cert|tls|ssl|secret|patch))[\w.-]+ failed: (?:Backoff|Deadline)/,
    says: 'failed pre-upgrade: 1 error occurred: * job database-migrate failed: BackoffLimitExceeded',
    means:
      'A hook Job of the chart failed, and its name does not point at a webhook. The log and the Events of its Pod have the reason.',
    next: ['kubectl -n NAMESPACE describe job JOB', 'kubectl -n NAMESPACE logs job/JOB'],
  }),
  otherRow('hook-job-failed', 'tls', {
    pattern:
      /\b[Jj]ob failed: (?:Backoff|Deadline)|failed (?:pre|post)-(?:install|upgrade|delete|rollback): .{0,100}(?:BackoffLimitExceeded|DeadlineExceeded|timed out waiting)|(?:pre|post)-(?:install|upgrade|delete|rollback)(?: hooks)? failed: .{0,100}(?:BackoffLimitExceeded|DeadlineExceeded|timed out waiting)|\b[\w.-]*(?:admission|webhook|cert-?gen)[\w.-]*\b.{0,80}\b(?<!\bcode = )(?:BackoffLimitExceeded|DeadlineExceeded)|\b(?<!\bcode = )(?:BackoffLimitExceeded|DeadlineExceeded).{0,80}\b[\w.-]*(?:admission|webhook|cert-?gen)|\bjob\.batch\/[\w.-]{0,63}(?:admission|webhook|cert-?gen)[\w.-]{0,63} +(?:[A-Z]\w+ +)?0\/\d/,
    says: 'failed pre-install: 1 error occurred: * job policy-admission-create failed: BackoffLimitExceeded',
    means:
      'A hook Job of the chart failed, or is not complete. Charts with webhooks run such Jobs to create the serving certificate and to write the caBundle. The log and the Events of its Pod have the reason.',
    next: ['kubectl -n NAMESPACE describe job JOB', 'kubectl -n NAMESPACE logs job/JOB'],
  }),
  otherRow('mutation-skipped', 'scope', {
    pattern:
      /^(?=.*\b(?:webhook|admission|pods?|namespace|sidecar)\b).*(?:\bskip(?:ping|ped)?\b.{0,40}\b(?:mutat|inject)(?:ion|ing|ed)\b|\b(?:was|were) not (?:patched|mutated|injected)\b|\bno sidecars? (?:was |were )?injected\b)/i,
    says: 'handler "msg"="pod not labeled or service account not annotated, skipping mutation"',
    means:
      'The webhook was called, and did not change the object: it lacks a label or annotation, or a condition of the program excludes it. Or the handler failed, and admits the object. The log contains the reason.',
    next: ['kubectl get namespace NAMESPACE --show-labels', 'kubectl -n NAMESPACE get pods --show-labels'],
  }),
  textRow('restart-probe', 'replica', {
    pattern: /(?:Liveness|Startup) probe (?:failed|errored)/,
    says: 'Liveness probe failed: HTTP probe failed with statuscode: 500',
    means:
      'The kubelet restarts the container, because its liveness or startup probe fails. The path, port or scheme of the probe is wrong, the process starts or responds too slowly, or it reports a problem of its own.',
    next: ['kubectl -n NAMESPACE describe pod POD', 'kubectl -n NAMESPACE logs POD --previous'],
  }),
  textRow('readiness-probe', 'replica', {
    pattern: /Readiness probe (?:failed|errored)/,
    says: 'Readiness probe failed: Get "http://198.51.100.7:8081/readyz": dial tcp 198.51.100.7:8081: connect: connection refused',
    means:
      'The readiness probe of the Pod fails. A Pod that is not ready receives no requests from the Service.',
  }),
  textRow('readiness-probe', 'replica', {
    // The checks of kube-apiserver and of extension API servers have these names.
    pattern:
      /\[-\](?!(?:etcd|poststarthook|informer-sync|autoregister|shutdown|kms|api-openapi)\b)[\w/-]+ failed: reason withheld/,
    says: '[-]tracker failed: reason withheld',
    means:
      'A health endpoint of the program lists, with [-], the checks that fail. While its readiness endpoint fails, the Pod receives no requests from the Service. The log of the program contains the reason.',
    next: ['kubectl -n NAMESPACE logs POD'],
  }),
  textRow('handler-call-failed', 'response', {
    pattern:
      /^(?=.*\b(?:admission|inject(?:or|ion|ed)?|mutat\w+)\b)(?=.*\b(?:fail|error|unable|cannot)).*(?:\brpc error: code = (?:Unavailable|Canceled|DeadlineExceeded|Unauthenticated|PermissionDenied)\b|\b(?:GET|HEAD|POST) \\?"?https?:\/\/\S+: (?:UNAUTHORIZED|DENIED|unexpected status code)\b)/i,
    says: 'level=error msg="Admission review request failed" error="GET https://registry.example.com/v2/policy/manifests/2: UNAUTHORIZED: authentication required"',
    means:
      'The handler of a webhook called another server for this review, and that request failed. The webhook then denies the object, or admits it unchanged. Examine that server, the way to it, and the credentials.',
    next: ['kubectl -n NAMESPACE get networkpolicies'],
  }),
  textRow('test-object-admitted', 'network', {
    pattern:
      /\bswitch validation to fail-closed\b|\binvalid config(?:uration)? not rejected\b|\berror handling \S+, retrying \(retry count: \d+\): webhook is not ready, retry\b/,
    says: 'validationController Not ready to switch validation to fail-closed: dummy invalid config not rejected',
    means:
      'The program creates an invalid test object, which its own webhook must refuse, and the API server admits it. In the first seconds that is harmless. If it continues, calls by the API server fail, and `failurePolicy: Ignore` hides that.',
    next: ['kubectl webhook doctor'],
  }),
  textRow('client-throttled', 'response', {
    // A shorter wait is usual for discovery, and for a client outside a Pod, whose process number is not 1.
    pattern:
      /(?:\bWaited for |"Waited before sending request" delay=")(?:\d+h)?(?:\d+m|[1-9]\d+(?:\.\d+)?s)\S* (?:due to |reason=")client-side throttling\b|^(?:\S+ ){0,2}I\d{4} \S+ +1 request\.go:\d+\] "?Waited .{0,80}\bclient-side throttling\b(?!.*\?timeout=32s).{0,80}https:\/\/\S+\/(?:api|apis\/[^\s/]+)\/v\d\w*\/\w/,
    says: 'Waited for 1m52.8s due to client-side throttling, not priority and fairness, request: GET:https://203.0.113.1:443/api/v1/namespaces/shop/configmaps/policy',
    means:
      'The client of this program limits its own requests, so each waits for the others. A webhook that reads objects for a review then responds too late. Raise its limits (QPS and burst), or let its policies read fewer objects.',
    next: ['kubectl -n NAMESPACE get deployment NAME -o yaml'],
  }),
  textRow('handler-took-long', 'response', {
    pattern:
      /\bwebhook\b.{0,40}\btook (?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?s\b.{0,20}\((?:0\.[5-9]|[1-9])[\d.]* of .{0,20}\btimeout\b/i,
    says: 'Webhook took 1m13.2s to execute (2.43 of its timeout, 30s)',
    means:
      'The webhook server measures the time of its own response, which is long for its timeout. It computes too long, or waits for a CPU or for another server.',
    next: ['kubectl -n NAMESPACE top pod'],
  }),
  textRow('unschedulable', 'replica', {
    // The binding is refused only after the scheduler has found a node.
    pattern:
      /\d+\/\d+ nodes are available|\s0\/\d{1,3}\s+Pending\s|FailedScheduling(?!.*\b(?:Bind plugin|[Bb]inding rejected)\b)/,
    says: '0/3 nodes are available: 3 Insufficient memory.',
    means: 'The scheduler finds no node for the Pod.',
  }),
  textRow('configuration-not-found', 'registration', {
    pattern:
      /^(?!.*(?:https?:\/\/|\b(?:git\w*|bitbucket|repository|OAuth\w*)\b)).*(?:failed|unable|could not|cannot|error) (?:to )?(?:register|registering|create|creating|install|deploy|reconcile)(?:ing)? (?:the )?(?:(?:admission|mutating|validating|conversion) )*webhooks?\b(?! (?:cert|secret|server|service))/i,
    says: 'setup "msg"="failed to register webhook" "reason"="pod is not assigned to any node yet"',
    means:
      'The program cannot register its webhooks. This log line or an earlier one contains the reason. Until then, the API server does not call them.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  }),
];
