import { expect } from 'chai';
import { errorTexts } from '../../src/apiserver/sentences/call-error/error-texts.ts';
import {
  componentTexts,
  findComponentText,
} from '../../src/apiserver/sentences/component-texts/component-texts.ts';
import { explanations } from '../../src/checks/explanations.ts';
import { explainTexts } from '../../src/explain/explain.ts';
import { causeIds, knownTextsOf } from '../../src/explain/likely-causes.ts';
import { classOf, linkOf } from '../../src/explain/meaning.ts';
import { nearestTo } from '../../src/explain/nearest.ts';
import { recognise, recogniseAll } from '../../src/explain/recognise.ts';
import { recordsOf } from '../../src/explain/records.ts';
import { causesOf } from '../../src/workflows/explain.ts';

/** Class, link, and the likeliest check of a text. */
function read(text: string): readonly (string | undefined)[] {
  const found = recognise(text);
  if (found === undefined) return [];
  const [cause] = knownTextsOf(found).flatMap((known) => explanations[known] ?? []);
  return [classOf(found), linkOf(found), cause];
}

const failed = (end: string): string =>
  `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": ${end}`;

describe('recognise', () => {
  it('finds a deadlock if kube-apiserver itself cannot start', () => {
    const text = `E1209 22:25:59.677648 1 storage_rbac.go:264] unable to reconcile clusterrole.rbac.authorization.k8s.io/a: ${failed('context deadline exceeded')}`;
    const [found] = recogniseAll(text);
    expect(found && causeIds(found, (one) => explanations[one] ?? []).slice(0, 3)).to.include(
      'bootstrap-deadlock',
    );
  });

  it('does not take the cut text of a user for that of a ServiceAccount', () => {
    const text =
      'Error from server (Forbidden): error when creating "a.yaml": validatingwebhookconfigurations.admissionregistration.k8s.io "gk" is forbidden:';
    const found = recognise(text);
    expect(found && knownTextsOf(found)).to.not.include('configuration-not-writable');
  });

  it('names no deadlock first if a client requests another object', () => {
    const end = failed('no endpoints available for service "a"');
    const causes = (text: string) => {
      const [found] = recogniseAll(text);
      return found === undefined ? [] : causeIds(found, (one) => explanations[one] ?? []);
    };
    for (const text of [
      `Error from server (InternalError): error when creating "issuer.yaml": ${end}`,
      `Error: UPGRADE FAILED: cannot patch "rules" with kind PrometheusRule: ${end}`,
      `Error: INSTALLATION FAILED: ${end}`,
    ])
      expect(causes(text).slice(0, 4), text).to.deep.equal([
        'calls-failed-at-start',
        'no-ready-endpoint',
        'replica-crash-looping',
        'bootstrap-deadlock',
      ]);
    for (const text of [
      end,
      `Error: UPGRADE FAILED: cannot patch "a" with kind Deployment: ${end}`,
      `Warning  FailedCreate  replicaset/a-6  Error creating: ${end}`,
    ])
      expect(causes(text).slice(0, 3), text).to.include('bootstrap-deadlock');
  });

  it('considers a deadlock if the creation of a Pod takes the time of one webhook', () => {
    const cut = 'Timeout: request did not complete within requested timeout 30s';
    const causes = (text: string) => {
      const [found] = recogniseAll(text);
      return found === undefined ? [] : causeIds(found, (one) => explanations[one] ?? []).slice(0, 2);
    };
    expect(causes(`Warning  FailedCreate  ReplicaSet  Error creating: ${cut}`)).to.deep.equal([
      'firewall-target-port',
      'bootstrap-deadlock',
    ]);
    expect(causes(`Error from server: error when creating "a.yaml": ${cut}`)).to.not.include(
      'bootstrap-deadlock',
    );
  });

  it('takes only failed hook Jobs for them', () => {
    for (const text of [
      'ReplicaFailure  True  FailedCreate  (webhook call) Progressing False ProgressDeadlineExceeded',
      'admission webhook failed: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ])
      expect(findComponentText(text)?.kind, text).to.not.equal('hook-job-failed');
  });

  it('finds the missing Secret that ends a handshake, and no other end', () => {
    const ended = (end: string) =>
      findComponentText(`http: TLS handshake error from 192.0.2.1:47288: ${end}`)?.kind;
    expect(ended('secret "policy-webhook-certs" not found')).to.equal('certificate-secret-missing');
    expect(ended('tls: invalid ClientKeyExchange message')).to.equal('handshake-failed');
    expect(ended('session secret rejected')).to.equal('handshake-failed');
  });

  it('finds a failed webhook in the response of an aggregated API', () => {
    const text = `E1206 memcache.go:101] couldn't get resource list for metrics.k8s.io/v1beta1: an error on the server ("Internal Server Error: ${failed('EOF')}") has prevented the request from succeeding`;
    expect(read(text)[0]).to.equal('call-failure');
    expect(
      read(
        "couldn't get resource list for metrics.k8s.io/v1beta1: the server is currently unable to handle the request",
      )[0],
    ).to.equal('aggregated-api');
  });

  it('reads a socket of the node, a probe or a proxy as another text than a program without its socket', () => {
    const missing = (end: string) => `dial unix /run/${end}`;
    const refused = 'connect: connection refused';
    for (const [text, kind] of [
      [`setup failed: ${missing(`spire/sockets/api.sock: ${refused}`)}`, 'socket-missing'],
      [
        `Failed to create pod sandbox: plugin type="multus" failed (add): ${missing(`multus/multus.sock: ${refused}`)}`,
        'pod-not-connected',
      ],
      [
        `Failed to create pod sandbox: unable to connect to Cilium agent: ${missing('cilium/cilium.sock: connect: no such file or directory')}`,
        'pod-not-connected',
      ],
      [`Readiness probe failed: ${missing(`ready.sock: ${refused}`)}`, 'readiness-probe'],
      [`MountVolume.SetUp failed for volume "c": ${missing(`csi.sock: ${refused}`)}`, 'volume-not-mounted'],
      [`connection error: ${missing(`containerd/containerd.sock: ${refused}`)}`, undefined],
      [`proxy error from 127.0.0.1:9443: ${missing(`proxy.sock: ${refused}`)}`, undefined],
    ] as const)
      expect(findComponentText(text)?.kind, text).to.equal(kind);
  });

  it('reads the annotation of the audit log for both kinds of webhooks', () => {
    for (const kind of ['mutation', 'validating'])
      expect(
        findComponentText(
          `"failed-open.${kind}.webhook.admission.k8s.io/round_0_index_6": "mpod.example.com"`,
        )?.kind,
      ).to.equal('failed-open-recorded');
  });

  it('does not take a registry at such an address for the API server', () => {
    const text =
      'Failed to pull image: Get "https://192.168.1.1:443/v2/": dial tcp 192.168.1.1:443: i/o timeout';
    expect(findComponentText(text)?.kind).to.equal('image-pull');
  });

  // More than linear time would exceed mocha's timeout.
  it('needs a time that is linear in a repeated word', () => {
    for (const text of [`job.batch/${'admission'.repeat(110_000)}`, 'job.batch/admission'.repeat(45_000)])
      expect(findComponentText(text)).to.equal(undefined);
  });

  it('needs a time that is linear in spaces', () => {
    for (const text of [
      `${failed('EOF')}${' '.repeat(100_000)}x`,
      `${failed('EOF')}${' '.repeat(50_000)}\n${' '.repeat(50_000)}x`,
    ])
      expect(explainTexts(text, causesOf).texts).to.have.length(1);
  });

  it('does not take the message of a policy engine for Pod Security admission', () => {
    const rule = 'psa:\n  restricted: It violates PodSecurity "restricted:latest": ({Allowed:false})';
    const denied = 'admission webhook "validate.kyverno.svc-fail" denied the request:';
    const { texts } = explainTexts(
      `${denied}\n\npolicy Pod/a/b for resource violation:\n\n${rule}`,
      causesOf,
    );
    expect(texts.map((text) => text.class)).to.deep.equal(['denial']);
    expect(texts[0]?.denial).to.include('restricted');
  });

  for (const [text, ...expected] of [
    [
      failed('x509: certificate is not valid for any names, but wanted to match a.shop.svc'),
      'call-failure',
      'tls',
      'mesh-intercepts-port',
    ],
    // Errors of Go's net, net/http and crypto/tls, and of proxies and tunnels.
    [
      failed('dial tcp: lookup a.shop.svc on [::1]:53: read udp [::1]:4->[::1]:53: read: connection refused'),
      'call-failure',
      'routing',
      'url-in-cluster-name',
    ],
    [
      failed("http2: Transport received Server's graceful shutdown GOAWAY"),
      'call-failure',
      'network',
      'replica-closes-connections',
    ],
    [failed('use of closed network connection'), 'call-failure', 'network', 'replica-closes-connections'],
    [failed('tls: protocol version not supported'), 'call-failure', 'tls', 'tls-version-unsupported'],
    [failed('http: request body too large'), 'call-failure', 'response', 'response-server-error'],
    [
      failed(
        'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/konnectivity.socket: connect: connection refused"',
      ),
      'call-failure',
      'network',
      'tunnel-down',
    ],
    [
      'curl https://a-webhook.shop.svc:443/ curl: (56) Received HTTP code 503 from proxy after CONNECT',
      'call-failure',
      'network',
      'api-server-proxy',
    ],
    [
      'Not ready to switch validation to fail-closed: dummy invalid config not rejected',
      'backend-log',
      'network',
      'failing-open-now',
    ],
    ['leases.coordination.k8s.io "policy" not found', 'backend-log', 'replica', 'leader-lease-stale'],
    // A kind of end of a handshake that no other text describes; of a server that requires other parameters.
    [
      'http: TLS handshake error from 192.0.2.1:44962: tls: invalid ClientKeyExchange message',
      'backend-log',
      'tls',
      undefined,
    ],
    [failed('remote error: tls: handshake failure'), 'call-failure', 'tls', 'cipher-unsupported'],
    [failed('remote error: tls: access denied'), 'call-failure', 'tls', 'client-certificate-demanded'],
    // Requests of a handler, of which its log informs, and of other programs.
    [
      'level=error msg="injector failed to inject for app a: rpc error: code = Canceled desc = context canceled"',
      'backend-log',
      'response',
      'handler-waits-for-service',
    ],
    [
      'msg="Admission review request failed" error="GET https://r.example.com/v2/a: UNAUTHORIZED: authentication required"',
      'backend-log',
      'response',
      'handler-waits-for-service',
    ],
    ['level=error msg="failed to sync: rpc error: code = Unavailable desc = a"'],
    ['Failed to pull: GET https://r.example.com/v2/a: UNAUTHORIZED: authentication required'],
    [
      'level=error msg="Admission succeeded, but pod was not patched. No sidecar injected for app a"',
      'other',
      'scope',
      'pods-without-injection',
    ],
    [
      'I0315 01:14:05.2 1 request.go:665] Waited for 1m52.8s due to client-side throttling, not priority and fairness',
      'backend-log',
      'response',
      'response-slow',
    ],
    [
      'I0315 01:14:05.2 1 request.go:665] Waited for 1.03s due to client-side throttling, not priority and fairness',
    ],
    [
      'I0820 14:38:08.235014       1 request.go:752] "Waited before sending request" delay="13.197854128s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://172.21.0.1:443/apis/a.example.com/v1/namespaces/b/policies"',
      'backend-log',
      'response',
      'response-slow',
    ],
    [
      'I1206 11:51:47.970700       1 request.go:668] Waited for 1.393395897s due to client-side throttling, not priority and fairness, request: GET:https://172.30.0.1:443/api/v1/namespaces/shop',
      'backend-log',
      'response',
      'response-slow',
    ],
    // The discovery of a program that starts, and kubectl.
    [
      'I1206 11:51:47.970700       1 request.go:668] Waited for 1.393395897s due to client-side throttling, not priority and fairness, request: GET:https://172.30.0.1:443/apis/a.example.com/v1?timeout=32s',
    ],
    [
      'I1206 11:51:47.970700   81234 request.go:668] Waited for 1.393395897s due to client-side throttling, not priority and fairness, request: GET:https://172.30.0.1:443/api/v1/namespaces/shop',
    ],
    [
      'Mutating webhook took 1m13.2s to execute (2.43 of its timeout, 30s)',
      'backend-log',
      'response',
      'response-slow',
    ],
    ['Webhook took 16s to execute (0.53 of its timeout, 30s)', 'backend-log', 'response', 'response-slow'],
    ['Webhook took 5ms to execute (0.00 of its timeout, 30s)'],
    ['Webhook took 9s to execute (0.30 of its timeout, 30s)'],
    ['GitHub webhook took 3s, timeout is 10s'],
    ['http: TLS handshake error from 127.0.0.6:41573: EOF', 'backend-log', 'network', 'mesh-intercepts-port'],
    [
      'webhook: error building admission chain: Get "https://172.30.0.1:443/api": dial tcp 172.30.0.1:443: i/o timeout',
      'backend-log',
      'network',
      'pods-cannot-reach-api-server',
    ],
    ['[-]tracker failed: reason withheld', 'backend-log', 'replica', 'replica-readiness-failing'],
    ['[-]poststarthook/start-controllers failed: reason withheld'],
    ['[-]etcd failed: reason withheld'],
    // A Secret that its reader creates.
    ['error reading Secret: secrets "policy" not found, will attempt to create new one...'],
    ['secrets "policy-tls" not found', 'backend-log', 'replica', 'serving-secret-missing'],
    // An image of another release than its manifest.
    [
      'level=fatal msg="Error starting policy server: cannot get required environment variable, env NODE_NAME is not set"',
      'backend-log',
      'replica',
      'process-cannot-start',
    ],
    [
      'Error: environment variable POD_NAMESPACE must be set',
      'backend-log',
      'replica',
      'process-cannot-start',
    ],
    // An address after the reason is one to read about it.
    [
      '× webhook has a valid certificate: x509: certificate is valid for other.shop.svc, not policy.shop.svc see https://example.com/checks for hints',
      'call-failure',
      'tls',
      'serving-certificate-name-mismatch',
    ],
    // Cilium, if the Service has no ready endpoint.
    [
      'failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": dial tcp 192.0.2.1:443: connect: operation not permitted',
      'call-failure',
      'network',
      'calls-failed-at-start',
    ],
    ['secrets "policy-tokens" not found', 'backend-log', 'replica', 'serving-secret-missing'],
    [
      'webhook "failed to process webhook request" err="rejecting admission review because the request does not contain an Ingress resource but networking.k8s.io/v1, Kind=Ingress"',
      'backend-log',
      'response',
      'denies-plain-object',
    ],
    [
      'widgets.example.com is forbidden: User "kube-apiserver" cannot list widgets.example.com at the cluster scope',
      'backend-log',
      'registration',
      'response-unauthorized',
    ],
    [
      'unable to retrieve the complete list of server APIs: a.example.com/v1: Get "https://203.0.113.1:443/apis/a.example.com/v1": dial tcp 203.0.113.1:443: connect: connection refused',
      'backend-log',
      'network',
      undefined,
    ],
    [
      'error when evicting pods/"a": admission webhook "a.example.com" denied the request: dial tcp 203.0.113.1:443: connect: connection refused',
      'denial',
      'response',
      'handler-waits-for-service',
    ],
    ["meshRef shouldn't be nil, please check webhook setup", 'other', 'effect', 'product-without-webhooks'],
    ['the owner is not set: make sure the webhook is running', 'other', 'effect', 'product-without-webhooks'],
    [
      'unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
      'aggregated-api',
      'response',
      'autoscalers-get-no-metrics',
    ],
    [
      'unable to fetch metrics from Kubelet node-1 (node-1): Get https://node-1:10250/stats/summary/: dial tcp: lookup node-1 on 203.0.113.10:53: server misbehaving',
      'other',
      'network',
      undefined,
    ],
    [
      'drain error related to admission webhook denied request: no kind "Eviction" is registered for version "policy/v1"',
      'denial',
      'response',
      'denies-plain-object',
    ],
    // Messages of the condition Available, which the API server writes, without its reason.
    [
      'endpointslices for service/a in "shop" have no addresses with port name "https"',
      'aggregated-api',
      'backend',
      'no-ready-endpoint',
    ],
    ['cannot find endpointslices for service/a in "shop"', 'aggregated-api', 'backend', 'no-ready-endpoint'],
    ['service/a in "shop" is not present', 'aggregated-api', 'routing', 'service-missing'],
    ['service/a in "shop" is not listening on port 443', 'aggregated-api', 'routing', 'service-missing'],
    [
      failed('stream error: stream ID 13; INTERNAL_ERROR'),
      'call-failure',
      'network',
      'replica-closes-connections',
    ],
    [
      'Internal error occurred: add operation does not apply: doc is missing path: "/metadata/annotations/x": missing value',
      'call-failure',
      'response',
      'response-patch-invalid',
    ],
    [
      'Internal error occured: jsonpatch add operation does not apply: doc is missing path: "/spec/volumes/0"',
      'call-failure',
      'response',
      'response-patch-invalid',
    ],
    [
      'the webhook panics with runtime error: invalid memory address or nil pointer dereference',
      'backend-log',
      'response',
      'replica-closes-connections',
    ],
    [
      'unable to retrieve the complete list of server APIs: a.example.com/v1: the server could not find the requested resource, b.example.com/v1: the server could not find the requested resource',
      'aggregated-api',
      'response',
      'apiservice-unavailable',
    ],
    [
      'pods.metrics.k8s.io is forbidden: User "system:anonymous" cannot list pods.metrics.k8s.io at the cluster scope.',
      'backend-log',
      'registration',
      'response-unauthorized',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: unexpected conversion version from "example.com/v1" to "example.com/v2"',
      'conversion',
      'response',
      'response-conversion-failed',
    ],
    [
      'F1127 15:50:00.000000       1 config.go:190] mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "system:serviceaccount:shop:policy" cannot create resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
      'backend-log',
      'registration',
      'service-account-lacks-rights',
    ],
    [
      failed(
        'an error on the server ("subjectaccessreviews.authorization.k8s.io is forbidden: User \\"a\\" cannot create resource") has prevented the request from succeeding',
      ),
      'call-failure',
      'response',
      'service-account-lacks-rights',
    ],
    [
      'failing or missing response from https://203.0.113.9:443/apis/g/v1: bad status from https://203.0.113.9:443/apis/g/v1: 401',
      'aggregated-api',
      'response',
      'response-unauthorized',
    ],
    [
      failed('received invalid webhook response: expected response.uid="a", got ""'),
      'call-failure',
      'response',
      'response-uid-mismatch',
    ],
    [
      failed('webhook returned response.patch but not response.patchType'),
      'call-failure',
      'response',
      'response-patch-invalid',
    ],
    [
      'Cannot complete cluster master operations because the cluster has a broken webhook application.',
      'other',
      'backend',
      'no-ready-endpoint',
    ],
    [
      'Cluster has webhooks that intercept system resources (K8S_ADMISSION_WEBHOOK_UNSAFE)',
      'other',
      'scope',
      'covers-node-heartbeats',
    ],
    [
      'loading OpenAPI spec for "v1alpha1.tap.example.com" failed with: failed to retrieve openAPI spec, http error: ResponseCode: 503, Body: Error trying to reach service: \'x509: certificate signed by unknown authority\'',
      'aggregated-api',
      'tls',
      'stale-ca-bundle',
    ],
    [failed('service "a" not found'), 'call-failure', 'routing', 'orphaned-configuration'],
    [failed('x509: certificate signed by unknown authority'), 'call-failure', 'tls', 'stale-ca-bundle'],
    [failed('context deadline exceeded'), 'call-failure', 'network', 'firewall-target-port'],
    ['no service port \'ƻ\' found for service "a"', 'call-failure', 'routing', 'service-port-missing'],
    ['failed calling webhook "a.example.com"', 'call-failure', 'unknown', 'calls-failed-at-start'],
    ['failed calling webhook: timeout', 'call-failure', 'network', 'firewall-target-port'],
    [
      'Internal error occurred: admission webhook timed out',
      'call-failure',
      'network',
      'firewall-target-port',
    ],
    ['tls: failed to verify certificate', 'call-failure', 'tls', 'stale-ca-bundle'],
    [
      'v1beta1.metrics.k8s.io failed with: Get https://203.0.113.9:443: dial tcp 203.0.113.9:443: getsockopt: connection refused',
      'aggregated-api',
      'network',
      'no-ready-endpoint',
    ],
    [
      'failing or missing response from https://203.0.113.9:443/apis/g/v1:bad status from https://203.0.113.9:443/apis/g/v1:401',
      'aggregated-api',
      'response',
      'response-unauthorized',
    ],
    [
      'Expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=;',
      'call-failure',
      'response',
      'response-version-mismatch',
    ],
    ['service "a" not found', 'call-failure', 'routing', 'orphaned-configuration'],
    [
      'x509: certificate is valid for b.shop.svc, not a.shop.svc',
      'call-failure',
      'tls',
      'serving-certificate-name-mismatch',
    ],
    [
      'http: TLS handshake error from 192.0.2.1:4: remote error: tls: bad certificate',
      'backend-log',
      'tls',
      'stale-ca-bundle',
    ],
    ['http: TLS handshake error from 192.0.2.1:4: EOF', 'backend-log', 'network', undefined],
    [
      'write tcp 198.51.100.7:9443->192.0.2.1:41059: write: broken pipe',
      'backend-log',
      'response',
      'response-slow',
    ],
    [
      failed('write tcp 192.0.2.1:41059->198.51.100.7:9443: write: broken pipe'),
      'call-failure',
      'network',
      'calls-failed-at-start',
    ],
    [
      failed('read unix @->/socket/konnectivity: read: connection reset by peer'),
      'call-failure',
      'network',
      'tunnel-down',
    ],
    [
      'http: panic serving 192.0.2.1:4: runtime error',
      'backend-log',
      'response',
      'replica-closes-connections',
    ],
    [
      'Error from server (BadRequest): admission webhook "a.example.com" does not support dry run',
      'call-failure',
      'registration',
      'side-effects-refuse-dry-run',
    ],
    ['admission webhook "a.example.com" denied the request: no', 'denial', 'response', 'denies-plain-object'],
    [
      'unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
      'aggregated-api',
      'routing',
      'apiservice-unavailable',
    ],
    [
      'The CustomResourceDefinition "w.example.com" is invalid: spec.conversion.webhookClientConfig.caBundle: Invalid value: []byte{0xa}: unable to load root certificates: unable to parse bytes as PEM block.',
      'storage',
      'tls',
      'ca-bundle-invalid',
    ],
    [
      'Timeout: request did not complete within requested timeout - context deadline exceeded',
      'call-failure',
      'response',
      'timeout-budget-exceeded',
    ],
    [
      '{"level":"fatal","msg":"failed getting validating webhook","err":"the server could not find the requested resource"}',
      'other',
      'registration',
      'product-without-webhooks',
    ],
    [
      'F0907 10:26:15.502685 11 main.go:208] the server could not find the requested resource',
      'other',
      'registration',
      'product-without-webhooks',
    ],
    [
      'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
      'aggregated-api',
      'registration',
      'metrics-api-missing',
    ],
    [
      'failed to list *v1beta1.PodMetrics: the server could not find the requested resource',
      'aggregated-api',
      'registration',
      'metrics-api-missing',
    ],
    [
      failed('the server could not find the requested resource'),
      'call-failure',
      'response',
      'response-path-not-found',
    ],
    [
      'v1beta1.metrics.k8s.io failed with: failing or missing response from https://192.0.2.9:443/apis/metrics.k8s.io/v1beta1: bad status from https://192.0.2.9:443/apis/metrics.k8s.io/v1beta1: 403',
      'aggregated-api',
      'response',
      'response-unauthorized',
    ],
    [
      failed("invalid character '<' looking for beginning of value"),
      'call-failure',
      'response',
      'response-not-a-review',
    ],
    [
      failed('error converting YAML to JSON: yaml: line 2: mapping values are not allowed'),
      'call-failure',
      'response',
      'response-not-a-review',
    ],
    [
      'Readiness probe failed: Get "https://198.51.100.7:8443/healthz": dial tcp 198.51.100.7:8443: connect: connection refused',
      'backend-log',
      'replica',
      'replica-readiness-failing',
    ],
    [
      'panic: listen tcp :9443: bind: address already in use',
      'backend-log',
      'replica',
      'host-network-port-conflict',
    ],
    [
      'cert-manager/cainjector "msg"="unable to fetch associated secret" "error"="secrets \\"policy-tls\\" not found"',
      'backend-log',
      'tls',
      'ca-injection-broken',
    ],
    [
      failed(
        'Post "https://policy.shop.svc:443/?timeout=30s": read tcp 192.0.2.1:4321->203.0.113.10:443: i/o timeout',
      ),
      'call-failure',
      'network',
      'response-slow',
    ],
    ['does not support dry run', 'call-failure', 'registration', 'side-effects-refuse-dry-run'],
    [
      'error when evicting pods/"kafka-1" -n "kafka": admission webhook "drain.example.com" denied the request: the Pod is moved first',
      'denial',
      'response',
      'evictions-denied',
    ],
    [
      'Error from server (Conflict): Operation cannot be fulfilled on namespaces "a": The system is ensuring all content is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.',
      'aggregated-api',
      'effect',
      'apiservice-unavailable',
    ],
    ["got secret, but it did not contain a 'ca' key", 'backend-log', 'tls', 'serving-secret-incomplete'],
    ["no secret with 'policy-admission' in 'shop'", 'backend-log', 'replica', 'serving-secret-missing'],
    ['error: Metrics API not available', 'aggregated-api', 'routing', 'apiservice-unavailable'],
    [
      'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get nodes.metrics.k8s.io)',
      'aggregated-api',
      'routing',
      'apiservice-unavailable',
    ],
    [
      failed('the server is currently unable to handle the request'),
      'call-failure',
      'response',
      'response-server-error',
    ],
    [
      'v1beta1.m.example.com  shop/m  False (MissingEndpoints)',
      'aggregated-api',
      'backend',
      'no-ready-endpoint',
    ],
    [
      'v1beta1.m.example.com  shop/m  False (ServiceNotFound)',
      'aggregated-api',
      'routing',
      'service-missing',
    ],
    [
      'E0416 17:41:23.982673 1 authentication.go:65] Unable to authenticate the request due to an error: x509: certificate signed by unknown authority',
      'backend-log',
      'response',
      'response-unauthorized',
    ],
    [
      failed(
        'proxy error from 127.0.0.1:9345 while dialing 198.51.100.7:8443, code 504: 504 Gateway Timeout',
      ),
      'call-failure',
      'network',
      'network-policy-shields-webhook',
    ],
    [
      failed('proxy error from 127.0.0.1:9345 while dialing 198.51.100.7:8443, code 502: 502 Bad Gateway'),
      'call-failure',
      'network',
      'tunnel-down',
    ],
    [
      failed('net/http: request canceled (Client.Timeout exceeded while awaiting headers)'),
      'call-failure',
      'network',
      'response-slow',
    ],
    [
      failed(
        'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      ),
      'call-failure',
      'network',
      'firewall-target-port',
    ],
    [
      'http: TLS handshake error from 192.0.2.1:4: read tcp 198.51.100.7:1->192.0.2.1:4: i/o timeout',
      'backend-log',
      'network',
      'packets-lost-by-node',
    ],
    [
      'dial tcp: lookup a.shop.svc on x.x.x.x: no such host',
      'call-failure',
      'routing',
      'url-in-cluster-name',
    ],
    ["no service port 'ⓣ' found", 'call-failure', 'routing', 'service-port-missing'],
    ['unable to inject cert to webhook.', 'backend-log', 'tls', 'ca-injection-broken'],
    [
      'could not refresh CA and server certs: Operation cannot be fulfilled on apiservices.apiregistration.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      'other',
      'ownership',
      'configuration-fought-over',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://c.shop.svc:443/convert?timeout=30s": EOF',
      'conversion',
      'network',
      'replica-closes-connections',
    ],
    [
      'leases.coordination.k8s.io "a" is forbidden: User "system:serviceaccount:shop:a" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "shop"',
      'backend-log',
      'replica',
      'service-account-lacks-rights',
    ],
    [
      'MutatingWebhookConfiguration.admissionregistration.k8s.io "a" is invalid: [webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun]',
      'storage',
      'registration',
      'product-without-webhooks',
    ],
    [
      'error validating "a.yaml": error validating data: [ValidationError(ValidatingWebhookConfiguration.webhooks[0]): missing required field "sideEffects" in io.k8s.api.admissionregistration.v1.ValidatingWebhook]',
      'storage',
      'registration',
      'product-without-webhooks',
    ],
    [
      'Warning  FailedCreate  75s (x5 over 3m45s)  job-controller  Error creating: Internal error occurred: failed calling webhook "a.example.com": Post "https://a.shop.svc:443/p?timeout=10s": no endpoints available for service "a"',
      'call-failure',
      'backend',
      'calls-failed-at-start',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type float64',
      'conversion',
      'response',
      'response-conversion-failed',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: 0-length response with status code: 200 and content type: application/json',
      'conversion',
      'response',
      'response-empty',
    ],
    [
      'failed calling webhook "a.example.com": converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
      'call-failure',
      'response',
      'response-version-mismatch',
    ],
    [
      'failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/p?timeout=10s": x509: certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm SHA1-RSA" while trying to verify candidate authority certificate "a")',
      'call-failure',
      'tls',
      'weak-signature',
    ],
    [
      'Get "https://203.0.113.1:443/api?timeout=32s": x509: certificate signed by unknown authority',
      'backend-log',
      'replica',
      'pods-cannot-reach-api-server',
    ],
    [
      'Failed to get API Group-Resources: Get "https://203.0.113.1:443/api?timeout=32s": net/http: TLS handshake timeout',
      'backend-log',
      'network',
      undefined,
    ],
    [
      'failing or missing response from https://203.0.113.9:443/apis/metrics.k8s.io/v1beta1: Get "https://203.0.113.9:443/apis/metrics.k8s.io/v1beta1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'aggregated-api',
      'tls',
      'stale-ca-bundle',
    ],
    [
      '2020-07-20T06:18:32.342Z INFO leader Not the leader. Waiting.',
      'backend-log',
      'replica',
      'leader-lease-stale',
    ],
    [
      'x509: certificate is valid for ip-192-0-2-7.example.internal, not policy.shop.svc',
      'call-failure',
      'tls',
      'host-network-port-conflict',
    ],
    [
      'x509: certificate is valid for policy.shop, localhost, not policy.shop.svc',
      'call-failure',
      'tls',
      'serving-certificate-name-mismatch',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: no kind "Widget" is registered for version "example.com/v2" in scheme "pkg/runtime/scheme.go:100"',
      'conversion',
      'response',
      'response-conversion-failed',
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget returned 0 objects, expected 1',
      'conversion',
      'response',
      'response-conversion-failed',
    ],
    [
      'v1beta1.metrics.k8s.io failed with: failing or missing response from',
      'aggregated-api',
      'unknown',
      'unreachable-from-control-plane',
    ],
    [
      'Error starting manager: conversion webhook service is not accessible after 1m0s',
      'backend-log',
      'backend',
      'no-ready-endpoint',
    ],
    [
      'Register webhook failed: the server could not find the requested resource (get mutatingwebhookconfigurations.admissionregistration.k8s.io injector)',
      'other',
      'registration',
      'product-without-webhooks',
    ],
    [
      'Error from server (AlreadyExists): apiservices.apiregistration.k8s.io "v1beta1.metrics.k8s.io" already exists',
      'other',
      'ownership',
      'duplicate-installation',
    ],
    [
      'panic: ValidatingAdmissionWebhook [policy] is already registered using services endpoints in a different namespace',
      'other',
      'ownership',
      'duplicate-installation',
    ],
    [
      'roles.rbac.authorization.k8s.io is forbidden: User "***" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "shop"',
      'other',
      'replica',
      'service-account-lacks-rights',
    ],
    [
      'services is forbidden: User "jane@example.com" cannot create resource "services" in API group "" in the namespace "kube-system": Provider authz: the namespace is managed',
      'other',
      'ownership',
      undefined,
    ],
    [
      'clusterroles.rbac.authorization.k8s.io "a" is forbidden: user "jane" is attempting to grant RBAC permissions not currently held: {APIGroups:["admissionregistration.k8s.io"], Resources:["mutatingwebhookconfigurations"], Verbs:["update"]}',
      'other',
      'registration',
      undefined,
    ],
    [
      'xx drop (Policy denied) flow 0x0 to endpoint 22370, identity remote-node->5510: 192.0.2.1:42494 -> 198.51.100.7:9443 tcp SYN',
      'other',
      'network',
      'network-policy-shields-webhook',
    ],
    [
      'Failed to generate serving certificate, retrying: internal error: CA certificate has expired, try again later',
      'backend-log',
      'tls',
      'ca-bundle-expired',
    ],
    ['Service "policy" not found', 'call-failure', 'routing', 'orphaned-configuration'],
    [
      'secrets is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" in the namespace "shop": RBAC: clusterrole.rbac.authorization.k8s.io "policy" not found',
      'backend-log',
      'replica',
      'service-account-lacks-rights',
    ],
    [
      'failed to setup network for sandbox "8d4a": invalid argument',
      'backend-log',
      'replica',
      'network-plugin-failing',
    ],
    ['policy-7c9d5b6f4-x2x7k   0/1   Pending   0   41m', 'backend-log', 'replica', 'replica-unschedulable'],
    [
      'ssl.SSLError: [SSL: KEY_VALUES_MISMATCH] key values mismatch (_ssl.c:4067)',
      'backend-log',
      'tls',
      'serving-secret-mismatched-key',
    ],
    [
      'unable to fetch metrics from external metrics API: the server could not find the descriptor for metric queue: googleapi: Error 404',
      'aggregated-api',
      'response',
      'autoscalers-get-no-metrics',
    ],
    [
      'unable to fetch metrics from external metrics API: queue.external.metrics.k8s.io is forbidden: User "system:vpa-recommender" cannot list resource "queue" in API group "external.metrics.k8s.io" in the namespace "shop"',
      'other',
      'replica',
      'service-account-lacks-rights',
    ],
    [
      'Error from server: error dialing backend: proxy error from vpn-server:9443 while dialing 192.0.2.2:10250, code 503: 503 Service Unavailable',
      'other',
      'network',
      'tunnel-down',
    ],
    [
      'failed to get image from containerd "sha256:1eb": image "example.com/certgen@sha256:3c8": not found',
      'backend-log',
      'replica',
      'replica-image-pull-failing',
    ],
    [
      'Certificate verification failed, rotating the certificate: the certificate is invalid: x509: certificate signed by unknown authority',
      'backend-log',
      'tls',
      'secret-ca-differs-from-ca-bundle',
    ],
    [
      'invalid certs. retrying...: x509: certificate signed by unknown authority',
      'backend-log',
      'tls',
      'secret-ca-differs-from-ca-bundle',
    ],
    [
      'unable to validate certificates: x509: certificate has expired or is not yet valid',
      'backend-log',
      'tls',
      'secret-ca-differs-from-ca-bundle',
    ],
    [
      failed(
        'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while tr',
      ),
      'call-failure',
      'tls',
      'served-certificate-differs-from-secret',
    ],
    [
      "FileNotFoundError: [Errno 2] No such file or directory: '/certs/tls.key'",
      'backend-log',
      'replica',
      'serving-secret-missing',
    ],
    [
      'java.io.FileNotFoundException: /etc/webhook/keystore.p12 (No such file or directory)',
      'backend-log',
      'replica',
      'serving-secret-missing',
    ],
    [
      'Error: listen EADDRINUSE: address already in use :::8443',
      'backend-log',
      'replica',
      'host-network-port-conflict',
    ],
    [
      "System.Security.Authentication.AuthenticationException: Authentication failed because the remote party sent a TLS alert: 'UnknownCA'.",
      'backend-log',
      'tls',
      'stale-ca-bundle',
    ],
    [
      'SSLV3_ALERT_BAD_CERTIFICATE: failed calling webhook "a.example.com":',
      'backend-log',
      'tls',
      'stale-ca-bundle',
    ],
    [
      'ERROR kube_client::client::builder: failed with error error trying to connect: tcp connect error: No route to host (os error 113)',
      'backend-log',
      'network',
      undefined,
    ],
    [
      'kapp: Error: Timed out waiting after 15m0s for resources: apiservice/v1beta1.metrics.k8s.io (apiregistration.k8s.io/v1) cluster',
      'aggregated-api',
      'backend',
      'apiservice-unavailable',
    ],
    [
      'APIService/v1beta1.metrics.k8s.io is part of applications argocd/a and b',
      'other',
      'ownership',
      'duplicate-installation',
    ],
    [
      'Error: UPGRADE FAILED: no ValidatingWebhookConfiguration with the name "policy" found',
      'other',
      'registration',
      'product-without-webhooks',
    ],
    [
      'NamespaceDeletionDiscoveryFailure   True   Tue, 06 Dec 2022   DiscoveryFailed',
      'aggregated-api',
      'effect',
      'apiservice-unavailable',
    ],
    [
      'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: widgets.example.com has 1 resource instances',
      'other',
      'effect',
      'namespace-deletion-blocked',
    ],
    [
      'HPA throws unable to handle the request (get pods.metrics.k8s.io) error',
      'aggregated-api',
      'routing',
      'apiservice-unavailable',
    ],
    [
      "cluster doesn't provide client-ca-file in configmap/extension-apiserver-authentication in kube-system",
      'backend-log',
      'registration',
      'response-unauthorized',
    ],
    [
      '‼ proxy-injector cert is valid for at least 60 days certificate will expire on 2022-02-24T23:15:08Z',
      'other',
      'tls',
      'serving-certificate-expiring',
    ],
    [
      'E0816 failed to wait for policy caches to sync: timed out waiting for caches to sync',
      'backend-log',
      'replica',
      'service-account-lacks-rights',
    ],
    [
      'Warning FailedCreate 7s (x13 over 28s) replicaset-controller Error creating: ',
      'denial',
      'response',
      'denies-plain-object',
    ],
    [
      'x509: certificate is not authorized to sign other certificates',
      'call-failure',
      'tls',
      'ca-not-allowed-to-sign',
    ],
    // A Service address or the port of a kubelet: firewalls of managed control planes do not drop it.
    [
      failed('dial tcp 10.96.4.7:443: i/o timeout'),
      'call-failure',
      'network',
      'unreachable-from-control-plane',
    ],
    [failed('dial tcp 10.2.0.3:8443: i/o timeout'), 'call-failure', 'network', 'firewall-target-port'],
    [
      'v1beta1.metrics.k8s.io failed with: failing or missing response from https://10.97.179.122:443/apis/metrics.k8s.io/v1beta1: Get "https://10.97.179.122:443/apis/metrics.k8s.io/v1beta1": context deadline exceeded',
      'aggregated-api',
      'network',
      'unreachable-from-control-plane',
    ],
    // The first object after an installation, and any other one.
    [
      `Error from server (InternalError): error when creating "issuer.yaml": ${failed('x509: certificate signed by unknown authority')}`,
      'call-failure',
      'tls',
      'ca-bundle-empty',
    ],
    [
      `Error from server (InternalError): error when creating "a.yaml": ${failed('x509: certificate signed by unknown authority')}`,
      'call-failure',
      'tls',
      'stale-ca-bundle',
    ],
    [failed('x509: certificate signed by unknown authority'), 'call-failure', 'tls', 'stale-ca-bundle'],
    [
      'Error from server (Timeout): Timeout: request did not complete within requested timeout 30s',
      'call-failure',
      'response',
      'firewall-target-port',
    ],
    [
      failed('ssh: rejected: connect failed (Connection refused)'),
      'call-failure',
      'network',
      'replica-not-listening',
    ],
    ['Error: dial tcp 10.43.0.1:443: connect: no route to host', 'backend-log', 'network', undefined],
    [
      'cannot create certificate signing request: CertificateSigningRequest.certificates.k8s.io "csr-1" is invalid: spec.signerName: Required value',
      'other',
      'tls',
      'certificate-not-issued',
    ],
    [
      '"error":"mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden:',
      'backend-log',
      'registration',
      'service-account-lacks-rights',
    ],
    [
      'Get "https://10.43.0.1:443/api?timeout=32s": dial tcp 10.43.0.1:443: i/o timeout',
      'backend-log',
      'network',
      undefined,
    ],
  ] as const)
    it(`recognises ${text.slice(-90)}`, () => expect(read(text)).to.deep.equal(expected));

  for (const text of [
    '',
    'hello',
    'the build failed with exit code 1',
    'x509 errors',
    'Operation cannot be fulfilled on deployments.apps "a": the object has been modified; please apply your changes to the latest version and try again',
    'no space left on device',
    'Get "https://192.168.1.1:443/metrics": dial tcp 192.168.1.1:443: i/o timeout',
    'remote write failed: dial tcp 10.20.30.1:443: i/o timeout',
    'I0131 10:14:31.617880 1 controller_utils.go:1041] Waiting for caches to sync for garbage collector controller',
    'Error: creating CodeBuild Webhook (a): OAuthProviderException: Failed to create webhook. Repository not found or permission denied.',
    'Error: default failed to create kubernetes rest client: Get "https://localhost/api?timeout=32s": remote error: tls: internal error',
    '  type: NamespaceDeletionDiscoveryFailure',
    'NamespaceDeletionContentFailure   False   Thu, 11 Aug 2022   ContentDeleted   All content successfully deleted',
    'the certificate of the web site will expire on 2026-01-01',
    'Updated current TLS certificate',
    'Error: cannot find the serving certificate',
    'fatal: unable to access: server certificate verification failed. CAfile: none',
    'webhook is reachable after 3 attempts',
    'Error from server (AlreadyExists): deployments.apps "policy" already exists',
    'v1beta1.metrics.k8s.io   kube-system/metrics-server   True   33m',
    'Error from server (InternalError): Internal error occurred: error executing command in container: http: invalid Host header',
    'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    'level=error component=dispatcher err="web.hook/webhook[0]: notify retry canceled: Post \\"http://127.0.0.1:5001/\\": dial tcp 127.0.0.1:5001: connect: connection refused"',
    'GitHub webhook delivery failed: context deadline exceeded',
    'certificate is valid for *.example.com, example.com, not www.example.org',
    'failed calling service foo: EOF',
    'x509: certificate is valid for 10.43.0.1, 127.0.0.1, not 192.0.2.7',
    'Network Error: certificate signed by unknown authority',
    'failed to load plugins: x509: certificate has expired or is not yet valid',
    'err="transport: authentication handshake failed: x509: certificate is valid for 127.0.0.1, not 192.0.2.7"',
    '"msg":"rejected connection","remote-addr":"192.0.2.7:55694","error":"remote error: tls: bad certificate"',
    'Put https://agent.dc.consul:8500/v1/agent/service/register: remote error: tls: bad certificate',
    'remote write: Post "https://mimir.example.com/api/v1/push": context deadline exceeded',
    'etcd: failed to reach https://192.0.2.1:2380: Get https://192.0.2.1:2380/version: dial tcp 192.0.2.1:2380: connect: connection refused',
    'Failed to send webhook notification: 502 Bad Gateway',
    'failed to create webhook: POST https://api.github.com/repos/a/b/hooks: 404 Not Found []',
    'clusterroles.rbac.authorization.k8s.io "a" is forbidden: attempt to grant extra privileges: [] user=&{jane  [] map[]}',
    'add operation applied',
    'log.go:198] http: proxy error: x509: certificate signed by unknown authority',
    'The HTTP call equal to curl -sSL http://localhost:10248/healthz failed with error: Get "http://localhost:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused',
    'job backup-nightly failed: BackoffLimitExceeded',
    'the certificate request form',
    'error validating data: ValidationError(Deployment.spec): unknown field "foo"',
    'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 4',
    'no matches for kind "Widget" in the search results',
    'Skipping injection of HttpClient because the bean is not unique',
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/model.bin'",
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    'Using a webhook to send notifications: x509: certificate signed by unknown authority',
    'HyperError: error trying to connect: invalid peer certificate: UnknownIssuer',
  ])
    it(`does not recognise "${text}"`, () => expect(recognise(text)).to.equal(undefined));

  for (const text of [
    'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    'Error: webhooks[12].rules[0].scope: Unsupported value: "namespaced"',
  ])
    it(`recognises the validation of a configuration without its name: ${text}`, () => {
      const found = recognise(text);
      expect(found && knownTextsOf(found)[0]).to.equal('object-invalid');
    });

  for (const [text, kind] of [
    ['panic: unable to load the policies', 'crash-loop'],
    ['http: panic serving 198.51.100.7:14914: runtime error: index out of range [1]', 'handler-panic'],
    ['Startup probe failed: HTTP probe failed with statuscode: 500', 'restart-probe'],
    ['operator TLS secret: cannot get webhook tls secret', 'volume-not-mounted'],
  ] as const)
    it(`knows whether the process or one request ended: ${text}`, () => {
      const found = recognise(text);
      expect(found && knownTextsOf(found)[0]).to.equal(kind);
    });

  for (const text of [
    'converting (v1beta1.MutatingWebhookConfiguration) to (v1.MutatingWebhookConfiguration): unknown conversion',
    'error: error upgrading connection: unable to upgrade connection: container not found ("app")',
    'level=error msg="Drone webhook: cannot post" error="dial tcp 192.0.2.1:443: connect: connection refused"',
    'error sending the event to the webhook: context deadline exceeded',
  ])
    it(`does not recognise what no webhook or kubelet causes: ${text}`, () => {
      expect(recognise(text)).to.equal(undefined);
    });

  // crypto/tls: X509KeyPair.
  for (const text of [
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    'open: tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [PRIVATE KEY]',
    '{"error": "tls: failed to find PEM block with type ending in \\"PRIVATE KEY\\" in key input after skipping PEM blocks of the following types: [CERTIFICATE]"}',
    'tls: failed to parse private key',
  ])
    it(`knows that the process cannot load its certificate: ${text}`, () => {
      const found = recognise(text);
      expect(found && knownTextsOf(found)[0]).to.equal('key-pair-unreadable');
    });

  for (const [text, symptom] of [
    ['tls: server selected unsupported protocol version 301', 'alert-of-version'],
    ['x509: malformed certificate', 'certificate-malformed'],
    ['Unauthorized', 'unauthorized'],
    ['dial tcp 203.0.113.10:443: connect: network is down', 'network-unreachable'],
    [
      'could not get REST client: tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [PUBLIC KEY]',
      'own-certificate-invalid',
    ],
  ] as const)
    it(`knows an error of Go: ${text}`, () => {
      const found = recognise(`failed calling webhook "policy.example.com": ${text}`);
      expect(found && knownTextsOf(found)[0]).to.equal(symptom);
    });

  it('knows an API server that has just started', () => {
    const found = recognise(
      'Error from server (Forbidden): pods "web" is forbidden: not yet ready to handle request',
    );
    expect(found && knownTextsOf(found)[0]).to.equal('configurations-unreadable');
  });

  for (const text of [
    'Address is not allowed, failed calling admission webhook "policy.example.com"',
    'failed calling webhook "policy.example.com" because the x509 certificate has expired.',
    'failed calling webhook "policy.example.com": Post "https://policy.shop.svc:443/validate?timeout=10s": Address i',
    'Internal error occurred: failed calling webhook "policy.example.com": failed to call w',
  ])
    it(`reads a cause that is before the name, reworded, or cut: ${text}`, () => {
      const found = recognise(text);
      expect(found?.of === 'call' && (found.error.cause?.kind ?? 'cut')).to.equal(
        /^Address/.test(text) ? 'address-not-allowed' : text.includes('x509') ? 'expired' : 'cut',
      );
    });

  it('treats a Job that only waits for a webhook as that, not as one that creates certificates', () => {
    const found = recognise(
      'failed post-install: job cert-manager-startupapicheck failed: BackoffLimitExceeded',
    );
    expect(found && knownTextsOf(found)[0]).to.equal('webhook-not-ready-in-time');
  });

  for (const { kind, says } of componentTexts)
    it(`puts the example of ${kind} into that class`, () => {
      const found = recognise(says);
      expect(found && knownTextsOf(found)[0]).to.equal(kind);
    });

  it('treats a call to another host, or without mention of webhooks, as that of any program', () => {
    const ofUrl = (url: string): string => `${url}: x509: certificate signed by unknown authority`;
    for (const text of [
      ofUrl('Post "https://chat.example.com/hook"'),
      ofUrl('Post "https://interceptors.shop.svc:8443/gitlab"'),
      ofUrl('Put "https://vault.shop.svc:8200/v1/sys/health"'),
      ofUrl('Get "https://127.0.0.1:8200/v1/sys/seal-status"'),
      'level=error msg="Notify for 3336 alerts failed: context deadline exceeded"',
      'transport: Error while dialing dial tcp 127.0.0.1:2379: connect: connection refused',
    ]) {
      expect(recognise(text), text).to.equal(undefined);
      expect(nearestTo(text)?.means, text).to.match(
        /^The message does not show .*If another program made it/,
      );
    }
    for (const text of [
      ofUrl('Post "https://policy.shop.svc:443/hook?timeout=10s"'),
      ofUrl('Post "https://198.51.100.7:9443/hook?timeout=10s"'),
      ofUrl('Get "https://198.51.100.7:9443/apis/metrics.example.com/v1"'),
      ofUrl('Post "https://hooks.example.com/hook?timeout=10s"'),
      'dial tcp 198.51.100.7:8443: i/o timeout',
      'read tcp 192.0.2.1:5000->198.51.100.7:8443: read: connection reset by peer',
      'Error: context deadline exceeded',
    ])
      expect(recognise(text)?.of, text).to.equal('call');
  });

  it('reports that the caller is unknown for the end of a call alone', () => {
    const means = (text: string) => explainTexts(text, causesOf).texts[0]?.means;
    expect(means('Error: context deadline exceeded')).to.match(
      /^The message does not show which program made this call\..*The webhook timeout/,
    );
    expect(means(failed('context deadline exceeded'))).to.match(/^The webhook timeout ended/);
    expect(means('calling the webhook: context deadline exceeded')).to.match(/^The webhook timeout ended/);
  });

  it('recognises a panic that controller-runtime returns as a denial', () => {
    const [found] = explainTexts(
      'admission webhook "a.example.com" denied the request: panic: runtime error: index out of range [recovered]',
      causesOf,
    ).texts;
    expect(found?.class).to.equal('denial');
    expect(found?.means).to.match(/^The handler of the webhook panicked/);
  });

  it('says that a template is that of the program only for an injector, in short sentences', () => {
    const means = (message: string) =>
      explainTexts(`admission webhook "a.example.com" denied the request: ${message}`, causesOf).texts[0]
        ?.means ?? '';
    expect(means('template: inject:1: function "foo" not defined')).to.match(
      /^The template by which the program.* If every object is denied, correct the ConfigMap/,
    );
    for (const name of ['inject', 'alert'])
      for (const sentence of means(`template: ${name}:1: function "foo" not defined`).split(/(?<=\.) /))
        expect(sentence.split(' ').length, sentence).to.be.at.most(25);
    expect(means('Rules are not valid: template: __alert_Foo:1: function "foo" not defined')).to.match(
      /^A template or its values have an error\. If the object contains them/,
    );
  });

  it('puts a slow handler before NetworkPolicies only for policy engines', () => {
    const causes = (webhook: string) =>
      explainTexts(
        `failed calling webhook "${webhook}": Post "https://a.shop.svc:443/v?timeout=10s": context deadline exceeded`,
        causesOf,
      )
        .texts[0]?.causes.slice(0, 3)
        .map(({ check }) => check);
    expect(causes('policy.sigstore.dev'))
      .to.include('response-slow')
      .and.not.include('network-policy-shields-webhook');
    expect(causes('a.example.com'))
      .to.include('network-policy-shields-webhook')
      .and.not.include('response-slow');
  });

  it('says that a container of a webhook may lack the resources that a quota requires', () => {
    const quota =
      'Error creating: pods "a-1" is forbidden: failed quota: compute: must specify limits.cpu for: injected';
    const [text] = explainTexts(quota, causesOf).texts;
    expect(text?.means).to.include('a container that a webhook adds').and.not.include('no webhook is');
  });

  it('explains objects that are too large, and selectors that are immutable, of a webhook only', () => {
    const means = (text: string) => explainTexts(text, causesOf).texts[0]?.means;
    const selector = (name: string) =>
      `cannot patch "${name}" with kind Deployment: Deployment.apps "${name}" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"x"}}: field is immutable`;
    expect(means(selector('policy-webhooks-server'))).to.include('Delete the workload');
    expect(means(selector('shop'))).to.equal(undefined);
    const annotations =
      'The CustomResourceDefinition "widgets.example.com" is invalid: metadata.annotations: Too long: must have at most 262144 bytes';
    expect(means(annotations)).to.include('server-side apply');
    expect(means('Error from server: etcdserver: request is too large')).to.include('larger than etcd');
    expect(means('Error from server: etcdserver: request timed out') ?? '').to.not.include(
      'larger than etcd',
    );
  });

  it('explains a clientConfig with a url beside a service', () => {
    const [found] = explainTexts(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: webhooks[0].clientConfig: Required value: exactly one of url or service is required',
      causesOf,
    ).texts;
    expect(found?.means).to.include('both `url` and `service`');
  });

  it('puts a missing permission first if a cache is not filled', () => {
    const [cache] = explainTexts('timed out waiting for widget caches to sync', causesOf).texts;
    expect(cache?.causes[0]?.check).to.equal('service-account-lacks-rights');
    const [forbidden] = explainTexts(
      'failed to list *v1.A: as is forbidden:\n  User "system:serviceaccount:a:b" cannot list resource "as"\n  at the cluster scope',
      causesOf,
    ).texts;
    expect(forbidden?.means).to.include('not permitted');
  });

  it('gives doctor no name that a webhook cannot have, but the Service if there is one', () => {
    const commands = (text: string) => explainTexts(text, causesOf).texts[0]?.commands;
    for (const name of ['....', 'XXXX', '<redacted>', 'a$(touch)x'])
      expect(commands(`admission webhook "${name}" does not support dry run`), name).to.include(
        'kubectl webhook doctor',
      );
    expect(
      commands(
        'failed calling webhook "XXXX": Post "https://policy.shop.svc:443/a?timeout=10s": context deadline exceeded',
      ),
    ).to.include('kubectl webhook doctor shop/policy');
  });

  it('explains the reason of an unknown authority alone as that', () => {
    const reason = 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
    const [alone] = explainTexts(reason, causesOf).texts;
    expect(alone?.causes.map(({ check }) => check)).to.include('served-certificate-differs-from-secret');
  });

  it('distinguishes a refused binding from a Pod without a node', () => {
    const refused =
      'Warning  FailedScheduling  72s   scheduler  binding rejected: running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"';
    expect(recogniseAll(refused)).to.deep.equal([]);
    expect(
      read('Warning  FailedScheduling  1s  default-scheduler  persistentvolumeclaim "data" not found'),
    ).to.deep.equal(['backend-log', 'replica', 'replica-unschedulable']);
    expect(
      read(
        `Warning  FailedScheduling  44s  default-scheduler  binding rejected: running Bind plugin "DefaultBinder": ${failed('no endpoints available for service "a"')}`,
      ).slice(0, 2),
    ).to.deep.equal(['call-failure', 'backend']);
  });

  it('explains a CRD that lacks the fields of its conversion webhook, or has them without the strategy', () => {
    const means = (end: string) =>
      explainTexts(
        `CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: ${end}`,
        causesOf,
      ).texts[0]?.means;
    const needed =
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook';
    expect(means(`[${needed}, spec.conversion.conversionReviewVersions: Required value]`)).to.include(
      'without the fields of the webhook',
    );
    expect(
      means(`${needed}, but not allowed because the CustomResourceWebhookConversion feature is disabled`),
    ).to.include('feature is disabled');
    expect(
      means('spec.conversion.webhookClientConfig.service.name: Required value: service name is required'),
    ).to.include('The message names the field');
    expect(means('status.storedVersions[0]: Invalid value: "v1be')).to.include('does not list a version');
    expect(means('status.storedVersions: Invalid value: []: must have at least one')).to.include(
      'The message names the field',
    );
  });

  it('calls a missing OpenAPI document harmless, but not one that cannot be loaded', () => {
    const line = (end: string) =>
      `loading OpenAPI spec for "v1beta1.custom.metrics.k8s.io" failed with: ${end}`;
    const [missing] = explainTexts(line('OpenAPI spec does not exist'), causesOf).texts;
    expect(missing?.means).to.include('harmless');
    expect(missing?.groupVersion).to.equal('custom.metrics.k8s.io/v1beta1');
    const [failing] = explainTexts(
      line('failed to retrieve openAPI spec, http error: ResponseCode: 503, Body: service unavailable'),
      causesOf,
    ).texts;
    expect(failing?.means).to.include('503').and.not.include('harmless');
    const [old] = explainTexts(
      'an error on the server ("Internal Server Error: \\"/apis/custom.metrics.k8s.io/v1beta1\\": the server could not find the requested resource") has prevented the request from succeeding',
      causesOf,
    ).texts;
    expect(old?.means).to.include('1.22 removed v1beta1');
    expect(old?.groupVersion).to.equal('custom.metrics.k8s.io/v1beta1');
    const [other] = explainTexts(
      'webhook.go:199] Failed to make webhook authorizer request: Post "https://203.0.113.1:443/apis": context canceled',
      causesOf,
    ).texts;
    expect(other?.means).to.include('not an admission webhook');
    expect(recogniseAll('loading OpenAPI spec for "" failed with: APIService  does not exist')).to.deep.equal(
      [],
    );
  });

  it('reads the name of a metric with separators as the resource of its API', () => {
    const [text] = explainTexts(
      'the server is currently unable to handle the request (get custom.example.com|queue|messages.external.metrics.k8s.io)',
      causesOf,
    ).texts;
    expect(text?.resource).to.equal('custom.example.com|queue|messages.external.metrics.k8s.io');
  });

  it('reads a certificate of an operator that is not active, but no inactive other thing', () => {
    expect(
      read('Warning  APIServiceResourceIssue  operator  found the serving cert not active').slice(0, 2),
    ).to.deep.equal(['backend-log', 'tls']);
    expect(recogniseAll('the certificate authority is inactive; account not active')).to.deep.equal([]);
  });

  it('names the admission plugin that rejects, if no webhook does', () => {
    const means = (words: string) => explainTexts(words, causesOf).texts[0]?.means;
    for (const [words, plugin] of [
      ['pods "a" is forbidden: failed quota: compute: must specify limits.memory for: c', 'ResourceQuota'],
      [
        'pods "a" is forbidden: [minimum memory usage per Container is 64Mi, but request is 1Mi, memory max limit to request ratio per Container is 2, but provided ratio is 512.000000]',
        'LimitRange',
      ],
      [
        'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
        'LimitRange',
      ],
      ['configmaps "a" is forbidden: exceeded quota: objects, requested: configmaps=1', 'ResourceQuota'],
      [
        'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
        'Pod Security',
      ],
      [
        'pods "a" is forbidden: error looking up service account shop/a: serviceaccount "a" not found',
        'ServiceAccount',
      ],
      ['pods "a" is forbidden: pod rejected: RuntimeClass "a" not found', 'RuntimeClass'],
      [
        "services \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: expression 'object.spec.x == 1' resulted in error: no such key: x",
        'the policy is at fault',
      ],
      [
        "deployments.apps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.spec.replicas <= 5",
        'denies the request',
      ],
    ] as const) {
      expect(means(words), words).to.include(plugin);
      expect(means(words), words).to.match(/no webhook is involved|The API server itself refuses/i);
    }
    for (const words of [
      'pods "a" is forbidden: User "jane" cannot create resource "pods" in API group "" in the namespace "shop"',
      failed('maximum memory usage per Container'),
    ])
      expect(means(words) ?? '', words).to.not.match(/ResourceQuota|LimitRange/);
  });

  it('finds the process that cannot load a certificate, and the client that waits for a webhook', () => {
    const [unreadable, pem] = ['tls: failed to find any PEM data in certificate input', 'kubeconfig'];
    for (const [text, cause, words] of [
      [`error: ${unreadable}`, undefined, `kubectl itself: it cannot load its ${pem}`],
      [
        `failed calling webhook "a.example.com": could not get REST client: ${unreadable}`,
        undefined,
        'client certificate that it presents',
      ],
      [`main: ${unreadable}`, 'serving-secret-incomplete', 'The process cannot load its certificate'],
      [
        'waiting for webhook to be ready: context deadline exceeded',
        'no-ready-endpoint',
        'its own time limit',
      ],
      [
        `waiting for the webhook: ${failed('x509: certificate signed by unknown authority')}`,
        'stale-ca-bundle',
        'caBundle',
      ],
    ] as const) {
      const [found] = explainTexts(text, causesOf).texts;
      expect(found?.means, text).to.include(words);
      expect(found?.causes[0]?.check, text).to.equal(cause);
    }
  });

  it('distinguishes the response of a mesh proxy from a connection that was open', () => {
    for (const [end, cause] of [
      ['RBAC: access denied', 'mesh-intercepts-port'],
      [
        'an error on the server ("upstream connect error or disconnect/reset before headers. reset reason: connection failure") has prevented the request from succeeding',
        'mesh-intercepts-port',
      ],
      ['read tcp 192.0.2.1:5000->198.51.100.7:8443: read: connection reset by peer', 'calls-failed-at-start'],
      ['EOF', 'replica-closes-connections'],
    ] as const)
      expect(read(failed(end))[2], end).to.equal(cause);
    expect(recognise('upstream connect error or disconnect/reset before headers')).to.equal(undefined);
  });

  it('distinguishes a URL from a Service, and each TLS alert from the others', () => {
    const ofUrl = (url: string, end: string): string =>
      `failed calling webhook "a.example.com": failed to call webhook: Post "https://${url}/v?timeout=10s": ${end}`;
    for (const [text, cause] of [
      [ofUrl('127.0.0.1:9443', 'dial tcp 127.0.0.1:9443: connect: connection refused'), 'url-loopback'],
      [ofUrl('policy.example.org', 'dial tcp 192.0.2.1:443: i/o timeout'), 'url-unreachable'],
      [
        ofUrl('policy.example.org', 'dial tcp: lookup policy.example.org: no such host'),
        'url-not-resolvable',
      ],
      [
        ofUrl('a.shop.svc.cluster.local', 'dial tcp: lookup a.shop.svc.cluster.local: no such host'),
        'url-in-cluster-name',
      ],
      [
        ofUrl('a.shop.svc:443', 'dial tcp 192.0.2.1:443: connect: connection refused'),
        'calls-failed-at-start',
      ],
      [
        ofUrl('a-webhook-service...', 'dial tcp 192.0.2.1:443: connect: connection refused'),
        'calls-failed-at-start',
      ],
      [failed('remote error: tls: protocol version not supported'), 'tls-version-unsupported'],
      [failed('remote error: tls: certificate required'), 'client-certificate-demanded'],
      [failed('remote error: tls: bad certificate'), 'client-certificate-demanded'],
      [failed('remote error: tls: unrecognized name'), 'sni-refused'],
      [failed('remote error: tls: internal error'), 'server-has-no-certificate'],
      [
        failed(
          'x509: certificate signed by unknown authority (possibly because of "x509: invalid signature: parent certificate cannot sign this kind of certificate" while trying to verify candidate authority certificate "a-ca")',
        ),
        'served-certificate-differs-from-secret',
      ],
      [
        'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
        'response-patch-invalid',
      ],
      [
        'the namespace of the provided object does not match the namespace sent on the request',
        'response-patch-invalid',
      ],
    ] as const)
      expect(read(text)[2], text).to.equal(cause);
    expect(
      read(
        'failing or missing response from https://192.0.2.9:443/apis/g/v1: Get "https://192.0.2.9:443/apis/g/v1": dial tcp 192.0.2.9:443: connect: connection refused',
      )[2],
    ).to.not.equal('url-unreachable');
  });

  it('does not name a webhook as the cause if the text is about something else', () => {
    for (const text of [
      'json: cannot unmarshal string into Go struct field Config.replicas of type int',
      'the server has received too many requests and has asked us to try again later (get pods)',
      'waiting for webhook delivery timed out: GitHub did not respond',
      'the server is currently unable to handle the request (get services scraper). Retrying in 30 seconds.',
    ])
      expect(recognise(text), text).to.equal(undefined);
    for (const text of [
      'failed pre-upgrade: 1 error occurred: * job database-migrate failed: BackoffLimitExceeded',
      'no matches for kind "Ingress" in version "extensions/v1beta1"',
      'Get "https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/a/leases/b?timeout=5s": context deadline exceeded',
    ])
      expect(
        explainTexts(text, causesOf).texts.map(({ causes }) => causes),
        text,
      ).to.deep.equal([[]]);
    expect(
      read('Failed to pull image "a/b:1": Head "https://a/v2/": dial tcp: lookup a: i/o timeout')[2],
    ).to.equal('replica-image-pull-failing');
    expect(
      read('failed pre-install: 1 error occurred: * job a-admission-create failed: BackoffLimitExceeded')[2],
    ).to.equal('certificate-job-failed');
  });

  it('recognises a patch that does not decode by the API server’s message alone', () => {
    for (const end of [
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
      "invalid character ',' after top-level value",
      'v1.Pod.Spec: v1.PodSpec.Containers: []v1.Container: readObjectStart: expect { or n, but found [',
    ])
      expect(read(`Error creating: Internal error occurred: ${end}`)[2], end).to.equal(
        'response-patch-invalid',
      );
    expect(
      recognise('json: cannot unmarshal string into Go struct field Config.port of type int')?.error?.cause
        ?.kind,
    ).to.not.equal('patch-invalid');
  });

  it('does not report a kubelet whose API server refuses connections as a slow webhook', () => {
    const lease = (end: string) =>
      explainTexts(
        `"Failed to ensure lease exists, will retry" err="Get \\"https://192.0.2.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n?timeout=10s\\": ${end}" interval="7s"`,
        causesOf,
      ).texts[0]?.causes.map(({ check }) => check);
    expect(lease('dial tcp 192.0.2.1:6443: connect: connection refused')).to.deep.equal([]);
    expect(lease('context deadline exceeded')).to.deep.equal(['covers-node-heartbeats']);
  });

  it('does not name managers of a configuration in a conflict about a Secret', () => {
    const text = 'Operation cannot be fulfilled on secrets "a": the object has been modified';
    const found = recognise(text);
    expect(found && knownTextsOf(found)).to.deep.equal(['secret-write-conflict']);
    expect(explainTexts(text, causesOf).texts[0]?.causes).to.deep.equal([]);
  });

  it('reads the framed message of a denial, which has lines of its own, and no others', () => {
    const frame = '-'.repeat(79);
    const text = `Error: admission webhook "a.example.com" denied the request: \n${frame}\nError: exit status 1\n2020/10/15 10:30:28 [emerg] 237#237: unexpected end of file\n\n${frame}\nError: other`;
    const [one, ...others] = explainTexts(text, causesOf).texts;
    expect(one?.denial).to.equal(
      'Error: exit status 1 2020/10/15 10:30:28 [emerg] 237#237: unexpected end of file',
    );
    expect(others).to.deep.equal([]);
    const open = text.replace(new RegExp(`\\n\\n${frame}[^]*`), '\n'.repeat(3) + 'x\n'.repeat(20));
    expect(explainTexts(open, causesOf).texts[0]?.denial?.length).to.be.lessThan(120);
  });

  it('finds the failed call that a denial quotes, and puts consequences after their cause', () => {
    const quoted =
      'admission webhook "outer.example.com" denied the request: Internal error occurred: failed calling webhook "inner.example.com": Post "https://inner.shop.svc:443/?timeout=5s": x509: certificate has expired or is not yet valid';
    expect(recogniseAll(quoted).map(({ error }) => error?.webhook)).to.deep.equal([
      'inner.example.com',
      'outer.example.com',
    ]);
    const log = 'E1 leader election lost\n\nE2 tls: private key does not match public key';
    expect(explainTexts(log, causesOf).texts.map(({ link }) => link)).to.deep.equal(['tls', 'replica']);
  });

  for (const [words, kind] of [
    ['node a, http response from https://192.0.2.7:10250/stats is 401', 'denial-not-authorized'],
    [
      'pods is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "pods"',
      'denial-not-authorized',
    ],
    ['Get "https://registry.example.com/v2/": context deadline exceeded', 'denial-own-call-failed'],
    ['the cache is not started, can not read objects', 'denial-not-ready'],
    ['license expired on 2026-01-01', 'denial-unlicensed'],
    ['policy engine not initialized', 'denial-not-ready'],
    ...[
      'no leader elected yet',
      'not leader',
      'waiting for leader election',
      'waiting to become leader',
      'leader election has not finished',
      'this webhook is in standby mode',
      'controller is not the leader yet, please retry later.',
      'webhook not ready: leader election in progress',
      'this replica is not the leader',
      'the controller is not the leader, requests are served by policy-abc',
      'I am not the leader',
      'cannot validate: no leader has been elected yet',
      'instance is not the leader, try another one',
      'standby instance cannot serve requests',
      'policy store is not ready',
    ].map((words) => [words, 'denial-not-ready'] as const),
    ['leader election is not enabled in spec.manager', 'denial'],
    ['SecretStore shop/vault is not ready', 'denial'],
    ['PostgresCluster shop/db is in standby mode', 'denial'],
    ['role must be follower, not leader', 'denial-by-rule'],
    ['spec.leader: etcd member etcd-0 is not leader; it must name the leader', 'denial-by-rule'],
    ['spec.standby: standby replica cannot serve as primary; set spec.primary to another instance', 'denial'],
    ['spec.source: source server is in standby mode, it must be a primary', 'denial-by-rule'],
    [
      'object store is not ready: CephObjectStore rook-ceph/store must be Ready before a user can be created',
      'denial-by-rule',
    ],
    ['cannot switch over PostgresCluster shop/db: no leader elected', 'denial'],
    ['Pod "db-0" cannot be evicted: leader election in progress in cluster shop/db', 'denial'],
    ['cannot delete topic a: partition 3 is waiting for leader election', 'denial'],
    ['replica db-0 is not the leader', 'denial'],
    ['this replica is not the leader of cluster shop/db', 'denial'],
    ['the instance is not the leader, change spec.primary', 'denial'],
    [
      'failed to parse values.yaml: yaml: line 3: mapping values are not allowed in this context',
      'denial-template',
    ],
    // About the object, not the program.
    ['RedisCluster shop/a is not initialized, scale is not permitted', 'denial'],
    ['Redis cache "a" is not ready', 'denial'],
    ['Subscription quota exceeded for team shop', 'denial'],
    ['expect resource to be {a v1 widgets}, but found {a v1 gadgets}', 'denial-unknown-kind'],
    ['no kind "Gadget" is registered for version "a/v1"', 'denial-unknown-kind'],
    ['unsupported webhook operation UPDATE', 'denial-unknown-kind'],
    ['unsupported operation: shrinking the volume from 20Gi to 10Gi', 'denial'],
    ['unknown operation mode "fast" for field spec.mode', 'denial'],
    [
      'Widget "a" is invalid: spec.replicas: Forbidden: unsupported operation, scaling down is not supported',
      'denial-by-rule',
    ],
    ['spec.size: Forbidden: unsupported operation: update', 'denial-by-rule'],
    ['unsupported operation DELETE: the volume must be detached', 'denial-by-rule'],
    // The reason of a Status without a message.
    ['Forbidden', 'denial'],
    ['Not permitted.', 'denial'],
    ['Unauthorized', 'denial-of-user'],
    ['no kind "Eviction" is registered for version "policy/v1"', 'eviction-not-supported'],
    ['no kind "EvictionPlan" is registered for version "a/v1"', 'denial-unknown-kind'],
    ['unable to decode into *v1.Store: there is no content to decode', 'denial-undecodable'],
    ['unexpected end of JSON input', 'denial-undecodable'],
    [
      'failed to unmarshal JSON from: /var/run/linkerd/config/values: error unmarshaling JSON: json: cannot unmarshal string',
      'denial-own-file',
    ],
    ['loading policies: open /etc/policy/policy.yaml: no such file or directory', 'denial-own-file'],
    ['cannot read /etc/webhook/config.yaml: yaml: line 3', 'denial-own-file'],
    ['template: inject:1: function "nope" not defined', 'denial-own-template'],
    [
      'failed to run injection template: template: inject:29:111: executing "inject" at <.NativeSidecars>: can\'t evaluate field NativeSidecars in type *inject.SidecarTemplateData',
      'denial-own-template',
    ],
    [
      'template: inject:64:29: executing "inject" at <index .Spec.Containers 1>: error calling index: index out of range: 1',
      'denial-own-template',
    ],
    ['spec.template is not valid: template: injected:1: unexpected "}" in operand', 'denial-template'],
    ['spec.sidecarTemplate: template: sidecars:1: function "x" not defined', 'denial-template'],
    ['Rules are not valid: template: __alert_Foo:1: function "foo" not defined', 'denial-template'],
    ['spec.template: web:8080: unexpected port', 'denial'],
    ['failed to parse YAML in data["config"]', 'denial'],
    ['[host-files] Pod is not allowed to read files from /etc/kubernetes', 'denial-by-rule'],
    ['hostPath volumes may not open /var/run/docker.sock', 'denial'],
    [
      'mutation failed: cannot decode incoming new object: json: unknown field "volumeClaimTemplate"',
      'denial-of-other-release',
    ],
    [
      'json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int',
      'denial-of-other-release',
    ],
    ['Internal error occurred: the field ".spec.replicas" does not exist', 'denial-internal'],
    ['Internal error occurred: Get "https://192.0.2.1/api": i/o timeout', 'denial-own-call-failed'],
    ['no internal error occurred: ports must differ', 'denial-by-rule'],
    ['Internal error occurred: failed calling the registry', 'denial'],
    ['the field json is unknown', 'denial'],
    ['the Secret has no content', 'denial'],
    ['replicas must be 401 at most', 'denial-by-rule'],
    ['[no-host-port] container web specifies a host port', 'denial-by-rule'],
    ['the policy {"[denied by no-host-port]":["container web"]} rejects it', 'denial-by-rule'],
    ['host "_" and path "/x" is already defined in ingress shop/x', 'denial-by-rule'],
    ['spec.size: Invalid value: 9: at most 3', 'denial-by-rule'],
    ['resource Pod/shop/a was blocked due to the following policies', 'denial-by-rule'],
    // The reason is in the program, whatever the object must be.
    [
      'cannot verify that images must be signed: Get "https://r.example.com": EOF: i/o timeout',
      'denial-own-call-failed',
    ],
    ['ports must be checked: failed to get namespace "shop": i/o timeout', 'denial-own-call-failed'],
    ['the tag is not allowed: unable to fetch the list of registries', 'denial-own-call-failed'],
    [
      'pods must not run: error retrieving policy: rpc error: code = Unavailable desc = a',
      'denial-own-call-failed',
    ],
    [
      'image must be signed: GET https://r.example.com/v2/a: DENIED: access forbidden',
      'denial-own-call-failed',
    ],
    ['unable to get label "team", which is required', 'denial-by-rule'],
    ['the documentation of GET requests must be in the annotation', 'denial-by-rule'],
    [
      'no kind is registered for the type v1.Gadget in scheme "a.go:1", which is not allowed',
      'denial-unknown-kind',
    ],
    ['no matches for kind "Gadget" in version "a/v1"', 'denial-unknown-kind'],
    ['one trigger has to have the type Value', 'denial-by-rule'],
    ['Deployment.apps "web" not found', 'denial-not-found'],
    ['validation failed: secret "\\"policy\\"" not found: spec', 'denial-not-found'],
    ['failed to get Secret: secrets "policy" not found', 'denial-not-found'],
    ['label "team" not found', 'denial'],
    ['owner not found in the directory', 'denial'],
    ['Error: exit status 1', 'denial'],
    ['mustache.yaml has no host', 'denial'],
    ['Unauthorized', 'denial-of-user'],
    ['Permission denied.', 'denial-of-user'],
    [
      'user "system:serviceaccount:shop:operator" is attempting to grant RBAC permissions not currently held: {APIGroups:[""], Resources:["secrets"], Verbs:["create"]}',
      'denial-of-user',
    ],
    ['Prevented from accessing the managed resources of the platform.', 'denial-of-user'],
    ['the permissions of the role are not currently held in a file', 'denial'],
    ['spec.managedResources prevents an update', 'denial'],
    ['unauthorized image registry', 'denial'],
    ['unsupported webhook operation UPDATE', 'denial-unknown-kind'],
    ['the operation UPDATE is unknown', 'denial'],
    ['you may not delete pods of the leader', 'denial'],
    ['the kind of Issuer must not be changed', 'denial-by-rule'],
  ] as const)
    it(`recognises a denial with "${words}": ${kind}`, () => {
      const found = recognise(`admission webhook "a.example.com" denied the request: ${words}`);
      expect(knownTextsOf(found as never)[0]).to.equal(kind);
      expect(classOf(found as never)).to.equal('denial');
    });

  it('distinguishes a client that does not reach or trust the API server from a Pod that cannot resolve names', () => {
    const kindOf = (text: string) => knownTextsOf(recognise(text) as never)[0];
    const api = 'https://api.example.com:6443/apis/authentication.k8s.io/v1/tokenreviews';
    expect(kindOf(`Post "${api}": x509: certificate signed by unknown authority`)).to.equal(
      'api-server-not-trusted',
    );
    expect(kindOf('Unable to connect to the server: x509: certificate has expired')).to.equal(
      'kubeconfig-unreadable',
    );
    expect(kindOf('listen tcp :443: bind: permission denied')).to.equal('port-or-file-denied');
    const meansOf = (text: string) => findComponentText(text)?.means;
    for (const port of ['80', '443', '1023'])
      expect(meansOf(`listen tcp 0.0.0.0:${port}: bind: permission denied`)).to.include('below 1024');
    for (const at of ['tcp 0.0.0.0:8443', 'tcp :1024', 'unix /run/plugin.sock'])
      expect(meansOf(`listen ${at}: bind: permission denied`)).to.include('SELinux');
    expect(meansOf('accept tcp [::]:9443: accept4: too many open files')).to.include('its open files');
    expect(kindOf('The connection to the server 192.0.2.1:6443 was refused')).to.equal(
      'kubeconfig-unreadable',
    );
    expect(
      kindOf('Get "https://registry.example.com/v2/": dial tcp: lookup registry.example.com: no such host'),
    ).to.equal('name-not-resolved');
  });

  it('reads a text whose quotes a logger escaped', () => {
    const line =
      'ERROR Failed to watch {"error": "failed to list *v1.Secret: secrets is forbidden: User \\"system:serviceaccount:shop:policy\\" cannot list resource \\"secrets\\""}';
    const found = recognise(line);
    expect(found && knownTextsOf(found)).to.deep.equal(['not-authorized']);
  });

  it('finds the process that waits for its own conversion, if no endpoint serves it', () => {
    const ids = (text: string): readonly string[] =>
      recogniseAll(text).flatMap((found) => causeIds(found, (known) => explanations[known] ?? []));
    const converting = (end: string, before = 'Failed to list *v1.Widget'): string =>
      `${before}: conversion webhook for example.com/v1, Kind=Widget failed: Post "https://a.shop.svc:443/c?timeout=30s": ${end}`;
    const none = 'no endpoints available for service "a"';
    expect(ids(converting(none))[0]).to.equal('conversion-deadlock');
    // Another client only shows that the webhook does not respond.
    for (const before of ['Error from server', 'Failed to list *v1.Gadget'])
      expect(ids(converting(none, before)).slice(0, 2), before).to.deep.equal([
        'calls-failed-at-start',
        'conversion-deadlock',
      ]);
    expect(ids(converting('context deadline exceeded'))).not.to.include('conversion-deadlock');
    expect(ids(failed('no endpoints available for service "a"'))).not.to.include('conversion-deadlock');
  });

  it('prefers the reason why an APIService is not available to the name of its condition', () => {
    const text =
      'FailedDiscoveryCheck: failing or missing response from https://203.0.113.9:8081/apis/g/v1: Get "https://203.0.113.9:8081/apis/g/v1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)';
    expect(read(text)).to.deep.equal(['aggregated-api', 'network', 'firewall-target-port']);
    expect(read('False (FailedDiscoveryCheck)')[2]).to.equal('unreachable-from-control-plane');
  });

  it('distinguishes a certificate of another Service of the namespace from one with wrong names', () => {
    const mismatch = (names: string): unknown =>
      recognise(failed(`x509: certificate is valid for ${names}, not a.shop.svc`))?.error?.cause;
    expect(mismatch('b.shop.svc, b.shop.svc.cluster.local')).to.include({
      symptom: 'certificate-of-other-service',
      wanted: 'a.shop.svc',
    });
    for (const names of ['a.other.svc', 'b.other.svc', 'b.shop.svc, a.shop'])
      expect(mismatch(names), names).to.include({ symptom: 'name-mismatch' });
  });

  it('has a check or commands of its own for every text', () => {
    const alone = [...Object.entries(errorTexts), ...componentTexts.map((text) => [text.kind, text] as const)]
      .filter(([kind, { next }]) => next === undefined && explanations[kind as never] === undefined)
      .map(([kind]) => kind);
    expect(alone).to.deep.equal([]);
  });

  it('does not report a port that is not in the Service as a refusal of the Pod', () => {
    const refusal = (port: number) =>
      knownTextsOf(
        recognise(failed(`dial tcp 198.51.100.7:${port}: connect: connection refused`)) as never,
      )[0];
    expect(refusal(9443)).to.equal('endpoint-refused');
    expect(refusal(443)).to.equal('connection-refused');
  });

  it('knows a client without credentials in the aggregation layer', () => {
    const text = 'forbidden: User "system:anonymous" cannot get path "/apis/custom.metrics.k8s.io/v1beta1"';
    expect(recognise(text)).to.deep.include({ of: 'component' });
    expect(knownTextsOf(recognise(text) as never)).to.deep.equal(['aggregation-not-configured']);
  });

  it('suggests the nearest known text for an unknown one', () => {
    expect(nearestTo('certificate problem: unknown authority signed it')?.says).to.include(
      'unknown authority',
    );
    expect(nearestTo('hello world')).to.equal(undefined);
    expect(
      nearestTo('unable to get metrics for resource cpu: no metrics returned from resource metrics API'),
    ).to.equal(undefined);
  });
});

/** Likeliest causes of the first record of a text. */
const causesIn = (text: string): readonly string[] => {
  const [record = ''] = recordsOf(text).records;
  const found = recognise(record);
  return found === undefined ? [] : causeIds(found, (known) => explanations[known] ?? []);
};

/** The likeliest cause of each text in the input, by all of it. */
const firstIn = (input: string): readonly (string | undefined)[] =>
  explainTexts(input, causesOf).texts.map(({ causes }) => causes[0]?.check);

describe('the likeliest cause', () => {
  const call = (webhook: string, service: string, end: string): string =>
    `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://${service}.svc:443/v?timeout=10s": ${end}`;
  const certManager = (end: string): string =>
    call('webhook.cert-manager.io', 'cert-manager-webhook.cert-manager', end);

  it('of a timeout is no firewall if the product listens at a port that control planes may use', () => {
    expect(firstIn(certManager('context deadline exceeded'))).to.deep.equal([
      'unreachable-from-control-plane',
    ]);
    expect(
      firstIn(
        'conversion webhook for cert-manager.io/v1, Kind=Issuer failed: Post "https://cert-manager-webhook.cert-manager.svc:443/convert?timeout=30s": context deadline exceeded',
      ),
    ).to.deep.equal(['unreachable-from-control-plane']);
    // The text shows another port, or names another product.
    for (const text of [
      certManager('dial tcp 203.0.113.9:10260: i/o timeout'),
      call('a.example.com', 'a.cert-manager', 'context deadline exceeded'),
    ])
      expect(firstIn(text), text).to.deep.equal(['firewall-target-port']);
  });

  it('of a timeout is a slow response only for engines that evaluate policies', () => {
    expect(
      firstIn(call('validate.kyverno.svc-fail', 'kyverno-svc.kyverno', 'context deadline exceeded')),
    ).to.deep.equal(['response-slow']);
    expect(
      firstIn(
        call('namespace.sidecar-injector.istio.io', 'istiod.istio-system', 'context deadline exceeded'),
      ),
    ).to.deep.equal(['firewall-target-port']);
  });

  it('of an unknown authority is an empty caBundle, if an injector writes it', () => {
    const unknown = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    expect(firstIn(certManager(unknown))).to.deep.equal(['ca-bundle-empty']);
    expect(firstIn(call('mwidget.kb.io', 'widget-webhook-service.widget-system', unknown))).to.deep.equal([
      'ca-bundle-empty',
    ]);
    const hint =
      ' (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "a-ca")';
    for (const [text, first] of [
      [call('a.example.com', 'a-webhook.shop', unknown), 'stale-ca-bundle'],
      [certManager(unknown + hint), 'served-certificate-differs-from-secret'],
      [call('a.example.com', 'webhook-services.shop', unknown), 'stale-ca-bundle'],
    ] as const)
      expect(firstIn(text), text).to.deep.equal([first]);
  });

  it('names the APIService of the text in the steps', () => {
    const [text] = explainTexts(
      'unable to retrieve the complete list of server APIs: a.example.com/v1: the server is currently unable to handle the request',
      () => [{ id: 'a', title: 'A', advice: 'Read it: `kubectl get apiservice {configuration} -o yaml`.' }],
    ).texts;
    expect(text?.causes[0]?.advice?.names).to.include({
      kind: 'apiservice',
      configuration: 'v1.a.example.com',
    });
  });

  it('of a failed call is a deadlock, if a program that runs the cluster ends because of it', () => {
    const late = call('a.example.com', 'a.shop', 'context deadline exceeded').replaceAll('"', '\\"');
    for (const [text, first] of [
      [`level=fatal msg="Failed to apply network policy a to kube-system: ${late}"`, 'bootstrap-deadlock'],
      [`F1129 10:00:00.000000       1 main.go:80] kube-system: cannot write: ${late}`, 'bootstrap-deadlock'],
      [`level=fatal msg="rpc error: code = Unknown desc = ${late}"`, 'firewall-target-port'],
      [`level=error msg="cannot apply a: ${late}"`, 'firewall-target-port'],
    ] as const)
      expect(firstIn(text), text).to.deep.equal([first]);
  });

  it('of a failed write of a node at its start is a deadlock', () => {
    const late = call('a.example.com', 'a.shop', 'context deadline exceeded');
    for (const text of [
      `Failed to set annotations and labels on node n1: ${late}`,
      `Unable to set control-plane role label: ${late}`,
    ])
      expect(firstIn(text), text).to.deep.equal(['bootstrap-deadlock']);
    for (const text of [
      `Failed creating a pod for "web": ${late}`,
      `kubelet.go:1690] "Failed creating a mirror pod for" err="${late.replaceAll('"', '\\"')}" pod="kube-system/kube-apiserver-cp1"`,
      `cannot set labels on namespace shop: ${late}`,
      `kubelet.go:1690] Failed creating a mirror pod: admission webhook "a.example.com" denied the request: no`,
    ])
      expect(firstIn(text), text).to.not.include('bootstrap-deadlock');
  });

  it('of a failed call is first that of its end, if a client ends because of it', () => {
    const ending = (end: string): string => call('x.example.com', 'y.kube-system', end);
    const none = ending('no endpoints available for service "y"');
    for (const text of [
      `[FATAL] terraform apply: ${none}`,
      `F0224 12:00:01.000000   45021 main.go:55] ${none}`,
      `time="2026-11-29T12:00:01Z" level=fatal msg="${none.replaceAll('"', '\\"')}"`,
    ])
      expect(causesIn(text).slice(0, 2), text).to.deep.equal(['calls-failed-at-start', 'bootstrap-deadlock']);
    const tunnel = `time="2026-11-29T12:00:01Z" level=fatal msg="${ending('No agent available').replaceAll('"', '\\"')}"`;
    expect(causesIn(tunnel)[0]).to.equal('tunnel-down');
    for (const start of ['F0224 12:00:01.000000 1 helm.go:86] kube-system UPGRADE FAILED: ', '[FATAL] '])
      expect(causesIn(start + ending('the server could not find the requested resource')))
        .to.include('response-path-not-found')
        .and.not.include('bootstrap-deadlock');
  });

  it('of a certificate for other names is that of the process, if its Service is missing in it', () => {
    const invalid = (names: string): string =>
      `invalid certs. retrying...: x509: certificate is valid for ${names}`;
    expect(findComponentText(invalid('policy.shop.svc, not policy.default.svc'))?.kind).to.equal(
      'own-certificate-other-name',
    );
    for (const text of [
      "fatal: unable to access 'https://git.corp/': SSL: certificate verification failed: x509: certificate is valid for *.corp.com, not git.corp",
      'TLS certificate validation failed for registry.example.com: x509: certificate is valid for ingress.local, not registry.example.com',
    ])
      expect(findComponentText(text)?.kind, text).to.not.equal('own-certificate-other-name');
  });

  it('of a client has no namespace of a request in its steps', () => {
    const steps = (text: string): string =>
      JSON.stringify(
        explainTexts(text, () => [
          { id: 'a', title: 'A', advice: 'Edit it: `kubectl -n {namespace} edit deployment/NAME`.' },
        ]).texts,
      );
    const throttled =
      'I1129 10:00:00.000000 1 request.go:752] "Waited before sending request" delay="12.1s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://172.21.0.1:443/apis/a.example.com/v1/namespaces/kafka/policies"';
    const cut =
      'webhook: Get "https://10.96.0.1:443/api/v1/namespaces/argocd/secrets": dial tcp 10.96.0.1:443: i/o timeout';
    for (const text of [throttled, cut]) {
      expect(steps(text), text)
        .to.not.match(/-n (?:kafka|argocd)/)
        .and.not.include('"namespace":"');
      expect(steps(`${text} namespace="shop"`)).to.include('shop');
    }
  });

  it('of a 503 is an aggregated API only if the call has no URL of another server', () => {
    const unavailable = 'the server is currently unable to handle the request';
    const webhook = 'failed calling webhook "p.example.com": failed to call webhook';
    const first = (text: string) => {
      const [found] = explainTexts(text, causesOf).texts;
      return [found?.causes[0]?.check, found?.means.split(':')[0]];
    };
    const api = ['apiservice-unavailable', 'The text names no Service of the webhook'];
    expect(first(`${webhook}: ${unavailable}`)).to.deep.equal(api);
    const url = 'https://kubernetes.default.svc:443/apis/a.example.com/v1/b?timeout=10s';
    expect(first(`${webhook}: Post "${url}": ${unavailable}`)).to.deep.equal(api);
    for (const text of [
      `${webhook}: Post "https://p.corp.example.com/validate?timeout=10s": ${unavailable}`,
      `conversion webhook for shop.io/v1, Kind=Cart failed: ${unavailable}`,
    ]) {
      const [cause, means] = first(text);
      expect(cause, text).to.not.equal('apiservice-unavailable');
      expect(means).to.match(/^The webhook server, or a proxy before it, returned 503/);
    }
  });

  it('of a client that does not reach the API server is a webhook, if its Pod connects', () => {
    const refused = 'dial tcp 10.96.0.1:443: i/o timeout';
    const at = (path: string, server = '10.96.0.1:443'): string =>
      `Get "https://${server}/${path}": ${refused}`;
    for (const text of [
      `cert-manager/webhook: cannot start: ${at('api/v1/nodes')}`,
      `Error: error building admission chain: ${at('api')}`,
      `error getting secret: ${at('api/v1/namespaces/shop/secrets/webhook-server-cert')}`,
      `handler: ${at('apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations')}`,
    ])
      expect(causesIn(text), text).to.deep.equal(['pods-cannot-reach-api-server']);
    for (const text of [
      `Nov 29 host kubelet[812]: E1129 kubelet_pods.go:1] failed to sync pod "cert-manager-webhook-abc": ${at('api/v1/namespaces/cert-manager/pods/cert-manager-webhook-abc', '10.0.0.1:6443')}`,
      `kubelet[812]: E1129 failed to sync pod "cert-manager-webhook-abc": ${at('api/v1/namespaces/cert-manager/pods/cert-manager-webhook-abc')}`,
      `argocd-server: webhook received from GitHub; ${at('version')}`,
      `helm.go:84: [debug] ${at('version?admission', '127.0.0.1:6443')}: admission`,
      `webhook: ${at('version', '127.0.0.1:443')}`,
      'Error: failed pre-install: Delete "https://a1.gr7.us-west-2.eks.amazonaws.com/apis/rbac.authorization.k8s.io/v1/clusterroles/prometheus-admission": dial tcp: lookup a1.gr7.us-west-2.eks.amazonaws.com: no such host',
    ])
      expect(causesIn(text), text).to.deep.equal([]);
  });

  it('of an ended handshake is the mesh, if its proxy ends it', () => {
    const explained = (address: string) =>
      explainTexts(`http: TLS handshake error from ${address}:38936: EOF`, causesOf).texts[0];
    expect(explained('127.0.0.6')?.means).to.match(/^The sidecar proxy/);
    expect(explained('127.0.0.6')?.causes[0]?.check).to.equal('mesh-intercepts-port');
    for (const address of ['127.0.0.1', '[::1]']) {
      expect(explained(address)?.means).to.match(/^A program on the same host or in the same Pod .*harmless/);
      expect(explained(address)?.causes).to.deep.equal([]);
    }
    expect(explained('192.0.2.1')?.means).to.match(/^A client closed/);
  });

  it('of a missing endpoint is not that it is missing, as the text says that', () => {
    const noEndpoints = call('a.example.com', 'a.shop', 'no endpoints available for service "a"');
    for (const text of [
      `Error: failed post-install: warning: Hook post-install a/templates/b.yaml failed: ${noEndpoints}`,
      `Error from server (InternalError): error when creating "post.yaml": ${noEndpoints}`,
    ])
      expect(causesIn(text).slice(0, 2), text).to.deep.equal(['calls-failed-at-start', 'no-ready-endpoint']);
    expect(firstIn(call('a.example.com', 'a.shop', 'service "a" not found'))).to.deep.equal([
      'orphaned-configuration',
    ]);
    const conversion = `conversion webhook for example.com/v1, Kind=Widget failed: Post "https://a.shop.svc:443/c?timeout=30s": service "a" not found`;
    expect(firstIn(conversion)).to.deep.equal(['service-missing']);
    const own = `╷\n│ shop   3m   Warning   FailedCreate   replicaset/a-7c9d   Error creating: ${noEndpoints}\n╵`;
    expect(firstIn(own)).to.deep.equal(['bootstrap-deadlock']);
  });

  it('of a denial is a missing permission, if the message says that of a ServiceAccount', () => {
    const denial = (message: string): string =>
      `admission webhook "a.example.com" denied the request: ${message}`;
    const kind = (message: string) => recognise(denial(message)) as never;
    expect(
      knownTextsOf(
        kind(
          "path: spec.rules[0]: auth check fails, additional privileges are required for the service account 'system:serviceaccount:kyverno:b': cannot update/v1/Namespace in namespace",
        ),
      )[0],
    ).to.equal('denial-not-authorized');
    for (const message of [
      'users need permissions that are required for this namespace',
      'the service account must not be default',
      'privileges are required by policy: set runAsNonRoot',
    ])
      expect(knownTextsOf(kind(message))[0], message).not.to.equal('denial-not-authorized');
  });
});

describe('a rejected Pod', () => {
  const refused = `Error creating: ${failed('connect: connection refused')}`;
  const event = { reason: 'FailedCreate', message: refused };
  for (const own of [
    `shop   3m   Warning   FailedCreate   replicaset/a-7c9d   ${refused}`,
    `I0101 10:00:00.000000 1 event.go:377] "Event occurred" object="shop/a-7c9d" kind="ReplicaSet" reason="FailedCreate" message="${refused}"`,
    `E0101 10:00:00.000000 1 replica_set.go:557] sync "shop/a-7c9d" failed with ${failed('EOF').replace('EOF', 'i/o timeout')}, FailedCreate`,
    `Event(v1.ObjectReference{Kind:"ReplicaSet", Namespace:"shop", Name:"a-7c9d"}): type: 'Warning' reason: 'FailedCreate' ${refused}`,
    JSON.stringify({ kind: 'Event', involvedObject: { namespace: 'shop', name: 'a-7c9d' }, ...event }),
    JSON.stringify({ items: [{ regarding: { namespace: 'shop', name: 'a-7c9d' }, ...event }] }),
  ])
    it(`of the webhook's own namespace is a deadlock: ${own.slice(0, 50)}`, () =>
      expect(causesIn(own)[0]).to.equal('bootstrap-deadlock'));
  for (const [other, at] of [
    [`Warning  FailedCreate  3s (x13 over 23s)  replicaset-controller  ${refused}`, 0],
    [`web   3m   Warning   FailedCreate   replicaset/b-7c9d   ${refused}`, 1],
  ] as const)
    it(`of others may be one: ${other.slice(0, 50)}`, () =>
      expect(causesIn(other).indexOf('bootstrap-deadlock')).to.equal(at));
  it('is none if the webhook was reached', () =>
    expect(
      causesIn(`Error creating: ${failed('x509: certificate signed by unknown authority')}`),
    ).to.not.include('bootstrap-deadlock'));
});

describe('calls to several backends', () => {
  const down = failed('context deadline exceeded');
  const other = (text: string) => text.replaceAll('a.shop', 'b.other').replace('a.example', 'b.example');
  const first = (...texts: readonly string[]) => explainTexts(texts.join('\n'), causesOf).texts[0];
  it('with the same error share the connection: its causes come first', () => {
    expect(first(down, other(down))?.causes[0]?.check).to.equal('unreachable-from-control-plane');
    expect(first(down, other(down))?.means).to.include('several backends');
    expect(first(failed('EOF'), other(failed('EOF')))?.causes[0]?.check).to.equal('api-server-proxy');
  });
  it('with different errors, or for one backend, share nothing', () => {
    expect(first(down, other(failed('EOF')))?.causes[0]?.check).to.equal('firewall-target-port');
    expect(first(down, down.replace('a.example', 'b.example'))?.causes[0]?.check).to.equal(
      'firewall-target-port',
    );
  });
  it('with untrusted certificates have a CA each', () => {
    const untrusted = failed('x509: certificate signed by unknown authority');
    expect(first(untrusted, other(untrusted))?.causes[0]?.check).to.equal('stale-ca-bundle');
  });
});

describe('a cause that is a consequence', () => {
  const [text] = explainTexts(failed('no endpoints available for service "a"'), causesOf).texts;
  it('names its own cause', () =>
    expect(text?.causes[1]?.behind).to.include.members([
      'replica-unschedulable',
      'replica-image-pull-failing',
      'workload-cannot-create-pods',
      'rollout-paused',
      'target-port-name-missing',
      'endpoints-only-terminating',
    ]));
  it('names no cause twice', () =>
    expect(text?.causes[1]?.behind).to.not.include.members(text?.causes.map(({ check }) => check) ?? []));
});

describe('explainTexts', () => {
  const explained = (input: string) => explainTexts(input, () => []).texts;
  it('joins a line that a terminal wrapped', () => {
    const [only, ...others] = explained(
      'Error from server (InternalError): failed calling webhook\n"a.example.com": failed to call webhook: Post\n"https://a.shop.svc:443/?timeout=3s": EOF\n',
    );
    expect(others).to.deep.equal([]);
    expect(only).to.include({ webhook: 'a.example.com', class: 'call-failure' });
  });
  it('joins words that a terminal broke, and none that an editor broke', () => {
    const text = failed('x509: certificate is valid for a.other.svc, not a.shop.svc');
    for (const broken of [text.replace(/.{80}/g, '$&\n'), text.replace(/(.{60,80}) /g, '$1\n'), text])
      expect(explained(broken)[0]).to.include({
        webhook: 'a.example.com',
        means: errorTexts['name-mismatch'].means,
      });
  });
  const quoted = failed('no endpoints available for service "a"');
  for (const other of [
    quoted.replaceAll('"', "'"),
    quoted.replaceAll('"', '`'),
    quoted.replace(/"([^"]*)"/g, '“$1”'),
    quoted.replaceAll('"', '&quot;'),
    quoted.replaceAll('"', '\\\\\\"'),
    `"${quoted.replaceAll('"', '""')}"`,
    quoted.replaceAll(' ', '\u00a0'),
  ])
    it(`reads the quotes of ${other.slice(0, 70)}`, () =>
      expect(explained(other)[0]).to.deep.include({
        webhook: 'a.example.com',
        service: { namespace: 'shop', name: 'a' },
        link: 'backend',
      }));
  it('reads an address that a mail program made a link', () => {
    const link = '[https://a.shop.svc:443/v?timeout=10s](https://a.shop.svc/v?timeout=10s)';
    const [only] = explained(failed('EOF').replace('https://a.shop.svc:443/v?timeout=10s', link));
    expect(only?.service).to.deep.equal({ namespace: 'shop', name: 'a' });
  });
  it('joins the lines of a box on a terminal', () => {
    const [only] = explained(
      '│  NamespaceDeletionContentFailure  True  Internal error occurred: failed ca │\n│ lling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeou │\n│ t=10s": service "a" not found            │\n│  NamespaceContentRemaining  False  │',
    );
    expect(only).to.include({ webhook: 'a.example.com', link: 'routing' });
  });
  it('joins the lines of a box with spaces up to its side', () => {
    const [only] = explained(
      '│  +  kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration            │\n│ **creating failed** error: the server has asked for the client                           │\n│ to provide credentials                                                                   │',
    );
    expect(only).to.include({ class: 'backend-log', link: 'replica' });
  });
  it('treats a request that reads from the Service of a webhook as that of a Pod', () => {
    const get = (path: string): string =>
      `webhook: Get "https://a-webhook.shop.svc:9443${path}": dial tcp 192.0.2.1:9443: i/o timeout`;
    expect(explained(get('/v1/healthz')).map((one) => one.class)).to.deep.equal(['backend-log']);
    expect(explained(get('/healthz').replace('Get', 'Post')).map((one) => one.class)).to.deep.equal([
      'call-failure',
    ]);
  });
  it('prints each failure once, those with a name first', () => {
    const log = '2024/02/22 21:06:38 http: TLS handshake error from 192.0.2.1:1: EOF';
    const found = explained(`${log}\n${log}\n\n> ${failed('EOF')}\n`);
    expect(found.map(({ class: sort }) => sort)).to.deep.equal(['call-failure', 'backend-log']);
  });
  it('reads JSON of a logger and of Events', () => {
    const event = { kind: 'Event', message: `Error creating: ${failed('EOF')}`, reason: 'FailedCreate' };
    expect(
      explained(JSON.stringify({ items: [event] }, null, 2)).map(({ webhook }) => webhook),
    ).to.deep.equal(['a.example.com']);
  });
  it('joins the fields of a record of a logger', () => {
    const record = {
      level: 'fatal',
      msg: 'failed getting validating webhook',
      err: 'the server could not find the requested resource',
    };
    expect(explained(JSON.stringify(record)).map(({ class: sort, link }) => [sort, link])).to.deep.equal([
      ['other', 'registration'],
    ]);
  });
  it('reads the panes of a terminal next to each other', () => {
    const left = failed('x509: certificate signed by unknown authority').match(/.{1,70}/g) ?? [];
    const right = [
      'I1004 18:01:13 leaderelection.go:271] started   │',
      'INFO    Starting EventSource            │',
    ];
    const panes = left.map((line, i) => (i < left.length - 1 ? `${line}││${right[i % 2]}` : line)).join('\n');
    const causes = explained(panes)[0];
    expect(causes).to.include({ webhook: 'a.example.com', means: errorTexts['unknown-authority'].means });
    const swapped = left.map((line, i) => `${right[i % 2]}││${line}`).join('\n');
    expect(explained(swapped)[0]).to.include({ webhook: 'a.example.com', link: 'tls' });
  });
  it('prints how many records it did not read', () => {
    const lines = Array.from({ length: 740 }, (_, index) => `Error ${index}: none`).join('\n');
    expect(explainTexts(lines, () => []).notRead).to.equal(240);
    expect(explainTexts(failed('EOF'), () => []).notRead).to.equal(0);
  });
  it('reports that the request of a call that failed open was admitted, and one failure once', () => {
    const error = failed('context deadline exceeded').replace('Internal error occurred: ', '');
    const log = `W0101 10:00:00.000000 1 dispatcher.go:210] Failed calling webhook, failing open a.example.com: ${error}`;
    const [text, ...more] = explainTexts(
      `${log}\nE0101 10:00:00.000001 1 dispatcher.go:214] ${error}`,
      causesOf,
    ).texts;
    expect(text?.means).to.match(/admitted without this webhook \(failurePolicy: Ignore\)\.$/);
    expect(more).to.deep.equal([]);
    expect(explainTexts(error, causesOf).texts[0]?.means).not.to.include('admitted');
  });

  it('starts a record at a timestamp in seconds, and reads an error whose first words are cut', () => {
    const log =
      '1.6746659889625292e+09\tINFO\tWait completed\n1.6746659889627008e+09\tERROR\tproblem running manager';
    expect(recordsOf(log).records).to.have.length(2);
    expect(
      read('failed calling webhook "a.example.com": Post "https:/\ndeadline exceeded'.replace('\n', ' ')),
    ).to.deep.equal(['call-failure', 'network', 'firewall-target-port']);
  });

  it('names the file of a webhook that no API returns, and no command for its configuration', () => {
    const causes = () => [{ id: 'x', title: 'X', advice: 'Edit it: `kubectl edit {kind} {configuration}`' }];
    const [text] = explainTexts(
      'failed calling webhook "gate.static.k8s.io": failed to call webhook: Post "https://gate.example.com/validate?timeout=10s": dial tcp 203.0.113.5:443: connect: connection refused',
      causes,
    ).texts;
    expect(text?.means).to.include('static manifest').and.include('--admission-control-config-file');
    expect(text?.commands[0]).to.equal('kubectl webhook doctor');
    expect(text?.causes[0]?.advice).to.equal(undefined);
  });

  it('names the callout in the form that doctor accepts', () => {
    for (const [text, about] of [
      [
        'unable to retrieve the complete list of server APIs: g.example.com/v1: stale GroupVersion discovery: g.example.com/v1',
        'apiservice/v1.g.example.com',
      ],
      [
        'conversion webhook for g.example.com/v1, Kind=Widget failed: Post "https://c.shop.svc:443/convert?timeout=30s": EOF',
        'shop/c',
      ],
      [failed('EOF'), 'a.example.com'],
      [
        '"Unhandled Error" err="loading OpenAPI spec for \\"v1beta1.metrics.k8s.io\\" failed with: Error, could not get list of group versions for APIService"',
        'apiservice/v1beta1.metrics.k8s.io',
      ],
      [
        'ValidatingWebhookConfiguration "b" is problematic: webhook "b.example.com" with failurePolicy "Fail" and 20s timeout might prevent worker nodes from properly joining the shoot cluster',
        'b.example.com',
      ],
    ])
      expect(explained(text ?? '')[0]?.commands[0]).to.equal(`kubectl webhook doctor ${about}`);
  });
  it('reads each row of a table of APIServices, and names the one that is not available', () => {
    const rows = [
      'NAME                        SERVICE                      AVAILABLE                      AGE',
      'v1.apps                     Local                        True                           3y',
      'v1beta1.metrics.k8s.io      kube-system/metrics-server   False (FailedDiscoveryCheck)   33m',
      'v1beta1.external.metrics.k8s.io   keda/keda-metrics   False (ServiceNotFound)   2m15s',
    ].join('\n');
    expect(explained(rows).map(({ commands }) => commands.at(-1))).to.have.members([
      'kubectl get apiservice v1beta1.external.metrics.k8s.io -o yaml',
      'kubectl get apiservice v1beta1.metrics.k8s.io -o yaml',
    ]);
  });
  it('puts the names of the text into a command, quoted if they are foreign', () => {
    const asked = (text: string) => explained(text)[0]?.commands.at(-1);
    expect(asked(failed('context deadline exceeded'))).to.equal(
      'kubectl get --raw /api/v1/namespaces/shop/services/https:a:443/proxy/',
    );
    expect(asked('failed calling webhook "a": context deadline exceeded')).to.include('https:SERVICE:PORT/');
    expect(
      asked('failed calling webhook "a": Post "https://$(x).shop.svc:443/v": context deadline exceeded'),
    ).to.include("https:'$(x)':443/");
  });
  it('reads every failure in a list of Helm, and JSON whose lines are wrapped', () => {
    const list = ['a', 'b'].map(
      (name) => `cannot patch "${name}" with kind Widget: ${failed('EOF').replaceAll('a.', `${name}.`)}`,
    );
    expect(explained(list.join('\n')).map(({ webhook }) => webhook)).to.deep.equal([
      'a.example.com',
      'b.example.com',
    ]);
    const [wrapped] = explained(
      '{"level":"error","msg":"Reconcile error","error":"custom resource \\"a.example.com\\" isn\'t configured for webhook \nconversion"}',
    );
    expect(wrapped?.class).to.equal('conversion');
  });
  it('treats a reason phrase after the URL as that of a proxy, not as an error of Go', () => {
    for (const [end, link] of [
      ['No such domain', 'network'],
      ['Host Not Found', 'network'],
      ['strange new words', 'unknown'],
    ])
      expect(explained(failed(end ?? ''))[0]?.link).to.equal(link);
    expect(explained(failed('No such domain'))[0]?.means).to.include('HTTP proxy');
  });
  it('recognises other wordings of the kubelet, of the tunnel and of AKS', () => {
    for (const [text, check] of [
      ['Container image "a/b:1" is not present with pull policy of Never', 'replica-image-pull-failing'],
      ['Error: ErrImageNeverPull', 'replica-image-pull-failing'],
      ['standard_init_linux.go:228: exec user process caused: no such file', 'process-cannot-start'],
      ['"Failed to get a backend" err="No backend available"', 'tunnel-down'],
      ['error: error upgrading connection: error dialing backend: No agent available', 'tunnel-down'],
      ['pod a/b-749b9d5cc8-2chl9 blocked by pdb b with unready pods [].', 'blocking-disruption-budget'],
      [
        'Error creating: insufficient quota to match these scopes: [{PriorityClass In [a]}]',
        'workload-cannot-create-pods',
      ],
      ['configmaps "extension-apiserver-authentication" not found', 'response-unauthorized'],
    ])
      expect(explainTexts(text ?? '', causesOf).texts[0]?.causes[0]?.check, text).to.equal(check);
    for (const text of [
      'error dialing backend: dial tcp 192.0.2.10:10250: connect: connection refused',
      'configmaps "policy" not found',
    ])
      expect(explainTexts(text, causesOf).texts[0]?.causes[0]?.check, text).to.not.be.oneOf([
        'tunnel-down',
        'response-unauthorized',
      ]);
  });
  it('accepts large and unusual input', () => {
    expect(explained('x'.repeat(3_000_000))).to.deep.equal([]);
    expect(explained('\n'.repeat(100_000))).to.deep.equal([]);
    expect(explained('{"a":'.repeat(50_000))).to.deep.equal([]);
    const busy = 'http: TLS handshake error from '.repeat(100_000);
    expect(
      explained(JSON.stringify({ msg: busy, items: Array(2_000).fill(`${busy.slice(0, 900)} x`) })),
    ).to.deep.equal([]);
  });

  it('reads the message of a denial after an empty line, as Kyverno writes it', () => {
    const text = `admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource ConfigMap/shop/a was blocked due to the following policies \n\nexternal:\n  rule: 'failed to fetch data for APICall: Get "http://203.0.113.200/x": dial tcp 203.0.113.200:80: connect: no route to host'\n`;
    const { records } = recordsOf(text);
    expect(records).to.have.length(1);
    expect(read(records[0] ?? '')).to.deep.equal(['denial', 'response', 'handler-waits-for-service']);
  });
});

describe('texts without the URL of a call', () => {
  const expectFirst = (known: string | undefined, wordings: readonly string[]) => {
    for (const text of wordings) {
      const found = recogniseAll(text)[0];
      expect(found && knownTextsOf(found)[0], text).to.equal(known);
    }
  };

  it('are the time limit of the API server, if it or a client that writes objects reports them', () =>
    expectFirst('timeout-504', [
      'Error from server: error when creating "policy.yaml": context deadline exceeded',
      'for: "policy.yaml": context deadline exceeded',
      'Error creating: context deadline exceeded',
      'one or more objects failed to apply, reason: context deadline exceeded (retried 5 times).',
      'Deployment/shop/web dry-run failed: the server was unable to return a response in the time allotted, but may still be processing the request',
      '* the server was unable to return a response in the time allotted, but may still be processing the request (patch deployments.apps)',
    ]));

  it('are the time limit of a client that waits for Pods', () =>
    expectFirst('client-wait-ended', [
      'Error: UPGRADE FAILED: release web failed, and has been rolled back due to atomic being set: context deadline exceeded',
      'Helm install failed for release shop/web with chart web@1.2.3: timed out waiting for the condition',
      'error: timed out waiting for the condition on deployments/web',
      recordsOf(
        'Error: context deadline exceeded\n\n  with module.a.helm_release.web[0],\n  on main.tf line 2',
      ).records[0] ?? '',
    ]));

  it('say nothing about a webhook if another program reports them', () =>
    expectFirst(undefined, [
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
      'client rate limiter Wait returned an error: context deadline exceeded',
      'helm repo add charts https://charts.example.com: context deadline exceeded',
      'the server was unable to return a response in the time allotted, but may still be processing the request (get pods)',
      'Git push failed: please check webhook settings',
    ]));

  it('of a failed hook remain those of its Job', () =>
    expectFirst('hook-job-failed', [
      'Error: INSTALLATION FAILED: failed post-install: timed out waiting for the condition',
    ]));
});

describe('refusals of the API server, and of webhooks', () => {
  const mirror = (message: string): string =>
    `kubelet.go:3290] "Failed creating a mirror pod" err="admission webhook \\"policy.example.com\\" denied the request: ${message}" pod="kube-system/etcd-cp1"`;
  const provider =
    'DNSRecord.example.com "web" is invalid: spec.provider: Invalid value: "aws": field is immutable';

  it('of an immutable field involve a webhook only if a finalizer is being removed', () => {
    for (const text of [
      'The Service "web" is invalid: spec.clusterIP: Invalid value: "10.96.0.7": field is immutable',
      'The Service "finalizer" is invalid: spec.clusterIP: Invalid value: "10.96.0.7": field is immutable',
      'The StorageClass "fast" is invalid: provisioner: Invalid value: "a": field is immutable',
      'The Secret "web" is invalid: type: Invalid value: "Opaque": field is immutable',
      provider,
    ])
      expect(recognise(text), text).to.equal(undefined);
    expect(causesIn(`failed to remove finalizer: ${provider}`)).to.deep.equal(['response-patch-invalid']);
    expect(
      causesIn(`{"level":"error","error":"removing finalizers: ${provider.replaceAll('"', '\\"')}"}`),
    ).to.include('response-patch-invalid');
  });

  it('of a priority are first about the template of the Pod', () => {
    expect(
      causesIn(
        'Error creating: pods "policy-0" is forbidden: the integer value of priority (100) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
      ),
    ).to.deep.equal(['workload-cannot-create-pods', 'response-patch-invalid']);
  });

  it('of mirror Pods are about their ServiceAccount, unless the message is a rule', () => {
    expect(causesIn(mirror('[no-host-network] hostNetwork is not allowed'))).to.deep.equal(
      causesIn(
        'admission webhook "policy.example.com" denied the request: [no-host-network] hostNetwork is not allowed',
      ),
    );
    expect(firstIn(mirror('Failed to get Matching SGP for Pods, rejecting event'))).to.deep.equal([
      'mirror-pods-refused',
    ]);
  });

  it('of a converter are about a version of the API, and not of a product', () => {
    const failed = (message: string) =>
      `conversion webhook for example.com/v1, Kind=Database failed: ${message}`;
    const unsupported = (message: string): boolean => {
      const found = recogniseAll(failed(message))[0];
      return found !== undefined && knownTextsOf(found).includes('conversion-unsupported');
    };
    for (const message of [
      'spec.engine: unknown version "8.0" of postgres',
      'spec.engine: unsupported version v8.0',
      'spec.engine: unknown version 15',
    ])
      expect(unsupported(message), message).to.equal(false);
    for (const message of [
      'unexpected conversion version from "example.com/v1" to "example.com/v2"',
      'unknown version "example.com/v1beta1"',
      'unsupported version: v2',
    ])
      expect(unsupported(message), message).to.equal(true);
  });
});

describe('several denials and several ends of calls', () => {
  const denied = (name: string, message: string): string =>
    `Error from server (Forbidden): error when creating "${name}": admission webhook "a.example.com" denied the request: ${message}`;
  const meansOf = (...lines: readonly string[]) => explainTexts(lines.join('\n'), causesOf).texts[0]?.means;

  it('show a webhook that denies every request, also in a table of Events', () => {
    expect(meansOf(...['a', 'b', 'c'].map((name) => denied(name, 'no')))).to.match(/refused several times/);
    expect(
      meansOf(
        ...['web', 'api', 'shop'].map(
          (name) =>
            `7m30s   Warning   FailedCreate   replicaset/${name}   Error creating: admission webhook "a.example.com" denied the request: no`,
        ),
      ),
    ).to.match(/refused several times/);
    expect(
      meansOf(denied('a', 'no image tag'), denied('b', 'no label'), denied('c', 'no owner')),
    ).not.to.match(/several/);
    expect(meansOf(denied('a', 'no'), denied('b', 'no'))).not.to.match(/several/);
  });

  it('without a message say so', () =>
    expect(meansOf('admission webhook "a.example.com" denied the request without explanation')).to.match(
      /without a message/,
    ));

  it('show a backend that is replaced, if calls to it are cut and then refused', () => {
    const cut = `cannot patch "a" with kind PrometheusRule: ${failed('EOF')}`;
    const refused = `cannot patch "b" with kind PrometheusRule: ${failed('dial tcp 203.0.113.7:443: connect: connection refused')}`;
    expect(meansOf(`Helm upgrade failed: ${cut} && ${refused}`)).to.match(/may have ended/);
    expect(meansOf(`Helm upgrade failed: ${cut} && ${cut.replaceAll('"a"', '"c"')}`)).not.to.match(
      /replaced/,
    );
    expect(meansOf(cut, refused.replaceAll('a.shop.svc', 'b.shop.svc'))).not.to.match(/replaced/);
  });

  it('show a Pod of the backend that does not run, before a deadlock', () => {
    const refused = `shop   58s   Warning   FailedCreate   replicaset/web-66b9   Error creating: ${failed('dial tcp 203.0.113.7:443: connect: connection refused')}`;
    const backOff = (namespace: string, pod: string): string =>
      `${namespace}   57s   Warning   BackOff   pod/${pod}   Back-off restarting failed container hook in pod ${pod}`;
    const first = (...lines: readonly string[]) =>
      explainTexts(lines.join('\n'), causesOf).texts[0]?.causes[0]?.check;
    expect(first(refused, backOff('shop', 'a-7c9d-x'))).to.equal('replica-crash-looping');
    expect(first(refused, backOff('other', 'b-7c9d-x'))).to.equal('bootstrap-deadlock');
    expect(first(refused)).to.equal('bootstrap-deadlock');
    const ofService = failed('no endpoints available for service "a-service"').replaceAll(
      'a.shop',
      'a-service.shop',
    );
    expect(first(ofService, backOff('shop', 'a-7c9d-x'))).to.equal('replica-crash-looping');
  });

  it('show another Pod of its namespace as the likeliest cause', () => {
    const refused = failed('no endpoints available for service "a"');
    const backOff = (namespace: string): string =>
      `${namespace}   57s   Warning   BackOff   pod/b-7c9d-x   Back-off restarting failed container hook in pod b-7c9d-x`;
    const [near] = explainTexts([refused, backOff('shop')].join('\n'), causesOf).texts;
    expect(near?.causes.slice(0, 2).map(({ check }) => check)).to.deep.equal([
      'replica-crash-looping',
      'calls-failed-at-start',
    ]);
    expect(near?.means).to.match(/If it belongs to this Service, it is the cause/);
    expect(meansOf(refused, backOff('other'))).not.to.match(/does not run/);
    const inDefault = refused.replaceAll('a.shop.svc', 'a.default.svc');
    expect(meansOf(inDefault, backOff('default'))).not.to.match(/does not run/);
  });

  it('put a failed call before a denial, and know Pods that the log of a controller names', () => {
    const log = `replica_set.go:560] "Unhandled Error" err="sync \\"shop/a-5c8d9\\" failed with ${failed('no endpoints available for service \\"a\\"').replaceAll('"a.example.com"', '\\"a.example.com\\"')}"`;
    const { texts } = explainTexts(
      `E1128 10:00:31.1 1 ${denied('a', 'no')}\nE1128 10:00:31.2 1 ${log}`,
      causesOf,
    );
    expect(texts.map((text) => text.class)).to.deep.equal(['call-failure', 'denial']);
    expect(texts[0]?.causes[0]?.check).to.equal('bootstrap-deadlock');
  });
});
