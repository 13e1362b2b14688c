/** One rule of kube-apiserver that src/apiserver implements. */
export interface ModelRule {
  /** One line. */
  readonly rule: string;
  /** Files and folders (with a slash at the end) of src/apiserver that implement it. */
  readonly where: readonly string[];
  /** The documentation or source code of Kubernetes, or of Go, for the rule. */
  readonly source: string;
  /**
   * The group of oracle cases for the rule; undefined: no API server was tested, tables of cases contain it.
   */
  readonly group?: string;
}

export interface RuleSection {
  readonly title: string;
  readonly rules: readonly ModelRule[];
}

const plugin = 'apiserver/pkg/admission/plugin/webhook';

export const ruleSections: readonly RuleSection[] = [
  {
    title: 'Matching of requests and webhooks',
    rules: [
      {
        rule: 'The API server sends webhook configurations and admission policies to no webhook. From 1.37 on, it also sends no token and access reviews. No other resource is exempt.',
        where: ['admission/exempt.ts', 'server-version.ts'],
        source: `${plugin}/predicates/rules/rules.go, pkg/kubeapiserver/admission/exclusion/resources.go`,
        group: 'matching',
      },
      {
        rule: 'In rules, `pods/*` matches pods, and `*` matches no subresource. Namespaces are cluster-scoped. The core group is the empty string.',
        where: ['admission/rules.ts', 'admission/rule-resources.ts', 'admission/unknown-resource.ts'],
        source: `${plugin}/predicates/rules/rules.go`,
        group: 'matching',
      },
      {
        rule: 'Rules that name only API versions which the release no longer serves match no request.',
        where: ['admission/removed-versions.ts'],
        source: 'k8s.io/api zz_generated.prerelease-lifecycle.go APILifecycleRemoved',
      },
      {
        rule: 'A namespaceSelector always matches cluster-scoped objects. For a Namespace, it matches the new labels.',
        where: [
          'admission/match.ts',
          '../facts/objects/label-selector.ts',
          'admission/selected-namespaces.ts',
        ],
        source: `${plugin}/predicates/namespace/matcher.go`,
        group: 'matching',
      },
      {
        rule: 'If a namespace does not exist or is being deleted, the API server refuses the creation of objects in it before it calls webhooks. Until 1.36, it also refuses updates in a namespace that does not exist. Deletions reach the webhooks.',
        where: ['admission/namespace-lifecycle.ts'],
        source: 'apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go; test/e2e/trace.e2e.ts',
      },
      {
        rule: 'An objectSelector matches if the new object or the old object matches. It never matches a CONNECT.',
        where: ['admission/match.ts', '../facts/objects/label-selector.ts'],
        source: `${plugin}/predicates/object/matcher.go`,
        group: 'matching',
      },
      {
        rule: 'matchPolicy Equivalent matches the same resource and subresource in every served version. Events of both API groups are the same resource.',
        where: ['admission/match.ts'],
        source: 'apiserver/pkg/server/config.go EquivalentResourceMapper',
        group: 'matching',
      },
      {
        rule: 'A matchCondition that costs more than 1 000 000 fails. If the conditions of a webhook together cost more than 2 500 000, failurePolicy applies, whatever their results are.',
        where: ['cel/cost.ts'],
        source:
          'apiserver/pkg/apis/cel/config.go, apiserver/pkg/cel/library/cost.go, cel-go interpreter/runtimecost.go',
        group: 'condition-costs',
      },
      {
        rule: 'If one matchCondition is false, the API server skips the webhook. Otherwise failurePolicy applies to an error. The model returns unknown if it cannot evaluate a condition.',
        where: [
          'admission/match-conditions.ts',
          'admission/condition-shapes.ts',
          'admission/condition-reach.ts',
          'admission/served-operations.ts',
          'cel/object-fields.ts',
          'cel/',
        ],
        source: `${plugin}/matchconditions/matcher.go, apiserver/pkg/cel/library`,
        group: 'match-conditions',
      },
    ],
  },
  {
    title: 'Validation',
    rules: [
      {
        rule: 'The API server refuses webhook configurations, CRDs and APIServices that cannot be decoded, that have unknown fields (if the client is strict), or that are invalid. The model does not check schemas of CRDs and the types in CEL expressions.',
        where: ['validation/'],
        source:
          'pkg/apis/admissionregistration/validation/validation.go, apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, kube-aggregator/pkg/apis/apiregistration/validation/validation.go',
        group: 'validation',
      },
    ],
  },
  {
    title: 'Order, timeouts and failurePolicy',
    rules: [
      {
        rule: 'The API server calls mutating webhooks one after the other, ordered by the name of their configuration, and those with IfNeeded again if necessary. It calls all validating webhooks at the same time.',
        where: ['admission/order.ts', 'admission/duplicates.ts'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/validating/dispatcher.go, admission/reinvocation.go`,
        group: 'time',
      },
      {
        rule: 'A write request has 34 s. A call has its timeoutSeconds (at most 30 s), or the remaining time of the request.',
        where: ['budget/budget.ts', 'budget/timeline.ts', 'budget/late-failing-open.ts'],
        source: 'apiserver/pkg/endpoints/handlers/rest.go, apiserver/pkg/util/webhook/authentication.go',
        group: 'time',
      },
      {
        rule: 'Each mutating webhook receives the object as the earlier webhooks left it, in the version of its rules. There are at most two rounds within the time of the request. The model lists all validating webhooks that would deny the object.',
        where: ['trace/'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/mutating/reinvocationcontext.go, ${plugin}/validating/dispatcher.go`,
        group: 'trace',
      },
      {
        rule: 'failurePolicy applies only to a failed call. The model predicts the error, the audit log, the metrics and the log of the API server.',
        where: ['admission/failure-policy.ts'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/validating/dispatcher.go, apiserver/pkg/admission/metrics`,
        group: 'time',
      },
      {
        rule: 'The API server selects the AdmissionReview version that it sends. It refuses a dry run if a matching webhook has side effects.',
        where: ['admission/review.ts'],
        source: `${plugin}/request/admissionreview.go`,
        group: 'stored',
      },
      {
        rule: 'The model creates a test object that the rules and selectors of a webhook match, and its review.',
        where: ['sample/', 'conversion/conversion-body.ts'],
        source: `${plugin}/request/admissionreview.go, k8s.io/api/admission/v1, apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go`,
      },
    ],
  },
  {
    title: 'Routing',
    rules: [
      {
        rule: 'With ClusterIP routing, the API server connects to the ClusterIP or to the ExternalName of the Service. It refuses a headless Service and a missing port before it connects.',
        where: ['routing/route.ts', 'routing/host-port.ts'],
        source: 'apiserver/pkg/util/proxy/proxy.go ResolveCluster',
        group: 'routing',
      },
      {
        rule: 'With `--enable-aggregator-routing`, the API server connects to a ready endpoint of an EndpointSlice with the port name of the Service.',
        where: [
          'routing/route.ts',
          'routing/endpoints.ts',
          'routing/backends.ts',
          'routing/unused-endpoints.ts',
        ],
        source: 'apiserver/pkg/util/proxy/proxy.go ResolveEndpoint',
        group: 'routing',
      },
      {
        rule: 'The address and the message of an error show which routing is used.',
        where: ['routing/routing-mode.ts'],
        source: 'kube-aggregator/pkg/apiserver/resolvers.go',
        group: 'routing',
      },
      {
        rule: 'The API server requests a URL with this path, port and timeout.',
        where: ['routing/callout-url.ts', 'routing/effective-path.ts', 'routing/server-host.ts'],
        source: 'apiserver/pkg/util/webhook/client.go, client-go/rest/request.go',
        group: 'routing',
      },
      {
        rule: 'Calls use the HTTP proxy in the environment of the API server unless NO_PROXY matches: for webhooks the name of the Service, for aggregated APIs the address.',
        where: ['routing/no-proxy.ts'],
        source: 'golang.org/x/net/http/httpproxy; test/e2e/api-server-proxy.e2e.ts',
      },
      {
        rule: 'The state of the endpoints decides the result of the next call.',
        where: ['next-call/', 'routing/endpoint-state.ts'],
        source: `${plugin}/validating/dispatcher.go, kube-proxy`,
        group: 'routing',
      },
      {
        rule: 'If several endpoints belong to no Pod, each connection uses one at random. The result of one call is not the result of all.',
        where: ['routing/untried-addresses.ts'],
        source: 'apiserver/pkg/util/proxy/proxy.go ResolveEndpoint, pkg/proxy/iptables/proxier.go',
      },
      {
        rule: 'The API server checks an APIService every 30 s. kube-proxy applies a change of endpoints up to a second later: an error from before does not apply to new endpoints.',
        where: ['routing/endpoints-changed.ts'],
        source:
          'kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go, pkg/proxy/iptables/proxier.go',
      },
      {
        rule: 'When the deletion of a Pod begins, its endpoint is no longer ready, unless the Service has `publishNotReadyAddresses`. An endpoint that was read before does not count.',
        where: ['routing/removed-endpoints.ts'],
        source: 'staging/src/k8s.io/endpointslice/utils.go podToEndpoint',
      },
      {
        rule: 'The results of probes show the error of a new connection to each Pod, and the place where the connection fails (docs/triangulation.md).',
        where: ['connection/'],
        source:
          'crypto/tls, net/http, client-go/rest/request.go, apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go',
        group: 'connections',
      },
      {
        rule: 'An APIService is Available if its Service, port and endpoints exist and discovery responds, from 1.36 on over trusted TLS. Otherwise every request fails with `service unavailable`.',
        where: ['aggregation/availability.ts', 'aggregation/closed-api.ts', 'next-call/through-service.ts'],
        source:
          'kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go, pkg/apiserver/handler_proxy.go',
        group: 'callouts',
      },
      {
        rule: 'A conversion webhook has no failurePolicy. From 1.37 on, the API server treats a stored object as corrupt if its conversion fails.',
        where: ['sentences/call-sentence.ts', 'next-call/next-call.ts'],
        source:
          'apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go',
        group: 'callouts',
      },
      {
        rule: 'A converted object must have the requested version and the same kind, name, namespace and uid. Its labels and annotations may change, and must be valid.',
        where: ['conversion/conversion-answer.ts', 'conversion/label-faults.ts'],
        source:
          'apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, apimachinery/pkg/api/validate/content/kube.go',
        group: 'conversions',
      },
    ],
  },
  {
    title: 'Certificates',
    rules: [
      {
        rule: 'The API server reads a caBundle with pem.Decode. If it contains no certificate, every call fails.',
        where: [
          'certificate/parse/pem.ts',
          'certificate/parse/load-ca-bundle.ts',
          'certificate/anchors.ts',
          'certificate/verify/certificate-pool.ts',
        ],
        source: 'Go encoding/pem, client-go/transport/transport.go',
        group: 'routing',
      },
      {
        rule: 'Go parses the certificate. Errors have the messages of the Go version of the release.',
        where: ['certificate/parse/parse-certificate.ts', 'certificate/', 'go/'],
        source: 'Go crypto/x509/parser.go',
        group: 'certificates-go',
      },
      {
        rule: 'Go verifies the chain from the presented certificates to the caBundle: names, dates, usages, constraints, weak algorithms. The model lists all errors, in the order in which Go reports them.',
        where: [
          'certificate/verify/verify-server-certificate.ts',
          'certificate/verify/build-chains.ts',
          'certificate/names/host-name.ts',
          'certificate/go-rules.ts',
        ],
        source: 'Go crypto/x509/verify.go, crypto/tls/handshake_client.go',
        group: 'certificates-go',
      },
      {
        rule: 'kube-apiserver reports the error of the certificate in the error of the call.',
        where: ['certificate/verify/verify-server-certificate.ts'],
        source: 'client-go/transport/transport.go',
        group: 'certificates',
      },
    ],
  },
  {
    title: 'Responses',
    rules: [
      {
        rule: 'Status, headers and body of a response decide whether the call succeeds, fails or denies the request.',
        where: ['response/'],
        source:
          'client-go/rest/request.go, apiserver/pkg/admission/plugin/webhook/request/admissionreview.go',
        group: 'responses',
      },
      {
        rule: 'The API server applies JSON patches.',
        where: ['patch/'],
        source: `${plugin}/mutating/dispatcher.go, gopkg.in/evanphx/json-patch.v4`,
        group: 'responses',
      },
    ],
  },
  {
    title: 'Errors',
    rules: [
      {
        rule: 'Each predicted failure has an exact error message.',
        where: ['sentences/call-sentence.ts'],
        source: 'apiserver/pkg/util/webhook/error.go, kube-aggregator/pkg/apiserver/handler_proxy.go',
        group: 'routing',
      },
      {
        rule: 'The model parses an error message, and lists the possible causes.',
        where: ['sentences/'],
        source:
          '220 error lines of public incidents in test/apiserver/recorded/incidents.jsonl, each with its kind. 133 of them are failed calls: 115 contain the cause, and 18 are truncated before it.',
      },
      {
        rule: 'A log line of a forbidden request shows the missing permission of a ServiceAccount.',
        where: ['sentences/logs/forbidden-request.ts'],
        source: 'apiserver/pkg/endpoints/handlers/responsewriters/errors.go',
      },
    ],
  },
  {
    title: 'Impact on the cluster',
    rules: [
      {
        rule: 'A Pod serves after these requests: creation, binding, token, status, endpoints, Leases.',
        where: ['deadlock/admission-path.ts'],
        source: 'kubelet, scheduler and controllers',
      },
      {
        rule: 'The model finds which of these requests a webhook intercepts, whether its own Pods can start while it is down, and which Pods it may hold in Pending.',
        where: [
          'admission/impact.ts',
          'admission/match-evidence.ts',
          'admission/vital-request.ts',
          'deadlock/',
          'held-pods/',
        ],
        source: `${plugin}/generic/webhook.go ShouldCallHook`,
      },
      {
        rule: 'The Events and conditions of a stuck object, or its requests, show the webhooks and APIServices that block it.',
        where: ['sentences/call-error/blamed.ts', 'admission/trail.ts'],
        source: 'events, conditions and the rules above',
      },
    ],
  },
];
