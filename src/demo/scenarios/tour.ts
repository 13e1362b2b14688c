import { installation } from '../cluster/installation.ts';
import { exceptNamespaces } from '../cluster/webhook-manifests.ts';
import type { ClusterPart } from '../cluster/workload-manifests.ts';

/** A healthy webhook, and a typical write that breaks it: the selector gets a label that no Pod has. */
export const tour: {
  readonly parts: readonly ClusterPart[];
  readonly write: { readonly path: string; readonly body: object };
  readonly typed: string;
  readonly configuration: string;
  readonly check: string;
  readonly remedy: string;
} = {
  parts: installation('payments/policy', {
    service: { selector: { app: 'policy', tier: 'admission' } },
    deployment: { labels: { tier: 'admission' } },
    validating: {
      configuration: 'payments-policy',
      name: 'policy.payments.example.com',
      namespaceSelector: exceptNamespaces('payments', 'kube-system'),
    },
  }),
  write: {
    path: '/api/v1/namespaces/payments/services/policy',
    body: { spec: { selector: { tier: 'webhook' } } },
  },
  typed: `kubectl -n payments patch service policy --patch '{"spec":{"selector":{"tier":"webhook"}}}'`,
  configuration: 'payments-policy',
  check: 'selector-matches-no-pod',
  remedy: 'fix-service-selector',
};
