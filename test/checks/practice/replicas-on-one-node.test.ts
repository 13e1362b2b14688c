import { replicasOnOneNode } from '../../../src/checks/practice/replicas-on-one-node.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { deployment, kept, never, replicas } from './kept.ts';

const together = { pods: lists({ 'shop/policy': replicas('n1', 'n1') }) };
describeCheck(replicasOnOneNode, {
  reports: [
    {
      name: 'two on one',
      facts: kept([deployment()], together),
      expect: { messageId: 'together', data: { count: 2, workload: 'Deployment policy', node: 'n1' } },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'they are on two', facts: kept(), outcome: 'pass' },
    { name: 'there is one', facts: kept([deployment()], { pods: lists({ 'shop/policy': replicas('n1') }) }) },
    {
      name: 'the other is ending',
      facts: kept([deployment()], {
        pods: lists({
          'shop/policy': [
            ...replicas('n1'),
            pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
          ],
        }),
      }),
    },
    {
      name: 'their spec spreads them',
      facts: kept(
        [deployment({ podSpec: { topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname' }] } })],
        together,
      ),
    },
    {
      name: 'they avoid each other',
      facts: kept([deployment({ podSpec: { affinity: { podAntiAffinity: {} } } })], together),
    },
  ],
  isUnknown: [{ name: 'Pods may not be read', facts: kept([deployment()], { pods: forbidden('pods') }) }],
});
