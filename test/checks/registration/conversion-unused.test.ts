import { expect } from 'chai';
import { conversionUnused } from '../../../src/checks/registration/conversion-unused.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';

const one = { name: 'v1', served: true, storage: true };
const old = { name: 'v1beta1', served: false, storage: false };

describeCheck(conversionUnused, {
  reports: [
    {
      name: 'a single version',
      facts: { callouts: [conversion({ versions: [one] })] },
      expect: { messageId: 'unused', data: { kind: 'Widget', version: 'v1' } },
    },
    {
      name: 'a second version that is not served and holds no object',
      facts: { callouts: [conversion({ versions: [one, old] })] },
      expect: { messageId: 'unused' },
    },
  ],
  reportsNothing: [
    { name: 'two versions are served', facts: { callouts: [conversion()] }, outcome: 'pass' },
    {
      name: 'objects may still be stored in an older version',
      facts: { callouts: [conversion({ versions: [one, old], storedVersions: ['v1beta1', 'v1'] })] },
      outcome: 'pass',
    },
    {
      name: 'the served version is not the stored one',
      facts: {
        callouts: [
          conversion({
            versions: [
              { ...one, served: false },
              { ...old, served: true },
            ],
          }),
        ],
      },
      outcome: 'pass',
    },
    { name: 'there is no conversion webhook', facts: { callouts: [webhook()] }, outcome: 'not-applicable' },
  ],
});

it('reports that no request needs the conversion, so that its failure blocks none', () =>
  expect(conversionUnused.meta.implies).to.equal('never-called'));
