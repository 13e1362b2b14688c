import { maintainedBy, type Product, renewsOwnCertificate, rotatedByCertController } from '../product.ts';

/** The fields that a controller writes whose policies become webhooks. */
const fieldsFromPolicies = [
  'caBundle',
  'failurePolicy',
  'matchConditions',
  'namespaceSelector',
  'rules',
  'timeoutSeconds',
] as const;

/** Products that validate objects by policies, or isolate tenants. */
export const policyEngines: readonly Product[] = [
  /** projectcapsule/capsule internal/controllers/tls/manager.go. */
  {
    name: 'Capsule',
    webhooks: ['.projectcapsule.dev'],
    services: ['capsule-webhook-service'],
    registersItself: { service: 'capsule-webhook-service', otherwise: 'tenants are not isolated' },
    workloads: ['capsule'],
    ...renewsOwnCertificate("Capsule's controller", ['controller'], 'capsule-tls', {
      days: 180,
      daysLeft: 3,
    }),
  },
  /**
   * open-policy-agent/cert-controller pkg/rotator/rotator.go: a serving certificate is valid for a year and
   * renewed 90 days before expiry.
   */
  {
    name: 'Gatekeeper',
    webhooks: ['.gatekeeper.sh'],
    services: ['gatekeeper-webhook-service'],
    enforces: {
      webhooks: ['validation.gatekeeper.sh', 'mutation.gatekeeper.sh'],
      what: 'constraints and mutations',
    },
    workloads: ['gatekeeper'],
    ...rotatedByCertController(
      "Gatekeeper's certificate rotator",
      ['gatekeeper'],
      'gatekeeper-webhook-server-cert',
    ),
  },
  /** open-policy-agent/cert-controller rotates its certificates: kubernetes-sigs/hierarchical-namespaces. */
  {
    name: 'Hierarchical Namespaces',
    webhooks: ['.hnc.x-k8s.io'],
    services: ['hnc-webhook-service'],
    workloads: ['hnc'],
    ...rotatedByCertController("HNC's certificate rotator", ['manager'], 'hnc-webhook-server-cert'),
  },
  /** kubewarden-controller internal/controller: creates and restores a configuration per policy, served by policy-server-*. */
  {
    name: 'Kubewarden',
    webhooks: ['.kubewarden.admission', '.kubewarden.dev'],
    enforces: { webhooks: ['.kubewarden.admission'], what: 'policies' },
    workloads: ['kubewarden', 'policy-server'],
    ...maintainedBy("Kubewarden's controller", {
      services: ['kubewarden-controller-webhook-service'],
      managers: ['controller', 'kubewarden-controller'],
      fields: fieldsFromPolicies,
      lasts: 'in the policies (`spec.failurePolicy`, `spec.rules`)',
    }),
  },
  /** Its admission controller creates its configurations from the policies, and restores them. */
  {
    name: 'Kyverno',
    webhooks: ['.kyverno.svc', '.kyverno.svc-fail*', '.kyverno.svc-ignore*'],
    services: ['kyverno-svc', 'kyverno-cleanup-controller'],
    enforces: {
      webhooks: ['.kyverno.svc-fail*', '.kyverno.svc-ignore*'],
      what: 'policies',
    },
    registersItself: { service: 'kyverno-svc', otherwise: 'none of its policies is enforced' },
    workloads: ['kyverno'],
    writers: [
      {
        name: "Kyverno's admission controller",
        managers: ['kyverno'],
        fields: fieldsFromPolicies,
        lasts: 'in the policies (`spec.webhookConfiguration`) and in the ConfigMap kyverno',
      },
      {
        name: "Kyverno's cleanup controller",
        managers: ['cleanup-controller'],
        fields: fieldsFromPolicies,
        lasts: 'not possible: it restores its two configurations',
      },
    ],
    rotation: {
      by: "Kyverno's admission controller",
      secret: '{service}.{namespace}.svc.kyverno-tls-pair',
      days: 150,
    },
  },
  /** Built on knative.dev/pkg webhook: certificates are valid for a week and renewed a day before expiry. */
  {
    name: 'Sigstore Policy Controller',
    webhooks: ['.sigstore.dev', 'policy.sigstore.dev'],
    enforces: { webhooks: ['policy.sigstore.dev'], what: 'image policies' },
    workloads: ['policy-controller'],
    ...maintainedBy("Sigstore's policy controller", {
      managers: ['policy-controller'],
      fields: ['caBundle', 'rules'],
      lasts: 'in the Secret webhook-certs; rules only in the program',
      secret: 'webhook-certs',
      onlyFills: true,
      days: 7,
      daysLeft: 1,
    }),
  },
];
