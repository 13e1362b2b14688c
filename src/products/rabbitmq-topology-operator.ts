import type { Product } from './product.ts';

/** rabbitmq/messaging-topology-operator config/default: kubebuilder's default names; cert-manager keeps its certificates. */
export const rabbitMqTopologyOperator: Product = {
  name: 'RabbitMQ Topology Operator',
  services: ['messaging-topology-webhook-service'],
  workloads: ['messaging-topology-operator'],
};
