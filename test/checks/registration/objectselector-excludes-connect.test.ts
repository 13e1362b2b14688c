import { objectselectorExcludesConnect } from '../../../src/checks/registration/objectselector-excludes-connect.ts';
import type { LabelSelector } from '../../../src/facts/objects/label-selector.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';

const on = (operation: string, resource: string, objectSelector: LabelSelector) => ({
  callouts: [
    webhook({
      objectSelector,
      rules: [{ operations: [operation], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
    }),
  ],
});
const labelled = { matchLabels: { app: 'shop' } };

describeCheck(objectselectorExcludesConnect, {
  reports: [
    {
      name: 'CONNECT with labels demanded',
      facts: on('CONNECT', 'pods/exec', labelled),
      expect: { messageId: 'never', data: { selector: 'app=shop' } },
    },
    {
      name: 'all operations on pods/exec, with a label forbidden',
      facts: on('*', 'pods/exec', { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] }),
      expect: { messageId: 'never', data: { selector: '!skip' } },
    },
  ],
  reportsNothing: [
    { name: 'objectSelector demands nothing', facts: on('CONNECT', 'pods/exec', {}), outcome: 'pass' },
    {
      name: 'objectSelector has empty parts',
      facts: on('CONNECT', 'pods/exec', { matchLabels: {}, matchExpressions: [] }),
    },
    { name: 'rules cover no CONNECT', facts: on('CREATE', 'pods', labelled), outcome: 'not-applicable' },
    {
      name: 'CONNECT is only among all operations on all resources',
      facts: on('*', '*', labelled),
      outcome: 'not-applicable',
    },
  ],
});
