import { expect } from 'chai';
import { addedFields, dryRunOutcome, fieldText, type Proof } from '../../src/soak/dry-run-outcome.ts';
import { soakTally } from '../../src/soak/soak-tally.ts';

const webhook = 'a.example.com';
const denial: Proof = { by: 'denial', webhook };
const refusal = (message: string, status = 500) => ({ status, body: { kind: 'Status', message } });
const denied = refusal(`admission webhook "${webhook}" denied the request: no`, 403);

describe('the response to a dry run', () => {
  const cases: readonly (readonly [string, Parameters<typeof dryRunOutcome>[0], string])[] = [
    ['its denial', denied, 'checked'],
    ['the object', { status: 201, body: {} }, 'unchecked'],
    [
      'a call that failed',
      refusal(`Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: EOF`),
      'failed',
    ],
    [
      'a failed call of another webhook',
      refusal('Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: EOF'),
      'other',
    ],
    [
      'a denial by another webhook',
      refusal('admission webhook "b.example.com" denied the request: no'),
      'other',
    ],
    [
      'a request that ran out of time',
      refusal('Timeout: request did not complete within requested timeout - context deadline exceeded', 504),
      'failed',
    ],
    ['a refusal by RBAC', refusal('configmaps is forbidden: User "x" cannot create resource', 403), 'other'],
    ['no JSON at all', { status: 502, body: undefined }, 'other'],
  ];
  for (const [name, answer, outcome] of cases)
    it(`is ${outcome}: ${name}`, () => {
      expect(dryRunOutcome(answer, denial).outcome).to.equal(outcome);
    });

  const sent = { kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } };
  const changed = {
    kind: 'ConfigMap',
    metadata: { name: 'x', uid: 'u', creationTimestamp: 't', managedFields: [{}], labels: { 'a.b/c': 'd' } },
    data: { a: '2' },
  };
  it('shows a change by the added fields', () => {
    const fields = addedFields(sent, changed);
    expect(fields.map(fieldText)).to.deep.equal(['metadata.labels.a.b/c', 'data.a']);
    const proof: Proof = { by: 'fields', webhook, fields };
    expect(dryRunOutcome({ status: 201, body: changed }, proof).outcome).to.equal('checked');
    expect(dryRunOutcome({ status: 201, body: sent }, proof).outcome).to.equal('unchecked');
  });
  it('shows none if nothing was added', () => {
    expect(addedFields(sent, { ...sent, metadata: { name: 'x', uid: 'u' } })).to.deep.equal([]);
  });
});

describe('the counts of a soak', () => {
  it('are by the second in which a request was sent', () => {
    const { add, result } = soakTally(100);
    add({ outcome: 'checked' }, 0, 10);
    add({ outcome: 'unchecked' }, 2_100, 150);
    add({ outcome: 'failed', message: 'x' }, 2_900, 20);
    const { totals, latency, failures, timeline } = result(4, 1);
    expect(totals).to.deep.equal({
      requests: 3,
      checked: 1,
      unchecked: 1,
      failed: 1,
      other: 0,
      slow: 1,
      notSent: 1,
    });
    expect(timeline).to.have.length(4);
    expect(timeline[2]).to.deep.equal({ checked: 0, unchecked: 1, failed: 1, other: 0, slow: 1 });
    expect(latency).to.deep.equal({ median: 20, p99: 150, longest: 150 });
    expect(failures).to.deep.equal([{ count: 1, message: 'x' }]);
  });
  it('are empty without requests', () => {
    expect(soakTally(1).result(0, 0)).to.deep.include({ timeline: [], failures: [] });
  });
});
