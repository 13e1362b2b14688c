import { serviceNamespaceMissing } from '../../../src/checks/routing/service-namespace-missing.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  namespace,
  objects,
  service,
  webhook,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const missing = { messageId: 'missing', data: { namespace: 'shop', service: 'policy' } };

describeCheck(serviceNamespaceMissing, {
  reports: [
    {
      name: 'a webhook whose namespace was deleted',
      facts: healthy({ namespaces: objects(namespace('kube-system')), services: objects() }),
      expect: missing,
    },
    {
      name: 'a conversion webhook and an APIService alike',
      facts: { callouts: [conversion(), aggregatedApi()] },
      expect: [missing, missing],
    },
    {
      name: 'an installation that is not complete',
      facts: healthy({
        namespaces: objects(namespace('kube-system')),
        services: objects(),
        callouts: [webhook({ metadata: { name: 'policy', creationTimestamp: '2025-12-31T23:59:37Z' } })],
      }),
      expect: { messageId: 'young', data: { namespace: 'shop', age: 23 } },
    },
    {
      name: "the names in kubebuilder's manifests",
      facts: healthy({
        namespaces: objects(namespace('kube-system')),
        services: objects(),
        callouts: [
          webhook({ client: { service: { namespace: 'system', name: 'webhook-service', port: 443 } } }),
        ],
      }),
      expect: { messageId: 'scaffold', data: { namespace: 'system', service: 'webhook-service' } },
    },
    {
      name: 'an installation by a clock that is ahead',
      facts: healthy({
        namespaces: objects(namespace('kube-system')),
        services: objects(),
        callouts: [webhook({ metadata: { name: 'policy', creationTimestamp: '2026-01-01T00:05:00Z' } })],
      }),
      expect: { messageId: 'young', data: { namespace: 'shop', age: 0 } },
    },
    {
      name: 'that another namespace has a Service of that name',
      facts: healthy({
        namespaces: objects(namespace('kube-system')),
        services: objects(service({}, { name: 'policy', namespace: 'kube-system' })),
      }),
      expect: {
        messageId: 'otherNamespace',
        data: { namespace: 'shop', service: 'policy', namespaces: 'kube-system' },
      },
    },
    {
      name: 'no other namespace, if a Service is left of a namespace that was removed by force',
      facts: healthy({ namespaces: objects(namespace('kube-system')) }),
      expect: missing,
    },
    {
      name: 'nothing of other namespaces where Services may not be read',
      facts: healthy({ namespaces: objects(namespace('kube-system')), services: forbidden('services') }),
      expect: { messageId: 'alone' },
    },
  ],
  reportsNothing: [
    { name: 'the namespace is there', facts: healthy() },
    {
      name: 'the namespace is being deleted, which the API server does not mind',
      facts: healthy({
        namespaces: objects({ metadata: { name: 'shop' }, status: { phase: 'Terminating' } }),
      }),
    },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com/validate' } })] },
      outcome: 'not-applicable',
    },
    {
      name: 'the API server calls itself',
      facts: {
        callouts: [webhook({ client: { service: { namespace: 'default', name: 'kubernetes', port: 443 } } })],
      },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'namespaces may not be read', facts: healthy({ namespaces: forbidden('namespaces') }) },
  ],
});
