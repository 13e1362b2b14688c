import type { Product } from './product.ts';

export const vaultInjector: Product = {
  name: 'Vault Agent Injector',
  webhooks: ['vault.hashicorp.com'],
  enforces: { webhooks: ['vault.hashicorp.com'], what: 'its agents, and with them the secrets of Pods' },
  // vault-k8s agent-inject/agent/annotations.go.
  injects: {
    webhooks: ['vault.hashicorp.com'],
    what: 'Vault agent',
    mark: 'vault.hashicorp.com/agent-inject-status',
    asked: { annotation: 'vault.hashicorp.com/agent-inject', values: ['true'] },
  },
  workloads: ['vault'],
  writers: [
    {
      name: 'the Vault Agent Injector',
      managers: ['vault-k8s'],
      fields: ['caBundle'],
      lasts: "in the chart's values (`injector.certs`); it writes whenever it makes a certificate",
    },
  ],
  rotation: { by: 'the Vault Agent Injector' },
};
