import type { Product } from './product.ts';

/** open-telemetry/opentelemetry-operator config/webhook: kubebuilder's default names; cert-manager keeps its certificates. */
export const openTelemetryOperator: Product = {
  name: 'OpenTelemetry Operator',
  webhooks: ['.opentelemetry.io'],
  services: ['opentelemetry-operator-webhook-service', 'opentelemetry-operator-webhook'],
  workloads: ['opentelemetry-operator'],
};
