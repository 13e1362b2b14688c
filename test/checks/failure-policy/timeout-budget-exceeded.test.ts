import { timeoutBudgetExceeded } from '../../../src/checks/failure-policy/timeout-budget-exceeded.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { cluster, conditional, only, rule } from '../scope/scopes.ts';

/** Mutating webhooks for Pods, each in a separate configuration, with these timeouts. */
const chain = (
  timeouts: readonly number[],
  over: Partial<AdmissionCallout> = {},
): readonly AdmissionCallout[] =>
  timeouts.map((timeoutSeconds, index) =>
    webhook({
      kind: 'mutating',
      ref: { kind: 'MutatingWebhookConfiguration', name: `m${index}`, webhook: `m${index}.example.com` },
      configuration: `m${index}`,
      webhook: `m${index}.example.com`,
      rules: [rule('pods')],
      timeoutSeconds,
      ...over,
    }),
  );
const exceeded = (request: string, namespace: string, count: number, total: number) => ({
  messageId: 'exceeded',
  data: {
    request,
    namespace,
    count,
    total,
    budget: 34,
    detail: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  },
});

describeCheck(timeoutBudgetExceeded, {
  reports: [
    {
      name: 'four webhooks with the default timeout, once',
      facts: cluster(chain([10, 10, 10, 10])),
      expect: exceeded('CREATE pods', 'shop', 4, 40),
    },
    {
      name: 'two that take their time',
      facts: cluster(chain([5, 30])),
      expect: exceeded('CREATE pods', 'shop', 2, 35),
    },
    {
      name: 'webhooks that fail open too: they are waited for as well',
      facts: cluster(chain([30, 30], { failurePolicy: 'Ignore' })),
      expect: exceeded('CREATE pods', 'shop', 2, 60),
    },
    {
      name: 'the namespace in which they meet',
      facts: cluster([...chain([20, 10], only('kube-system', 'shop')), ...chain([10], only('kube-system'))]),
      expect: exceeded('CREATE pods', 'kube-system', 3, 40),
    },
    {
      name: 'the longest chain of several',
      facts: cluster([
        ...chain([10, 10, 10, 10]),
        ...chain([30, 30], { rules: [rule('secrets', { operations: ['UPDATE'] })] }),
      ]),
      expect: exceeded('UPDATE secrets', 'shop', 2, 60),
    },
  ],
  reportsNothing: [
    {
      name: 'one of them may be called again, but not because of a webhook that hangs',
      facts: cluster(chain([10, 10, 10], { reinvocationPolicy: 'IfNeeded' })),
    },
    { name: 'they fit into the request', facts: cluster(chain([10, 10, 10, 4])), outcome: 'not-applicable' },
    {
      name: 'they are validating: those are called at once',
      facts: cluster(chain([30, 30], { kind: 'validating' })),
    },
    {
      name: 'they meet in no namespace',
      facts: cluster([...chain([30], only('kube-system')), ...chain([30], only('shop'))]),
    },
    {
      name: 'they are for different resources',
      facts: cluster([...chain([30]), ...chain([30], { rules: [rule('secrets')] })]),
    },
    {
      name: 'they are for different operations',
      facts: cluster([
        ...chain([30], { rules: [rule('pods', { operations: ['CREATE'] })] }),
        ...chain([30], { rules: [rule('pods', { operations: ['UPDATE'] })] }),
      ]),
    },
    { name: 'a condition may pass one by', facts: cluster([...chain([30]), ...chain([30], conditional)]) },
    {
      name: 'only Pods with a label meet one of them',
      facts: cluster([
        ...chain([30]),
        ...chain([30], { objectSelector: { matchLabels: { inject: 'yes' } } }),
      ]),
    },
    { name: 'nothing is known of namespaces', facts: cluster(chain([30, 30]), { namespaces: forbidden() }) },
    {
      name: 'another version may be meant',
      facts: cluster(chain([30, 30], { rules: [rule('pods', { apiVersions: ['v2'] })] }), {
        served: forbidden(),
      }),
    },
  ],
});
