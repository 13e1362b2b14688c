import { expect } from 'chai';
import { certificatesInQuestion } from '../../src/collect/suspicion.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { refused, tried } from '../checks/probed.ts';
import { authority } from '../support/certificates.ts';
import { snapshotOf, webhook } from '../support/snapshot.ts';

describe('certificatesInQuestion', () => {
  const about = (caBundle: string) => {
    const callout = webhook({ client: { ...webhook().client, caBundle } });
    const facts: Partial<Facts> = {
      ...tried([refused], { facts: { callouts: [callout] } }),
      clock: { server: '2026-01-01T00:00:00Z', here: '2026-01-01T00:00:00Z' },
    };
    return certificatesInQuestion(snapshotOf(facts).facts, {
      chosen: [callout],
      topics: ['failures'],
      examineAll: false,
    });
  };

  it('contains the namespace of a backend that does not listen and has no caBundle', () => {
    expect(about('')).to.deep.equal(['shop']);
  });

  it('omits a backend that does not listen and has one', async () => {
    const { cert } = await authority({ cn: 'policy-ca' });
    expect(about(Buffer.from(cert).toString('base64'))).to.deep.equal([]);
  });
});
