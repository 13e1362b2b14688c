import { expect } from 'chai';
import { secrets } from '../../../src/collect/collectors/secrets.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { healthy, snapshotOf } from '../../support/snapshot.ts';

describe('the Secrets to read', () => {
  it('include one that a program does not find, by its log: it may exist by now', () => {
    const line = '{"level":"error","error":"secret \\"webhook-certs\\" not found"}';
    const logs = complete([
      [
        'shop/policy-1/webhook',
        [line, 'secret "token" not found', 'secret "shop/tls" not found', line].join('\n'),
      ],
      ['other/policy-1/webhook', ''],
    ]);
    const { facts } = snapshotOf(healthy({ logs }));
    const options = { topics: ['failures'], chosen: facts.callouts, examineAll: false } as const;
    expect([...(secrets.wants?.(facts, options as never) ?? [])]).to.deep.equal(['shop/webhook-certs']);
  });
});
