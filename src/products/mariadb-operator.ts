import type { Product } from './product.ts';

/** mariadb-operator internal/controller/webhookconfig_controller.go. */
export const mariaDbOperator: Product = {
  name: 'MariaDB Operator',
  services: ['mariadb-operator-webhook'],
  workloads: ['mariadb-operator'],
  writers: [
    {
      name: "MariaDB Operator's cert-controller",
      managers: ['mariadb-operator'],
      fields: ['caBundle'],
      lasts: 'in the Secret mariadb-operator-webhook-cert',
    },
  ],
  rotation: { by: "MariaDB Operator's cert-controller", secret: 'mariadb-operator-webhook-cert' },
};
