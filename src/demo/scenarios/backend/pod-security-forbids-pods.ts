import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const podSecurityForbidsPods = defineScenario({
  slug: 'pod-security-forbids-pods',
  story: [
    'The namespace of a webhook was labelled to enforce the restricted Pod Security level.',
    'Pods that ran went on until their node was drained.',
    'Their replacements are refused.',
  ],
  parts: [
    namespace('hardened', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    service('hardened/image-policy'),
    deployment('hardened/image-policy'),
    validating('image-policy', [
      webhook('image-policy.example.com', {
        service: 'hardened/image-policy',
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['hardened', 'kube-system'] },
          ],
        },
      }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/image-policy/image-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-cannot-create-pods',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
