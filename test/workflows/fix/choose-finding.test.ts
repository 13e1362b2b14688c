import { expect } from 'chai';
import { fixTarget } from '../../../src/workflows/fix/choose-finding.ts';

const checks = new Map([
  ['service-missing', 'service-missing'],
  ['no-service', 'service-missing'],
]);
const callout = 'validating/policy/policy.example.com';

describe('the finding to fix', () => {
  const cases: readonly [string | undefined, object][] = [
    [undefined, { callouts: [] }],
    ['service-missing', { callouts: [], check: 'service-missing' }],
    ['no-service', { callouts: [], check: 'service-missing' }],
    [
      `service-missing:${callout}`,
      { callouts: [callout], check: 'service-missing', id: `service-missing:${callout}` },
    ],
    [
      `no-service:${callout}#2`,
      { callouts: [callout], check: 'service-missing', id: `service-missing:${callout}#2` },
    ],
    ['service-missing:', { callouts: ['service-missing:'] }],
    ['policy', { callouts: ['policy'] }],
    ['crd/a.example.com', { callouts: ['crd/a.example.com'] }],
    // A name that resembles a check's id but is none.
    ['service-missing-webhook', { callouts: ['service-missing-webhook'] }],
  ];
  for (const [typed, meant] of cases) {
    it(`${typed ?? 'nothing typed'}`, () => expect(fixTarget(typed, checks)).to.deep.equal(meant));
  }
});
