import { aggregatedRow, textRow } from './row.ts';

/** APIServices and the clients of their APIs. */
export const aggregatedApiTexts = [
  aggregatedRow('apiservice-discovery-failed', 'network', {
    pattern: /FailedDiscoveryCheck/,
    says: 'False (FailedDiscoveryCheck)',
    means:
      'The APIService is not Available: it has endpoints, but the API server gets no usable response from them. Its condition contains the full message. The availability check does not verify certificates before Kubernetes 1.36.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  aggregatedRow('apiservice-awaited', 'backend', {
    pattern:
      /\bapiServices not installed\b|\btimed? ?out\b.{0,60}\bwaiting\b.{0,400}\bapiservices?(?:\.apiregistration\.k8s\.io)?\/(?<version>v\d\w*)\.(?<group>[a-z][\w-]*(?:\.[\w-]+)+)/i,
    says: "timeout waiting for: [APIService/v1beta1.external.metrics.k8s.io status: 'InProgress']",
    means:
      'A tool waits for an APIService that does not become Available. Its condition contains the reason: often no Pod of its backend is ready, or none can be created.',
    next: ['kubectl get apiservices'],
  }),
  aggregatedRow('apiservice-no-endpoint', 'backend', {
    pattern:
      /\b(?:MissingEndpoints|EndpointsNotFound|EndpointsAccessError)\b|\bendpoint(?:slice)?s for service\/\S+ in \S+ have no addresses\b|\bcannot find endpoint(?:slice)?s for service\//,
    says: 'False (MissingEndpoints)',
    means: 'The APIService is not Available: its Service has no ready endpoint.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  aggregatedRow('apiservice-not-found', 'routing', {
    pattern:
      /\b(?:ServiceNotFound|ServicePortError|ServiceAccessError)\b|\bservice\/\S+ in \S+ is not (?:present|listening on port)\b/,
    says: 'False (ServiceNotFound)',
    means: 'The APIService is not Available: its Service, or the port that it names, does not exist.',
    next: ['kubectl get apiservice APISERVICE -o yaml'],
  }),
  aggregatedRow('external-metric-unknown', 'response', {
    pattern: /could not find the requested resource \(get [^\s)]+\.external\.metrics\.k8s\.io\)/,
    says: 'unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
    means:
      'The external metrics API has no such metric: its adapter does not find the metric under this name. Or no APIService registers the API.',
    next: ['kubectl get --raw /apis/external.metrics.k8s.io/v1beta1'],
  }),
  aggregatedRow('api-not-registered', 'registration', {
    pattern:
      /no (?:custom|external) metrics API \([\w.]+\) registered|\b(?:Pod|Node)Metrics: the server could not find the requested resource|could not find the requested resource \(\w+ \S*metrics\.k8s\.io\b/,
    says: 'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    means:
      'No APIService registers this API, or discovery does not list it. A metrics adapter serves it only if its manifests include the APIService.',
    next: ['kubectl get apiservices'],
  }),
  aggregatedRow('api-not-registered', 'registration', {
    pattern:
      /\bget --raw "?\/apis\/(?<group>[a-z][\w-]*(?:\.[\w-]+)+)\/(?<version>v\d\w*)\b.{0,80}(?:\(NotFound\): the server could not find the requested resource|404 page not found)/,
    says: 'kubectl get --raw /apis/custom.metrics.k8s.io/v1beta1: Error from server (NotFound): the server could not find the requested resource',
    means:
      'The API server does not serve this version of the API: no CRD and no APIService registers it, or its backend does not serve it.',
    next: ['kubectl get apiservices', 'kubectl api-versions'],
  }),
  aggregatedRow('api-empty', 'response', {
    pattern: /[Gg]ot empty response for: |couldn't get resource list for \S+: <nil>/,
    says: "couldn't get resource list for external.metrics.k8s.io/v1beta1: Got empty response for: external.metrics.k8s.io/v1beta1",
    means:
      'The aggregated API works, but lists no resource, for example because the metrics adapter is empty. Old clients print this warning, newer clients do not. If the product was removed, delete the APIService.',
    next: ['kubectl get apiservices'],
  }),
  aggregatedRow('api-version-not-found', 'response', {
    pattern:
      /unable to retrieve the complete list of server APIs: (?:\S+: (?!the server is currently)[^,]+, )*(?<group>[\w.-]+)\/(?<version>v\d\w*): the server could not find the requested resource/,
    says: 'unable to retrieve the complete list of server APIs: example.com/v1: the server could not find the requested resource',
    means:
      'Discovery lists a version of an API for which the API server returns 404. It was just added or removed, or API servers of two releases respond. Or an orphaned or restored APIService registers it, and its backend does not serve it.',
  }),
  aggregatedRow('review-not-served', 'response', {
    pattern:
      /Internal Server Error: [\\"]+\/(?:apis\/(?<group>[\w.-]+)\/(?<version>v\w+)|apis|openapi)\b[^"\\]*[\\"]+: the server could not find the requested resource|Failed to make webhook auth(?:enticator|orizer) request: the server could not find the requested resource/,
    says: 'E0209 05:15:17.882999 1 webhook.go:199] Failed to make webhook authorizer request: the server could not find the requested resource',
    means:
      'The server of an aggregated API calls a version of TokenReview or SubjectAccessReview that this cluster does not serve: 1.22 removed v1beta1. It returns 401 or 500 for every request. Update it to a release for this version of Kubernetes. In the log of kube-apiserver, its own authentication or authorization webhook returned 404.',
    next: ['kubectl get apiservices', 'kubectl version'],
  }),
  aggregatedRow('openapi-not-served', 'response', {
    pattern:
      /loading OpenAPI spec for [\\"]+(?<version>v\w+)\.(?<group>[\w.-]+)[\\"]+ failed with: OpenAPI spec does not exist/,
    says: 'loading OpenAPI spec for "v1beta1.custom.metrics.k8s.io" failed with: OpenAPI spec does not exist',
    means:
      'The extension API server responds, but publishes no OpenAPI document, and kube-apiserver requests it again and again. This is harmless: requests to the API work, and only `kubectl explain` does not describe it.',
    next: ['kubectl get apiservices'],
  }),
  aggregatedRow('api-unavailable', 'routing', {
    pattern:
      /unable to retrieve the complete list of server APIs(?!: \S+: Get "?https?:)(?:: (?<groupVersion>[\w.-]+\/v\d\w*): )?|(?:loading OpenAPI spec for|Error updating APIService) [\\"]+(?<version>v\w+)\.(?<group>[\w.-]+).{1,300}(?:could not get list|Body: service unavailable|Body: Error: 'dial tcp)|stale GroupVersion discovery|the server is currently unable to handle the request(?! \([a-z]+ [a-z]+(?: [\w.-]+)?\))(?: \([a-z]+ (?<resource>[^\s()]+\.[\w.:-]+))?|unable to handle the request \([a-z]+ \S*metrics\.k8s\.io\b|^error: Metrics API not available/m,
    says: 'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get nodes.metrics.k8s.io)',
    means:
      'An aggregated API returns 503, or kube-apiserver cannot read its discovery (`stale`). The column AVAILABLE of its APIService shows the reason. `ServiceNotFound`: the product was removed. `MissingEndpoints`: no Pod is ready. `FailedDiscoveryCheck`: the network, or the response. `True`: its certificate is not trusted or has expired, which the availability check does not verify before Kubernetes 1.36.',
    next: ['kubectl get apiservices'],
  }),
  aggregatedRow('metrics-not-fetched', 'response', {
    pattern:
      /unable to fetch metrics from (?<metrics>external|custom|resource) metrics API: (?!the server could not find the requested|no custom metrics|an error on the server|the server is currently una|.*is forbidden)/,
    says: 'unable to fetch metrics from external metrics API: the server was unable to return a response in the time allotted, but may still be processing the request (get s0-cron.external.metrics.k8s.io)',
    means:
      'A HorizontalPodAutoscaler gets an error from the backend of a metrics API, which runs. The server from which it reads the metric does not respond or refuses the request. Or the backend does not have this metric: only one product can serve this API, and its APIService names the Service.',
    next: ['kubectl get hpa -A', 'kubectl get apiservices'],
  }),
  textRow('scrape-forbidden', 'replica', {
    pattern: /"Failed to scrape node".*\b403 Forbidden\b/,
    says: '"Failed to scrape node" err="request failed, status: \\"403 Forbidden\\"" node="worker-1"',
    means:
      'The kubelets refuse metrics-server: the ClusterRole of its ServiceAccount lacks `get` of `nodes/metrics` (before release 0.6, of `nodes/stats`). Without metrics it does not become Ready.',
    next: [
      'kubectl auth can-i get nodes/metrics --as=system:serviceaccount:kube-system:metrics-server',
      'kubectl get clusterrole system:metrics-server -o yaml',
    ],
  }),
  textRow('aggregation-not-configured', 'registration', {
    pattern:
      /doesn't provide (?:requestheader-)?client-ca-file|request-?header client certificate authentication won't work|configmaps "extension-apiserver-authentication" not found|User "(?:system:anonymous" cannot \w+ (?:\w+\.|resource .{0,40}API group "|path "\/apis\/)[\w.]*\b(?:metrics|servicecatalog)\.k8s\.io\b|(?:kube-apiserver|front-proxy-client|aggregator)" cannot \w+ (?:\w+\.\w|resource .{0,40}API group "[\w-]+\.))/i,
    says: "Cluster doesn't provide requestheader-client-ca-file in configmap/extension-apiserver-authentication in kube-system",
    means:
      'kube-apiserver runs without the flags of the aggregation layer, `--requestheader-*` and `--proxy-client-*`, or without `--client-ca-file`. The backend cannot identify the client and returns 401 or 403. With `system:anonymous`, the client may also have sent no credentials.',
    next: ['kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml'],
  }),
];
