import { scaleToOne } from '../../../src/remedies/workload/scale-to-one.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const of = (replicas: number) => lists({ shop: [workload({ spec: { replicas } })] });

describeRemedy(scaleToOne, {
  plans: [
    {
      name: 'one replica where only the leader serves',
      facts: healthy({ workloads: of(3) }),
      expect: {
        edits: [
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
            operation: 'scale',
            path: '/spec/replicas',
            expected: 3,
            after: 1,
          },
        ],
        warns: [/depend on a single Pod/],
      },
    },
  ],
  doesNotFit: [
    { name: 'it has one', facts: healthy({ workloads: of(1) }) },
    { name: 'it has none', facts: healthy({ workloads: of(0) }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
    {
      name: 'the check is another',
      facts: healthy({ workloads: of(3) }),
      problem: { check: 'replica-hangs', breaks: false },
    },
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
