import { expect } from 'chai';
import { secrets } from '../../../../src/collect/collectors/certificates/secrets.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { healthy, snapshotOf } from '../../../support/snapshot.ts';

const options = { topics: ['failures'], examineAll: false } as const;

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
    const wanted = secrets.wants?.(facts, { ...options, chosen: facts.callouts } as never) ?? [];
    expect([...wanted]).to.deep.equal(['shop/webhook-certs']);
  });

  it('are few, whatever a log contains', () => {
    const lines = Array.from({ length: 50 }, (_, at) => `secret "tls-${at}" not found`);
    const { facts } = snapshotOf(healthy({ logs: complete([['shop/policy-1/webhook', lines.join('\n')]]) }));
    const wanted = secrets.wants?.(facts, { ...options, chosen: facts.callouts } as never) ?? [];
    expect([...wanted]).to.have.length(3);
  });
});
