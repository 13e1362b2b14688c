import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';

/** Ids between white space. */
const ids = ([text = '']: TemplateStringsArray): readonly string[] => text.trim().split(/\s+/);

/** The checks that may explain a text (the error of a call, a line of a log), the likeliest first. */
export const explanations: Readonly<Partial<Record<KnownText, readonly string[]>>> = {
  'service-missing': ids`orphaned-configuration service-missing service-namespace-missing`,
  'port-missing': ids`service-port-missing`,
  'no-endpoints': ids`
    calls-failed-at-start no-ready-endpoint bootstrap-deadlock replica-crash-looping
    replica-readiness-failing workload-scaled-to-zero selector-matches-no-pod workload-missing
    workload-cannot-create-pods target-port-name-missing orphaned-configuration rollout-paused
    endpoints-only-terminating`,
  headless: ids`service-headless`,
  'external-name': ids`service-external-name`,
  'connection-refused': ids`
    calls-failed-at-start no-ready-endpoint replica-not-listening orphaned-configuration
    replica-crash-looping bootstrap-deadlock selector-matches-no-pod workload-scaled-to-zero
    workload-cannot-create-pods target-port-name-missing leader-gated-listener workload-missing
    rollout-paused target-port-closed unready-addresses-published endpoints-only-terminating`,
  'no-route': ids`
    unreachable-from-control-plane network-policy-shields-webhook firewall-target-port no-ready-endpoint
    replica-node-not-ready selector-matches-no-pod workload-scaled-to-zero workload-cannot-create-pods
    target-port-name-missing endpoints-only-terminating endpoint-of-no-pod`,
  'not-permitted': ids`
    calls-failed-at-start no-ready-endpoint orphaned-configuration network-policy-shields-webhook
    firewall-target-port replica-node-not-ready`,
  'network-unreachable': ids`
    network-policy-shields-webhook firewall-target-port unreachable-from-control-plane
    replica-node-not-ready`,
  'connect-timeout': ids`
    firewall-target-port unreachable-from-control-plane network-policy-shields-webhook
    internal-traffic-policy-local replica-node-not-ready packets-lost-by-node replica-hangs
    calls-failed-at-start`,
  dns: ids`url-in-cluster-name url-not-resolvable service-external-name`,
  deadline: ids`
    firewall-target-port unreachable-from-control-plane network-policy-shields-webhook response-slow
    replica-hangs packets-lost-by-node replica-node-not-ready handler-waits-for-service mesh-intercepts-port
    timeout-too-short internal-traffic-policy-local calls-failed-at-start`,
  canceled: ids`response-slow firewall-target-port unreachable-from-control-plane timeout-too-long`,
  'handshake-timeout': ids`
    replica-hangs packets-lost-by-node network-policy-shields-webhook firewall-target-port
    replica-node-not-ready`,
  'connection-closed': ids`
    replica-closes-connections mesh-intercepts-port api-server-proxy replica-out-of-memory
    keep-alive-shorter-than-api-server tunnel-down calls-failed-at-start network-policy-shields-webhook`,
  'plain-http': ids`replica-speaks-plain-http selector-covers-other-workload`,
  'not-tls': ids`replica-speaks-plain-http selector-covers-other-workload`,
  'not-http': ids`selector-covers-other-workload`,
  proxy: ids`api-server-proxy`,
  'address-not-allowed': ids`address-not-allowed`,
  tunnel: ids`tunnel-down replica-not-listening calls-failed-at-start`,
  redirects: ids`response-redirects path-trailing-slash`,
  expired: ids`
    serving-certificate-expired served-certificate-differs-from-secret ca-bundle-expired
    certificate-not-issued`,
  'not-yet-valid': ids`serving-certificate-not-yet-valid clock-skew`,
  'unknown-authority': ids`
    stale-ca-bundle ca-bundle-empty ca-injection-broken served-certificate-differs-from-secret
    certificate-job-failed intermediate-missing ca-bundle-overwritten api-server-proxy
    replicas-serve-different-certificates certificate-writer-not-leader certificate-writer-not-running
    calls-failed-at-start`,
  'name-mismatch': ids`
    serving-certificate-name-mismatch mesh-intercepts-port selector-covers-other-workload`,
  'legacy-common-name': ids`serving-certificate-legacy-common-name`,
  'wrong-usage': ids`serving-certificate-wrong-usage`,
  'ca-not-allowed': ids`ca-not-allowed-to-sign`,
  'name-constraint': ids`name-constraint-violation`,
  'critical-extension': ids`unhandled-critical-extension`,
  'weak-key': ids`weak-key`,
  'certificate-malformed': ids`serving-certificate-malformed`,
  'no-system-roots': ids`ca-bundle-empty`,
  'tls-alert': ids`
    client-certificate-demanded sni-refused server-has-no-certificate tls-version-unsupported
    cipher-unsupported`,
  'ca-bundle-invalid': ids`ca-bundle-invalid ca-injection-broken ca-bundle-overwritten`,
  'review-versions': ids`response-version-mismatch`,
  'side-effects': ids`side-effects-refuse-dry-run`,
  'response-invalid': ids`
    response-not-a-review response-uid-mismatch response-version-mismatch response-empty
    response-conversion-failed`,
  'patch-invalid': ids`response-patch-invalid`,
  'path-not-found': ids`
    response-path-not-found path-trailing-slash selector-covers-other-workload webhook-api-unavailable
    calls-failed-at-start`,
  unauthorized: ids`response-unauthorized`,
  'http-error': ids`response-server-error response-redirects orphaned-configuration`,
  unavailable: ids`
    response-server-error apiservice-unavailable no-ready-endpoint selector-matches-no-pod api-server-proxy
    workload-scaled-to-zero workload-cannot-create-pods rollout-paused target-port-name-missing
    endpoints-only-terminating webhook-api-unavailable mesh-intercepts-port`,
  panic: ids`response-server-error`,
  'method-not-allowed': ids`response-path-not-found path-trailing-slash`,
  forbidden: ids`response-unauthorized mesh-intercepts-port api-server-proxy`,
  'extension-server-refuses': ids`
    response-unauthorized service-account-lacks-rights api-server-proxy mesh-intercepts-port`,
  'gateway-timeout': ids`response-slow response-server-error api-server-proxy`,
  'undecodable-answer': ids`response-not-a-review`,
  'empty-answer': ids`response-empty response-not-a-review`,
  'answer-of-other-version': ids`response-version-mismatch`,
  'answer-with-other-uid': ids`response-uid-mismatch response-version-mismatch`,
  'conversion-refused': ids`response-conversion-failed conversion-blocks-stored-versions`,
  'conversion-unsupported': ids`response-conversion-failed conversion-blocks-stored-versions`,
  'sha1-signature': ids`weak-signature`,
  'response-timeout': ids`response-slow replica-hangs timeout-too-short handler-waits-for-service`,
  'body-timeout': ids`response-slow replica-hangs timeout-too-short handler-waits-for-service`,
  'body-not-decompressed': ids`response-not-a-review`,
  'endpoint-refused': ids`
    calls-failed-at-start replica-not-listening selector-covers-other-workload target-port-closed
    leader-gated-listener unready-addresses-published replica-crash-looping orphaned-configuration`,
  'tunnel-timeout': ids`
    network-policy-shields-webhook replica-node-not-ready packets-lost-by-node tunnel-down`,
  'tunnel-refused': ids`replica-not-listening target-port-closed tunnel-down calls-failed-at-start`,
  'backend-request-failed': ids`response-server-error`,
  'backend-not-authorized': ids`service-account-lacks-rights response-server-error`,
  'connection-reset': ids`
    calls-failed-at-start replica-closes-connections mesh-intercepts-port keep-alive-shorter-than-api-server
    api-server-proxy replica-out-of-memory`,
  'url-host-unknown': ids`url-not-resolvable url-unreachable`,
  'url-not-reached': ids`url-unreachable url-loopback`,
  'alert-of-version': ids`tls-version-unsupported`,
  'alert-of-client-certificate': ids`client-certificate-demanded`,
  'alert-of-server-name': ids`sni-refused server-has-no-certificate serving-secret-missing`,
  'alert-of-server': ids`server-has-no-certificate`,
  'alert-of-parameters': ids`cipher-unsupported client-certificate-demanded server-has-no-certificate`,
  'authority-cannot-sign': ids`
    served-certificate-differs-from-secret stale-ca-bundle ca-not-allowed-to-sign`,
  'patch-not-allowed': ids`response-patch-invalid`,
  'denied-by-mesh': ids`mesh-intercepts-port response-unauthorized`,
  'patched-object-unreadable': ids`response-patch-invalid`,
  'patched-namespace': ids`response-patch-invalid`,
  'no-upstream': ids`mesh-intercepts-port replica-not-listening response-server-error`,
  'certificate-of-other-server': ids`
    host-network-port-conflict selector-covers-other-workload serving-certificate-name-mismatch
    mesh-intercepts-port`,
  'certificate-of-other-service': ids`serving-certificate-name-mismatch selector-covers-other-workload`,
  'certificate-without-names': ids`
    mesh-intercepts-port serving-certificate-name-mismatch selector-covers-other-workload`,
  'trust-cut': ids`
    stale-ca-bundle served-certificate-differs-from-secret serving-certificate-expired
    serving-certificate-name-mismatch`,
  'regenerated-authority': ids`
    served-certificate-differs-from-secret stale-ca-bundle replicas-serve-different-certificates
    ca-injection-broken`,
  denial: ids`
    denies-plain-object leader-gated-answer replicas-disagree denies-sample service-account-lacks-rights`,
  'dry-run-refused': ids`side-effects-refuse-dry-run`,
  'match-condition': ids`match-condition-broken`,
  apiservice: ids`unreachable-from-control-plane api-server-proxy`,
  'timeout-504': ids`
    timeout-budget-exceeded firewall-target-port response-slow timeout-too-long replica-hangs
    handler-waits-for-service replica-node-not-ready bootstrap-deadlock`,
  'client-rejects-certificate': ids`
    stale-ca-bundle served-certificate-differs-from-secret ca-bundle-empty serving-certificate-expired
    serving-certificate-name-mismatch ca-injection-broken replicas-serve-different-certificates
    serving-certificate-legacy-common-name`,
  'server-without-certificate': ids`
    server-has-no-certificate certificate-writer-not-leader serving-secret-missing serving-secret-incomplete
    certificate-writer-not-running`,
  'client-tls-version': ids`tls-version-unsupported`,
  'no-common-cipher': ids`cipher-unsupported`,
  'client-certificate-missing': ids`client-certificate-demanded`,
  'client-speaks-http': ids`replica-readiness-failing mesh-intercepts-port`,
  'request-header-unread': ids`service-account-lacks-rights response-unauthorized`,
  'client-not-authenticated': ids`response-unauthorized`,
  'handshake-unfinished': ids`
    packets-lost-by-node unreachable-from-control-plane network-plugin-failing`,
  'handshake-ended-in-pod': ids`mesh-intercepts-port`,
  'key-pair-unreadable': ids`
    serving-secret-incomplete serving-secret-mismatched-key process-cannot-start`,
  'key-pair-mismatched': ids`serving-secret-mismatched-key serving-secret-incomplete`,
  'certificate-file-missing': ids`
    serving-secret-missing replica-volume-missing process-cannot-start serving-secret-incomplete
    certificate-job-failed`,
  'own-authority-expired': ids`ca-bundle-expired`,
  'own-certificate-other-name': ids`serving-certificate-name-mismatch`,
  'own-certificate-rejected': ids`secret-ca-differs-from-ca-bundle ca-bundle-fought-over`,
  'certificate-argument-missing': ids`replica-crash-looping`,
  'tunnel-without-agent': ids`tunnel-down`,
  'tunnel-call-failed': ids`tunnel-down packets-lost-by-node unreachable-from-control-plane`,
  'slow-webhook-trace': ids`response-slow timeout-budget-exceeded`,
  'packets-denied': ids`network-policy-shields-webhook`,
  'garbage-collector-waits': ids`conversion-blocks-stored-versions apiservice-unavailable`,
  'configuration-not-writable': ids`
    service-account-lacks-rights product-without-webhooks ca-bundle-empty`,
  'ca-not-injected': ids`
    ca-injection-broken service-account-lacks-rights ca-bundle-empty certificate-not-issued
    serving-secret-incomplete certificate-job-failed ca-bundle-overwritten certificate-writer-not-leader
    certificate-writer-not-running`,
  'certificate-warning': ids`serving-certificate-legacy-common-name weak-signature`,
  'certificate-expiring': ids`serving-certificate-expiring`,
  'keystore-not-written': ids`certificate-not-issued serving-certificate-expired`,
  'certificate-pending': ids`certificate-not-issued certificate-job-failed`,
  'secret-incomplete': ids`serving-secret-incomplete`,
  'not-authorized': ids`service-account-lacks-rights leader-lease-stale ca-injection-broken`,
  'owner-not-found': ids`workload-missing`,
  'namespace-terminating': ids`service-namespace-missing namespace-deletion-blocked`,
  'finalizers-remain': ids`namespace-deletion-blocked bootstrap-deadlock`,
  'namespace-discovery-failed': ids`
    apiservice-unavailable orphaned-configuration namespace-deletion-blocked`,
  'eviction-refused': ids`blocking-disruption-budget`,
  'eviction-denied': ids`evictions-denied covers-deletion`,
  'service-not-found': ids`service-missing`,
  'owned-by-another-release': ids`duplicate-installation managed-configuration`,
  'stored-ca-bundle-invalid': ids`ca-bundle-invalid`,
  'removed-api-version': ids`product-without-webhooks`,
  'configuration-not-found': ids`product-without-webhooks certificate-writer-not-running`,
  'resource-not-found': ids`product-without-webhooks response-path-not-found`,
  'apply-conflict': ids`
    managed-configuration ca-bundle-fought-over configuration-fought-over ca-bundle-overwritten`,
  'write-conflict': ids`configuration-fought-over ca-bundle-fought-over duplicate-installation`,
  'apiservice-discovery-failed': ids`
    unreachable-from-control-plane firewall-target-port api-server-proxy apiservice-unavailable
    response-unauthorized response-path-not-found`,
  'apiservice-awaited': ids`apiservice-unavailable no-ready-endpoint workload-cannot-create-pods`,
  'apiservice-no-endpoint': ids`no-ready-endpoint`,
  'apiservice-not-found': ids`service-missing service-port-missing`,
  'external-metric-unknown': ids`autoscalers-get-no-metrics metrics-api-missing`,
  'api-not-registered': ids`metrics-api-missing`,
  'api-version-not-found': ids`apiservice-unavailable response-path-not-found`,
  'review-not-served': ids`apiservice-unavailable process-cannot-start`,
  'api-unavailable': ids`
    apiservice-unavailable service-missing unreachable-from-control-plane orphaned-configuration
    no-ready-endpoint ca-bundle-empty stale-ca-bundle serving-certificate-expired api-server-proxy`,
  'metrics-not-fetched': ids`autoscalers-get-no-metrics`,
  'aggregation-not-configured': ids`response-unauthorized process-cannot-start`,
  'scrape-forbidden': ids`service-account-lacks-rights replica-readiness-failing`,
  'broken-webhook-reported': ids`no-ready-endpoint service-missing unreachable-from-control-plane`,
  'webhook-scope-reported': ids`covers-node-heartbeats covers-system-namespaces`,
  'webhook-breadth-reported': ids`covers-everything covers-node-heartbeats`,
  'failed-open-recorded': ids`failing-open-now fail-open-counted policy-fails-open`,
  'webhook-overlap-reported': ids`duplicate-installation`,
  'pods-refused-silently': ids`denies-plain-object workload-cannot-create-pods`,
  'pods-not-created': ids`workload-cannot-create-pods`,
  'pod-update-invalid': ids`response-patch-invalid`,
  'immutable-field-changed': ids`response-patch-invalid`,
  'mirror-pod-changed': ids`mirror-pods-refused`,
  'pod-priority-changed': ids`workload-cannot-create-pods response-patch-invalid`,
  'api-server-not-trusted': ids`pods-cannot-reach-api-server`,
  'name-not-resolved': ids`handler-waits-for-service`,
  'service-called-by-pod': ids`replica-readiness-failing no-ready-endpoint`,
  'token-refused': ids`pods-cannot-reach-api-server response-unauthorized`,
  'cache-not-synced': ids`
    service-account-lacks-rights conversion-deadlock replica-not-listening replica-readiness-failing`,
  'program-missing': ids`process-cannot-start replica-crash-looping`,
  'socket-missing': ids`process-cannot-start replica-crash-looping`,
  'identity-missing': ids`process-cannot-start`,
  'port-or-file-denied': ids`process-cannot-start`,
  'port-in-use': ids`host-network-port-conflict replica-crash-looping`,
  'own-calls-not-seen': ids`
    unreachable-from-control-plane firewall-target-port packets-lost-by-node stale-ca-bundle`,
  'response-not-received': ids`response-slow`,
  'request-of-other-kind': ids`denies-plain-object`,
  'service-variable': ids`process-cannot-start replica-crash-looping`,
  'crash-loop': ids`replica-crash-looping`,
  'handler-panic': ids`replica-closes-connections response-server-error replica-crash-looping`,
  'out-of-memory': ids`replica-out-of-memory`,
  'image-pull': ids`replica-image-pull-failing`,
  'pod-not-connected': ids`network-plugin-failing replica-config-error`,
  'certificate-secret-missing': ids`
    serving-secret-missing certificate-not-issued replica-volume-missing certificate-job-failed
    certificate-writer-not-running`,
  'volume-not-mounted': ids`
    serving-secret-missing replica-volume-missing certificate-not-issued certificate-job-failed
    certificate-writer-not-running`,
  'container-config': ids`replica-config-error certificate-job-failed`,
  'webhook-server-not-started': ids`replica-not-listening replica-readiness-failing`,
  'webhook-not-ready-in-time': ids`
    no-ready-endpoint replica-readiness-failing ca-bundle-empty unreachable-from-control-plane
    replica-crash-looping replica-image-pull-failing certificate-not-issued`,
  'object-not-completed': ids`product-without-webhooks fail-open-counted`,
  'hook-job-failed': ids`certificate-job-failed`,
  'mutation-skipped': ids`pods-without-injection`,
  'restart-probe': ids`replica-crash-looping replica-readiness-failing`,
  'readiness-probe': ids`replica-readiness-failing readiness-does-not-cover-webhook`,
  'handler-call-failed': ids`handler-waits-for-service pods-without-injection`,
  'test-object-admitted': ids`
    failing-open-now service-missing firewall-target-port unreachable-from-control-plane`,
  'client-throttled': ids`response-slow`,
  'handler-took-long': ids`response-slow`,
  unschedulable: ids`replica-unschedulable`,
  'lease-not-found': ids`leader-lease-stale workload-missing`,
  'lease-sought': ids`
    leader-lease-stale leader-gated-listener certificate-writer-not-leader leader-gated-answer
    leader-gated-readiness service-account-lacks-rights process-cannot-start`,
  'lease-not-held': ids`
    leader-lease-stale leader-gated-listener certificate-writer-not-leader leader-gated-answer
    leader-gated-readiness service-account-lacks-rights process-cannot-start`,
  'eviction-not-supported': ids`evictions-denied`,
  'mirror-pod-denied': ids`mirror-pods-refused`,
  'denial-not-authorized': ids`service-account-lacks-rights`,
  'denial-own-call-failed': ids`handler-waits-for-service`,
  'denial-not-ready': ids`
    leader-gated-answer service-account-lacks-rights replicas-disagree denies-plain-object`,
  'denial-unlicensed': ids`denies-plain-object`,
  'denial-of-user': ids`denies-sample`,
  'denial-own-template': ids`denies-plain-object denies-sample workload-creation-blocked`,
  'denial-template': ids`denies-sample denies-plain-object`,
  'denial-by-rule': ids`denies-sample denies-plain-object`,
  'denial-not-found': ids`denies-sample`,
  'pod-refused': ids`bootstrap-deadlock`,
  'heartbeat-refused': ids`covers-node-heartbeats`,
  'several-backends': ids`
    replica-node-not-ready unreachable-from-control-plane api-server-proxy packets-lost-by-node tunnel-down`,
  'backend-replaced': ids`
    calls-failed-at-start replica-crash-looping rollout-takes-all outage-risk-single-replica
    no-drain-before-stop`,
  'call-cut': ids`
    calls-failed-at-start orphaned-configuration no-ready-endpoint firewall-target-port service-missing
    stale-ca-bundle bootstrap-deadlock`,
  'open-port-not-reached': ids`unreachable-from-control-plane`,
  'no-endpoints-for-client': ids`calls-failed-at-start no-ready-endpoint replica-crash-looping`,
  'injected-authority': ids`ca-bundle-empty ca-injection-broken`,
  'time-of-one-webhook': ids`firewall-target-port`,
  'policies-too-slow': ids`response-slow firewall-target-port unreachable-from-control-plane`,
  'url-of-loopback': ids`url-loopback`,
  'webhook-cut-off': ids`pods-cannot-reach-api-server`,
  'conversion-unserved': ids`conversion-deadlock`,
  'said-removed': ids`orphaned-configuration`,
  'said-starting': ids`calls-failed-at-start`,
  'shown-rollout': ids`calls-failed-at-start`,
  'shown-removal': ids`orphaned-configuration`,
  'said-firewall': ids`firewall-target-port`,
  'said-network-policy': ids`network-policy-shields-webhook`,
  'said-proxy': ids`api-server-proxy`,
  'said-packet-filter': ids`packets-lost-by-node`,
  'said-all-webhooks': ids`unreachable-from-control-plane`,
};
