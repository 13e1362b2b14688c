import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { authority, issue, type KeyKind } from './certificates.ts';

describe('certificates for tests', () => {
  for (const keys of ['ec', 'rsa', 'ed25519'] as readonly KeyKind[]) {
    it(`chain to their authority: ${keys}`, async () => {
      const root = await authority({ cn: 'root', keys });
      const middle = await authority({ cn: 'middle', parent: root, keys });
      const leaf = new X509Certificate((await issue(middle, { dns: ['a.b.svc'], keys })).cert);
      expect(leaf.verify(new X509Certificate(middle.cert).publicKey)).to.equal(true);
      expect(leaf.verify(new X509Certificate(root.cert).publicKey)).to.equal(false);
      expect(new X509Certificate(middle.cert).checkIssued(new X509Certificate(root.cert))).to.equal(true);
      expect(leaf.ca).to.equal(false);
    });
  }

  it('contain the requested fields', async () => {
    const ca = await authority({ cn: 'root' });
    const notBefore = new Date('2030-01-01T00:00:00Z');
    const { cert } = await issue(ca, {
      cn: 'someone',
      organizations: ['system:masters', 'others'],
      dns: ['*.b.svc'],
      ips: ['192.0.2.1', '2001:db8::1'],
      eku: ['client'],
      notBefore,
      days: 2,
    });
    const leaf = new X509Certificate(cert);
    expect(leaf.subject).to.equal('O=system:masters\nO=others\nCN=someone');
    expect(leaf.subjectAltName).to.equal(
      'DNS:*.b.svc, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    expect(leaf.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']);
    expect(new Date(leaf.validFrom)).to.deep.equal(notBefore);
    expect(new Date(leaf.validTo)).to.deep.equal(new Date('2030-01-03T00:00:00Z'));
  });

  it('omit extensions that were not requested', async () => {
    const ca = await authority({ cn: 'root' });
    const leaf = new X509Certificate((await issue(ca, { cn: 'old.svc', eku: [] })).cert);
    expect(leaf.subjectAltName).to.equal(undefined);
    expect(leaf.keyUsage).to.equal(undefined);
    expect(leaf.subject).to.equal('CN=old.svc');
  });
});
