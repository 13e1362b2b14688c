import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const ownPodsBlocked = defineScenario({
  slug: 'own-pods-blocked',
  story: [
    'A webhook that fails closed covers the Pods of its own namespace.',
    'The only node with its replicas went away.',
    'The new Pods must be admitted by the webhook that they are to serve.',
  ],
  source: 'https://github.com/kubernetes-sigs/jobset/issues/357',
  parts: [
    namespace('jobs'),
    service('jobs/job-webhook'),
    deployment('jobs/job-webhook', {
      refused:
        'Internal error occurred: failed calling webhook "pods.job-webhook.example.com": failed to call webhook: Post "https://job-webhook.jobs.svc:443/validate?timeout=5s": dial tcp 203.0.113.104:443: connect: connection refused',
    }),
    validating('job-webhook', [
      webhook('pods.job-webhook.example.com', {
        service: 'jobs/job-webhook',
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
          ],
        },
      }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/job-webhook/pods.job-webhook.example.com',
      state: 'failing',
      link: 'scope',
      cause: 'bootstrap-deadlock',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
