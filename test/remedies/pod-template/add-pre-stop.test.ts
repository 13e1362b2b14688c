import { addPreStop } from '../../../src/remedies/pod-template/add-pre-stop.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { containing, withoutContainer } from '../../support/serving-workload.ts';
import { healthy } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const helm = { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' };

describeRemedy(addPreStop, {
  plans: [
    {
      name: 'it in the container that has the port',
      facts: healthy({ workloads: containing({}) }),
      expect: {
        edits: [
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
            operation: 'patch',
            path: '/spec/template/spec/containers/1/lifecycle',
            expected: undefined,
            after: { preStop: { sleep: { seconds: 5 } } },
          },
        ],
        warns: [/All its Pods are replaced/],
      },
    },
    {
      name: 'a patch for the owner if another manager declares the workload',
      facts: healthy({ workloads: containing({}, {}, { annotations: helm }) }),
      expect: {
        edits: [],
        print: /containers:\n +- name: webhook\n +lifecycle:\n +preStop:\n +sleep:\n +seconds: 5/,
        warns: [/Helm release shop\/acme/],
      },
    },
  ],
  refuses: [
    {
      name: 'where Pods get too little time to end',
      facts: healthy({ workloads: containing({}, { terminationGracePeriodSeconds: 5 }) }),
      because: /would use all of it/,
    },
  ],
  doesNotFit: [
    { name: 'it has a lifecycle', facts: healthy({ workloads: containing({ lifecycle: {} }) }) },
    ...withoutContainer,
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
