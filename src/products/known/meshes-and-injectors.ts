import { maintainedBy, type Product, renewsOwnCertificate, rotatedByCertController } from '../product.ts';

/** Products that inject into Pods at their creation. */
export const meshesAndInjectors: readonly Product[] = [
  /**
   * Its certificates are rotated by open-policy-agent/cert-controller: azure-workload-identity
   * cmd/webhook/main.go.
   */
  {
    name: 'Azure Workload Identity',
    webhooks: ['mutation.azure-workload-identity.io'],
    services: ['azure-wi-webhook-webhook-service'],
    // azure-workload-identity pkg/webhook/webhook.go; the objectSelector of deploy/azure-wi-webhook.yaml.
    injects: {
      webhooks: ['mutation.azure-workload-identity.io'],
      what: 'Azure identity token',
      mark: 'azure-identity-token',
      asked: { key: 'azure.workload.identity/use', in: 'labels', values: ['true'] },
    },
    workloads: ['azure-wi-webhook'],
    ...rotatedByCertController(
      "Azure Workload Identity's certificate rotator",
      ['azure-workload-identity'],
      'azure-wi-webhook-server-cert',
    ),
  },
  /**
   * hashicorp/consul-k8s control-plane/subcommand/webhook-cert-manager, a Deployment of its own
   * (charts/consul/templates/webhook-cert-manager-deployment.yaml): certificates are for one day.
   */
  {
    name: 'Consul',
    webhooks: ['.consul.hashicorp.com'],
    injects: {
      webhooks: ['consul-connect-injector.consul.hashicorp.com'],
      what: 'Consul sidecar',
      mark: 'consul.hashicorp.com/connect-inject-status',
      asked: { key: 'consul.hashicorp.com/connect-inject', values: ['true', '1', 't'] },
    },
    workloads: ['consul'],
    ...maintainedBy("Consul's webhook certificate manager", {
      services: [],
      managers: ['consul-k8s-control-plane'],
      lasts: 'in the Secret that it keeps; it writes whenever it makes a certificate',
    }),
  },
  /**
   * dapr charts/dapr_sidecar_injector; cmd/injector/app/app.go and pkg/operator/operator.go set the caBundles;
   * pkg/injector/patcher/sidecar_patcher.go labels injected Pods.
   */
  {
    name: 'Dapr',
    webhooks: ['.dapr.io'],
    injects: {
      webhooks: ['sidecar-injector.dapr.io'],
      what: 'Dapr sidecar',
      mark: 'dapr.io/sidecar-injected',
      // Old releases set no label; the injector skips a Pod with this container (dapr pkg/injector/pod_patch.go).
      notBeside: ['daprd'],
      asked: { key: 'dapr.io/enabled', values: ['true', 'yes', 'on', '1', 'y'] },
    },
    workloads: ['dapr'],
    writers: [
      {
        name: "Dapr's injector or operator",
        managers: ['injector', 'operator'],
        fields: ['caBundle'],
        lasts: 'in the Secret dapr-trust-bundle',
      },
    ],
  },
  {
    name: 'Datadog Cluster Agent',
    workloads: ['datadog'],
    writers: [
      {
        name: 'the Datadog Cluster Agent',
        managers: ['datadog-cluster-agent'],
        fields: ['caBundle', 'namespaceSelector', 'rules'],
        lasts: "in the agent's configuration (`admissionController`)",
      },
    ],
  },
  /** dynatrace-operator pkg/controllers/certificates/webhook_cert_controller.go, certificate_secret.go. */
  {
    name: 'Dynatrace Operator',
    webhooks: ['.dynatrace.com'],
    workloads: ['dynatrace-operator', 'dynatrace-webhook'],
    ...renewsOwnCertificate('the Dynatrace Operator', ['dynatrace-operator'], 'dynatrace-webhook-certs', {
      services: [],
    }),
  },
  {
    name: 'Istio',
    webhooks: ['.istio.io'],
    enforces: {
      webhooks: ['.sidecar-injector.istio.io', 'sidecar-injector.istio.io'],
      what: 'mutual TLS and authorization',
    },
    // istio pkg/kube/inject: webhook.go, and the templates of
    // manifests/charts/istio-control/istio-discovery/files.
    injects: {
      webhooks: ['.sidecar-injector.istio.io', 'sidecar-injector.istio.io'],
      what: 'Istio proxy',
      mark: 'sidecar.istio.io/status',
      askedByNamespace: ['istio-injection', 'istio.io/rev'],
      notBeside: ['istio-proxy'],
      // istio pkg/kube/inject/inject.go IgnoredNamespaces.
      neverIn: ['kube-public', 'kube-node-lease', 'local-path-storage'],
      refused: 'sidecar.istio.io/inject',
    },
    workloads: ['istio'],
    ...maintainedBy('istiod', {
      managers: ['pilot-discovery'],
      fields: ['caBundle', 'failurePolicy'],
      lasts: "in istiod's certificates; failurePolicy of its validation is Fail once istiod is ready",
    }),
  },
  {
    name: 'Linkerd',
    webhooks: ['.linkerd.io'],
    enforces: {
      webhooks: ['linkerd-proxy-injector.linkerd.io'],
      what: 'mutual TLS and authorization',
    },
    // linkerd2 controller/proxy-injector/webhook.go, pkg/inject.
    injects: {
      webhooks: ['linkerd-proxy-injector.linkerd.io'],
      what: 'Linkerd proxy',
      mark: 'linkerd.io/proxy-version',
      // pkg/healthcheck/sidecar.go HasExistingSidecars; older releases: the other proxies as well.
      notBeside: ['linkerd-proxy', 'istio-proxy', 'envoy', 'contour'],
      asked: { key: 'linkerd.io/inject', values: ['enabled', 'ingress'], ofNamespace: true },
      needsToken: true,
    },
    workloads: ['linkerd'],
    rotation: { by: "Linkerd's installation", secret: '{service}-k8s-tls', atUpgrade: true },
  },
  /**
   * open-telemetry/opentelemetry-operator config/webhook: kubebuilder's default names; cert-manager maintains
   * its certificates.
   */
  {
    name: 'OpenTelemetry Operator',
    webhooks: ['.opentelemetry.io'],
    services: ['opentelemetry-operator-webhook-service', 'opentelemetry-operator-webhook'],
    workloads: ['opentelemetry-operator'],
  },
  {
    name: 'Vault Agent Injector',
    webhooks: ['vault.hashicorp.com'],
    // vault-k8s agent-inject/agent/annotations.go.
    injects: {
      webhooks: ['vault.hashicorp.com'],
      what: 'Vault agent',
      mark: 'vault.hashicorp.com/agent-inject-status',
      asked: { key: 'vault.hashicorp.com/agent-inject', values: ['true'] },
    },
    workloads: ['vault'],
    ...maintainedBy('the Vault Agent Injector', {
      managers: ['vault-k8s'],
      lasts: "in the chart's values (`injector.certs`); it writes whenever it makes a certificate",
    }),
  },
  /**
   * autoscaler vertical-pod-autoscaler/pkg/admission-controller/config.go: deletes and creates its
   * configuration at startup.
   */
  {
    name: 'Vertical Pod Autoscaler',
    webhooks: ['vpa.k8s.io'],
    registersItself: { service: 'vpa-webhook', otherwise: 'Pods start with the requests of their templates' },
    workloads: ['vpa', 'vertical-pod-autoscaler'],
    writers: [
      {
        name: "VPA's admission controller",
        managers: ['admission-controller'],
        fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
        lasts:
          'in its flags (`--webhook-failure-policy-fail`, `--webhook-timeout-seconds`): it recreates its configuration when it starts',
      },
    ],
    rotation: { by: "VPA's installation", secret: 'vpa-tls-certs', atUpgrade: true },
  },
];
