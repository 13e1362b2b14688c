import { addDisruptionBudget } from '../../../src/remedies/workload/add-disruption-budget.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const helm = { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' };
const of = (over: Parameters<typeof workload>[0]) => lists({ shop: [workload(over)] });

describeRemedy(addDisruptionBudget, {
  plans: [
    {
      name: 'a budget where no other manager declares the workload',
      facts: healthy({ workloads: of({ spec: { replicas: 2 } }) }),
      expect: {
        edits: [
          {
            object: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'policy' },
            operation: 'create',
            after: {
              apiVersion: 'policy/v1',
              kind: 'PodDisruptionBudget',
              metadata: { name: 'policy', namespace: 'shop' },
              spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'policy' } } },
            },
          },
        ],
      },
    },
    {
      name: 'a manifest for its owner if another manager declares it',
      facts: healthy({ workloads: of({ spec: { replicas: 2 }, metadata: { annotations: helm } }) }),
      expect: {
        edits: [],
        print: /^apiVersion: policy\/v1\nkind: PodDisruptionBudget\n[\s\S]*maxUnavailable: 1\n/,
        warns: [/Helm release shop\/acme/],
      },
    },
  ],
  refuses: [{ name: 'one for a single replica', facts: healthy(), because: /Scale to two replicas first/ }],
  doesNotFit: [
    { name: 'nodes decide', facts: healthy({ workloads: of({ kind: 'DaemonSet' }) }) },
    { name: 'nothing makes the Pods', facts: healthy({ workloads: lists({}) }) },
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
