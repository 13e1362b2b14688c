/** One rule of kube-apiserver that src/apiserver knows. */
export interface ModelRule {
  /** One line. */
  readonly rule: string;
  /** Files and folders (with a slash at the end) of src/apiserver. */
  readonly where: readonly string[];
  /** Where Kubernetes, or Go, says so. */
  readonly source: string;
  /** The group of oracle cases that shows it; undefined: nobody but the object can be asked, tables of cases hold it. */
  readonly group?: string;
}

export interface RuleSection {
  readonly title: string;
  readonly rules: readonly ModelRule[];
}

const plugin = 'apiserver/pkg/admission/plugin/webhook';

export const ruleSections: readonly RuleSection[] = [
  {
    title: 'Which request reaches which webhook',
    rules: [
      {
        rule: 'Webhook configurations and admission policies are sent to no webhook, from 1.37 on neither are token and access reviews; nothing else is exempt',
        where: ['admission/exempt.ts', '../facts/server-version.ts'],
        source: `${plugin}/predicates/rules/rules.go, pkg/kubeapiserver/admission/exclusion/resources.go`,
        group: 'matching',
      },
      {
        rule: 'Rules: `pods/*` covers pods, `*` covers no subresource, Namespace objects are cluster-scoped, the core group is empty',
        where: ['admission/rules.ts', 'admission/rule-resources.ts', 'admission/unknown-resource.ts'],
        source: `${plugin}/predicates/rules/rules.go`,
        group: 'matching',
      },
      {
        rule: 'Versions of APIs that a later release no longer serves; rules that name only them match nothing',
        where: ['admission/removed-versions.ts'],
        source: 'k8s.io/api zz_generated.prerelease-lifecycle.go APILifecycleRemoved',
      },
      {
        rule: 'namespaceSelector: objects without a namespace always match; a write of a Namespace is judged by its new labels',
        where: [
          'admission/match.ts',
          'admission/match-table.ts',
          '../facts/label-selector.ts',
          'admission/selected-namespaces.ts',
        ],
        source: `${plugin}/predicates/namespace/matcher.go`,
        group: 'matching',
      },
      {
        rule: 'A namespace that is gone, or is being deleted: what is created there is refused before any webhook, until 1.36 what is updated as well where it is gone; deletions reach webhooks',
        where: ['admission/namespace-lifecycle.ts'],
        source: 'apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go; test/e2e/trace.e2e.ts',
      },
      {
        rule: 'objectSelector: the new object or the old one; never a CONNECT',
        where: ['admission/match.ts', '../facts/label-selector.ts'],
        source: `${plugin}/predicates/object/matcher.go`,
        group: 'matching',
      },
      {
        rule: 'matchPolicy Equivalent: the same resource in every served version, with the same subresource; events of both groups are one',
        where: ['admission/match.ts'],
        source: 'apiserver/pkg/server/config.go EquivalentResourceMapper',
        group: 'matching',
      },
      {
        rule: 'matchConditions: an expression that costs more than 1 000 000 fails; above 2 500 000 together, failurePolicy decides whatever each of them is',
        where: ['cel/cost.ts'],
        source:
          'apiserver/pkg/apis/cel/config.go, apiserver/pkg/cel/library/cost.go, cel-go interpreter/runtimecost.go',
        group: 'condition-costs',
      },
      {
        rule: 'matchConditions: one false skips, else an error obeys the failurePolicy; what cannot be evaluated is unknown',
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
    title: 'What it refuses to store',
    rules: [
      {
        rule: 'Webhook configurations, CRDs and APIServices: what cannot be decoded, unknown fields where the client is strict, and all that validation says; schemas of CRDs and the types in CEL expressions are not judged',
        where: ['validation/'],
        source:
          'pkg/apis/admissionregistration/validation/validation.go, apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, kube-aggregator/pkg/apis/apiregistration/validation/validation.go',
        group: 'validation',
      },
    ],
  },
  {
    title: 'Order, time and failurePolicy',
    rules: [
      {
        rule: 'Mutating webhooks one after the other by the name of their configuration, IfNeeded once more; validating ones at once',
        where: ['admission/order.ts', 'admission/duplicates.ts'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/validating/dispatcher.go, admission/reinvocation.go`,
        group: 'time',
      },
      {
        rule: 'A write has 34 s in all; a call has its timeoutSeconds, 30 s at most, or what is left',
        where: ['budget/budget.ts', 'budget/timeline.ts'],
        source: 'apiserver/pkg/endpoints/handlers/rest.go, apiserver/pkg/util/webhook/authentication.go',
        group: 'time',
      },
      {
        rule: 'A request step by step: each webhook gets the object as the ones before it left it, in its version; two rounds, the budget, all validating ones that would refuse',
        where: ['trace/'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/mutating/reinvocationcontext.go, ${plugin}/validating/dispatcher.go`,
        group: 'trace',
      },
      {
        rule: 'Only a call failure obeys the failurePolicy; what the client, the audit log, the metrics and the log report',
        where: ['admission/failure-policy.ts'],
        source: `${plugin}/mutating/dispatcher.go, ${plugin}/validating/dispatcher.go, apiserver/pkg/admission/metrics`,
        group: 'time',
      },
      {
        rule: 'The AdmissionReview version that is sent; a dry run is refused by a webhook with side effects',
        where: ['admission/review.ts'],
        source: `${plugin}/request/admissionreview.go`,
        group: 'stored',
      },
      {
        rule: 'Which request reaches a webhook, in reverse: a test object that its rules and selectors select, and its review',
        where: ['sample/', 'conversion/conversion-body.ts'],
        source: `${plugin}/request/admissionreview.go, k8s.io/api/admission/v1, apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go`,
      },
    ],
  },
  {
    title: 'Routing',
    rules: [
      {
        rule: 'By ClusterIP: the Service’s address, or the ExternalName; headless and missing ports are refused before a connection',
        where: ['routing/route.ts', 'routing/host-port.ts'],
        source: 'apiserver/pkg/util/proxy/proxy.go ResolveCluster',
        group: 'routing',
      },
      {
        rule: 'With `--enable-aggregator-routing`: a ready endpoint of a slice whose port has the same name',
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
        rule: 'Which of the two is used, from the address or the words of an error',
        where: ['routing/routing-mode.ts'],
        source: 'kube-aggregator/pkg/apiserver/resolvers.go',
        group: 'routing',
      },
      {
        rule: 'The URL that is really requested: path, port, timeout',
        where: ['routing/callout-url.ts', 'routing/effective-path.ts'],
        source: 'apiserver/pkg/util/webhook/client.go, client-go/rest/request.go',
        group: 'routing',
      },
      {
        rule: 'Which calls go through the HTTP proxy of its environment: NO_PROXY against the name of the Service, for an aggregated API against the address',
        where: ['routing/no-proxy.ts'],
        source: 'golang.org/x/net/http/httpproxy; test/e2e/api-server-proxy.e2e.ts',
      },
      {
        rule: 'What the next call comes to, and what an endpoint answers',
        where: ['next-call/', 'routing/endpoint-state.ts'],
        source: `${plugin}/validating/dispatcher.go, kube-proxy`,
        group: 'routing',
      },
      {
        rule: 'Of several addresses of no Pod each connection meets one at random: one call does not stand for all',
        where: ['routing/untried-addresses.ts'],
        source: 'apiserver/pkg/util/proxy/proxy.go ResolveEndpoint, pkg/proxy/iptables/proxier.go',
      },
      {
        rule: 'What a new connection to each replica comes to, from what probes saw, in the API server’s words; where the way is broken (docs/triangulation.md)',
        where: ['connection/'],
        source:
          'crypto/tls, net/http, client-go/rest/request.go, apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go',
        group: 'connections',
      },
      {
        rule: 'An APIService is Available when its Service, port and endpoints are there and discovery answers, from 1.36 on over trusted TLS; else every request ends in `service unavailable`',
        where: ['aggregation/availability.ts', 'aggregation/closed-api.ts', 'next-call/through-service.ts'],
        source:
          'kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go, pkg/apiserver/handler_proxy.go',
        group: 'callouts',
      },
      {
        rule: 'A conversion has no failurePolicy; from 1.37 on a stored object whose conversion fails counts as corrupt',
        where: ['sentences/call-sentence.ts', 'next-call/next-call.ts'],
        source:
          'apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go',
        group: 'callouts',
      },
      {
        rule: 'A converted object keeps kind, name, namespace and uid, and comes in the wanted version; its labels and annotations may change, to good ones',
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
        rule: 'caBundle: what pem.Decode takes out of it; one that holds no certificate stops every call',
        where: [
          'certificate/pem.ts',
          'certificate/load-ca-bundle.ts',
          'certificate/anchors.ts',
          'certificate/certificate-pool.ts',
        ],
        source: 'Go encoding/pem, client-go/transport/transport.go',
        group: 'routing',
      },
      {
        rule: 'A certificate as Go parses it, in the words of the release’s own Go',
        where: ['certificate/parse-certificate.ts', 'certificate/'],
        source: 'Go crypto/x509/parser.go',
        group: 'certificates-go',
      },
      {
        rule: 'Chains from the presented certificates to the caBundle, names, dates, usages, constraints, weak algorithms; all faults, the one that is named first first',
        where: [
          'certificate/verify-server-certificate.ts',
          'certificate/build-chains.ts',
          'certificate/host-name.ts',
          'certificate/go-rules.ts',
        ],
        source: 'Go crypto/x509/verify.go, crypto/tls/handshake_client.go',
        group: 'certificates-go',
      },
      {
        rule: 'The same, as kube-apiserver says it of a webhook',
        where: ['certificate/verify-server-certificate.ts'],
        source: 'client-go/transport/transport.go',
        group: 'certificates',
      },
    ],
  },
  {
    title: 'Answers',
    rules: [
      {
        rule: 'From status, headers and body to a verdict: what is read, what is decoded, what is a call failure and what a denial',
        where: ['response/'],
        source:
          'client-go/rest/request.go, apiserver/pkg/admission/plugin/webhook/request/admissionreview.go',
        group: 'responses',
      },
      {
        rule: 'JSON patches as the API server applies them',
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
        rule: 'From a predicted failure to the exact words',
        where: ['sentences/call-sentence.ts'],
        source: 'apiserver/pkg/util/webhook/error.go, kube-aggregator/pkg/apiserver/handler_proxy.go',
        group: 'routing',
      },
      {
        rule: 'From any error text to its structure and what may have caused it',
        where: ['sentences/'],
        source:
          '220 error lines of public incidents, test/apiserver/recorded/incidents.jsonl: each with its kind; of 133 failed calls 115 with the cause, 18 are cut off before it',
      },
      {
        rule: 'What a ServiceAccount is forbidden, from a line of a log',
        where: ['sentences/forbidden-words.ts'],
        source: 'apiserver/pkg/endpoints/handlers/responsewriters/errors.go',
      },
    ],
  },
  {
    title: 'What a webhook means for the cluster',
    rules: [
      {
        rule: 'The requests that let a Pod come to serve: creation, binding, token, status, endpoints, leases',
        where: ['deadlock/admission-path.ts'],
        source: 'kubelet, scheduler and controllers',
      },
      {
        rule: 'For which of these a webhook is called, whether its own Pods can start without it, and whose Pods it may hold in Pending',
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
        rule: 'From a stuck object to the webhooks and APIServices that its own evidence, or its requests, lead to',
        where: ['sentences/blamed.ts', 'admission/trail.ts'],
        source: 'events, conditions and the rules above',
      },
    ],
  },
];
