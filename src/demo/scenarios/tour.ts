import { namespace, service } from '../cluster/manifests.ts';
import { validating, webhook } from '../cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../cluster/workload-manifests.ts';

/** A healthy webhook, and a typical write that breaks it: the selector gets a label that no Pod has. */
export const tour: {
  readonly parts: readonly ClusterPart[];
  readonly write: { readonly path: string; readonly body: object };
  readonly typed: string;
  readonly configuration: string;
  readonly check: string;
  readonly remedy: string;
} = {
  parts: [
    namespace('payments'),
    service('payments/policy', { selector: { app: 'policy', tier: 'admission' } }),
    deployment('payments/policy', { labels: { tier: 'admission' } }),
    validating('payments-policy', [
      webhook('policy.payments.example.com', {
        service: 'payments/policy',
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['payments', 'kube-system'] },
          ],
        },
      }),
    ]),
  ],
  write: {
    path: '/api/v1/namespaces/payments/services/policy',
    body: { spec: { selector: { tier: 'webhook' } } },
  },
  typed: `kubectl -n payments patch service policy --patch '{"spec":{"selector":{"tier":"webhook"}}}'`,
  configuration: 'payments-policy',
  check: 'selector-matches-no-pod',
  remedy: 'fix-service-selector',
};
