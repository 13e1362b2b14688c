import { maintainedBy, type Product, renewsOwnCertificate } from '../product.ts';

/** Operators for one kind of service: databases, secrets, monitoring. */
export const operators: readonly Product[] = [
  /**
   * cloudnative-pg pkg/certs/k8s.go; by default valid for 90 days, renewed 7 days before expiry
   * (internal/configuration).
   */
  {
    name: 'CloudNativePG',
    webhooks: ['.cnpg.io'],
    services: ['cnpg-webhook-service'],
    workloads: ['cnpg'],
    ...renewsOwnCertificate("CloudNativePG's operator", ['manager'], 'cnpg-webhook-cert', {
      days: 90,
      daysLeft: 7,
    }),
  },
  /** elastic/cloud-on-k8s pkg/controller/webhook; the operator patches the caBundle of each webhook. */
  {
    name: 'Elastic Cloud on Kubernetes',
    webhooks: ['.k8s.elastic.co'],
    workloads: ['elastic-operator'],
    ...maintainedBy("Elastic's operator", {
      managers: ['elastic-operator'],
      lasts: "in the Secret of the operator's webhook",
    }),
  },
  {
    name: 'External Secrets Operator',
    webhooks: ['.external-secrets.io'],
    services: ['external-secrets-webhook'],
    workloads: ['external-secrets'],
    ...renewsOwnCertificate(
      "External Secrets' cert-controller",
      ['external-secrets'],
      'external-secrets-webhook',
      { onlyFills: true, services: [] },
    ),
  },
  /** mariadb-operator internal/controller/webhookconfig_controller.go. */
  {
    name: 'MariaDB Operator',
    services: ['mariadb-operator-webhook'],
    workloads: ['mariadb-operator'],
    ...renewsOwnCertificate(
      "MariaDB Operator's cert-controller",
      ['mariadb-operator'],
      'mariadb-operator-webhook-cert',
      { services: [] },
    ),
  },
  {
    name: 'Prometheus Operator',
    webhooks: ['.monitoring.coreos.com'],
    workloads: ['prometheus-operator', 'kube-prometheus'],
  },
  /**
   * rabbitmq/messaging-topology-operator config/default: kubebuilder's default names; cert-manager maintains
   * its certificates.
   */
  {
    name: 'RabbitMQ Topology Operator',
    services: ['messaging-topology-webhook-service'],
    workloads: ['messaging-topology-operator'],
  },
  /** strimzi/drain-cleaner install: cert-manager or OpenShift renews its certificate, or nothing does. */
  {
    name: 'Strimzi Drain Cleaner',
    webhooks: ['strimzi-drain-cleaner.strimzi.io'],
    workloads: ['strimzi-drain-cleaner'],
  },
];
