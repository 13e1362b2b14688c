import { maintainedBy, type Product } from '../product.ts';

/** Kubernetes distributions and platforms, and their components. */
export const platforms: readonly Product[] = [
  /**
   * Adds two exclusions to every namespaceSelector: https://learn.microsoft.com/azure/aks/faq (admissions
   * enforcer). Its own webhooks run beside the API server: `failed calling webhook
   * "aks-webhook-admission-controller.azmk8s.io": failed to call webhook: Post
   * "https://localhost:8443/mutate-pods?timeout=10s"`.
   */
  {
    name: 'AKS',
    webhooks: ['.azmk8s.io'],
    besideApiServers: true,
    writers: [
      {
        name: "AKS' admissions enforcer",
        managers: ['admissionsenforcer'],
        fields: ['namespaceSelector'],
        lasts: 'only if the object is annotated admissions.enforcer/disabled: "true"',
      },
    ],
  },
  /**
   * aws/amazon-eks-pod-identity-webhook and aws/amazon-vpc-resource-controller-k8s: EKS runs both beside its
   * API servers, and the configurations have a loopback URL.
   */
  {
    name: 'EKS',
    webhooks: ['.amazonaws.com', 'mpod.vpc.k8s.aws'],
    workloads: ['pod-identity-webhook'],
    besideApiServers: true,
    // Fargate.
    nodesOfOnePod: 'fargate-',
  },
  /** As in an API server's error: `Post "https://localhost:5443/webhook/warden-validating?timeout=10s"`. */
  {
    name: 'GKE',
    webhooks: ['.common-webhooks.networking.gke.io'],
    besideApiServers: true,
  },
  {
    name: 'OpenShift',
    writers: [
      {
        name: "OpenShift's service CA operator",
        managers: ['service-ca-operator'],
        annotations: ['service.beta.openshift.io/inject-cabundle'],
        fields: ['caBundle'],
        lasts: 'only without the annotation',
      },
    ],
  },
  {
    name: 'AWS Load Balancer Controller',
    webhooks: ['.elbv2.k8s.aws'],
    services: ['aws-load-balancer-webhook-service'],
    workloads: ['aws-load-balancer-controller'],
  },
  /** kubernetes-sigs/cluster-api: cert-manager maintains its certificates. */
  {
    name: 'Cluster API',
    webhooks: ['.cluster.x-k8s.io'],
    workloads: ['capi-', 'capa-', 'capz-', 'capv-', 'capg-', 'capd-'],
  },
  /** crossplane internal/initializer/webhook_configurations.go: an init container of its Deployment. */
  {
    name: 'Crossplane',
    webhooks: ['.crossplane.io'],
    workloads: ['crossplane'],
    ...maintainedBy("Crossplane's init container", {
      managers: ['crossplane'],
      lasts: 'in the Secret crossplane-root-ca; it writes when a Pod starts',
      secret: 'crossplane-root-ca',
    }),
  },
  /** kubevirt virt-operator/resource/apply/admissionregistration.go: restores its configurations. */
  {
    name: 'KubeVirt',
    webhooks: ['.kubevirt.io'],
    services: ['virt-api', 'virt-operator', 'kubevirt-operator-webhook'],
    workloads: ['virt-api', 'virt-operator'],
    ...maintainedBy("KubeVirt's virt-operator", {
      services: ['kubevirt-operator-webhook'],
      managers: ['virt-operator'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'not possible: it restores its objects within minutes',
    }),
  },
  /** rancher/webhook pkg/server/server.go: creates its configurations when its CA changes. */
  {
    name: 'Rancher Webhook',
    webhooks: ['rancher.cattle.io'],
    services: ['rancher-webhook'],
    registersItself: { service: 'rancher-webhook', otherwise: "Rancher's own objects are written unchecked" },
    workloads: ['rancher-webhook'],
    ...maintainedBy("Rancher's webhook", {
      managers: ['webhook', 'rancher-webhook'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'not possible: it recreates its configurations when it starts',
      secret: 'cattle-webhook-tls',
    }),
  },
];
