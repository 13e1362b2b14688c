import { expect } from 'chai';
import { readable } from '../../src/change/readable-value.ts';
import { authority } from '../support/certificates.ts';

describe('a value in the message of a change', () => {
  it('is the name, expiry and fingerprint of the certificates in a caBundle', async () => {
    const { cert } = await authority({
      cn: 'root-ca',
      notBefore: new Date('2026-01-01T00:00:00Z'),
      days: 10,
    });
    const text = readable('caBundle', Buffer.from(cert).toString('base64'));
    expect(text).to.match(/^CN=root-ca, expires 2026-01-11, SHA-256 (?:[0-9A-F]{2}:){8}…$/);
  });

  it('is unchanged for other fields, and for a caBundle without certificates', () => {
    expect(readable('failurePolicy', 'Fail')).to.equal('Fail');
    expect(readable('caBundle', 'bm8=')).to.equal('bm8=');
  });
});
