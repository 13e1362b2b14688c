import { expect } from 'chai';
import { calledAgain, inCallOrder, webhookChain } from '../../../src/apiserver/admission/order.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { webhook } from '../../support/snapshot.ts';

const hook = (name: string, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({ kind: 'mutating', configuration: name, webhook: name, ...over });
const names = (callouts: readonly AdmissionCallout[]): readonly string[] =>
  callouts.map(({ webhook: name }) => name);

describe('the order of admission webhooks', () => {
  it('is by the bytes of the configuration’s name: digits, dots and dashes first', () => {
    const shuffled = ['policy-b', 'policy.a', 'policy', 'a', 'policy-a', '9', 'policya', 'b'];
    expect(names(inCallOrder(shuffled.map((name) => hook(name))))).to.deep.equal([
      '9',
      'a',
      'b',
      'policy',
      'policy-a',
      'policy-b',
      'policy.a',
      'policya',
    ]);
  });

  it('is that of the list in a configuration, not by the webhook’s name', () => {
    const list = [
      hook('first', { configuration: 'c', index: 2, webhook: 'a' }),
      hook('second', { configuration: 'c', index: 0, webhook: 'z' }),
      hook('third', { configuration: 'c', index: 1, webhook: 'm' }),
    ];
    expect(names(inCallOrder(list))).to.deep.equal(['z', 'm', 'a']);
  });

  it('has all mutating webhooks before the validating ones', () => {
    const { mutating, validating } = webhookChain([hook('a', { kind: 'validating' }), hook('z'), hook('y')]);
    expect([names(mutating), names(validating)]).to.deep.equal([['y', 'z'], ['a']]);
  });
});

describe('the second round of mutating webhooks', () => {
  const ifNeeded = (name: string) => hook(name, { reinvocationPolicy: 'IfNeeded' });
  const chain = [ifNeeded('a'), hook('b', { reinvocationPolicy: 'Never' }), ifNeeded('c'), hook('d')];
  const rows: readonly [string, string, readonly string[]][] = [
    ['nothing changed', '', []],
    ['its own change calls none again', 'a', []],
    ['a change after it does', 'b', ['a']],
    ['a change by another of the kind', 'c', ['a']],
    ['a change at the end', 'd', ['a', 'c']],
    ['several changes', 'abcd', ['a', 'c']],
  ];
  for (const [name, changing, again] of rows) {
    it(name, () =>
      expect(names([...calledAgain(chain, ({ webhook: one }) => changing.includes(one))])).to.deep.equal(
        again,
      ),
    );
  }

  it('includes those after a change in the second round', () => {
    const changesIn = (which: string) => (callout: AdmissionCallout) => which.includes(callout.webhook);
    expect(names([...calledAgain(chain, changesIn('b'), changesIn('a'))])).to.deep.equal(['a', 'c']);
    expect(names([...calledAgain(chain, changesIn('b'), changesIn('c'))])).to.deep.equal(['a']);
  });
});
