import { expect } from 'chai';
import { loadCaBundle } from '../../../src/apiserver/certificate/parse/load-ca-bundle.ts';
import { verifyServerCertificate } from '../../../src/apiserver/certificate/verify/verify-server-certificate.ts';
import { authorityDraft, serverDraft, signDraft } from '../../oracle/certificate/chain-draft.ts';
import { nameConstraints, policies, policyConstraints } from '../../oracle/certificate/extension-der.ts';
import { pemOf } from '../../oracle/certificate/make-certificate.ts';

const now = new Date('2026-06-01T12:00:00Z');
const host = 'policy.shop.svc';
const many = Array.from({ length: 4_000 }, (_, at) => at);

// Input that needs more than linear time exceeds mocha's timeout.
describe('input that could take long', () => {
  const bundles: readonly (readonly [string, string])[] = [
    ['ends without beginnings', '\n-----END X-----'.repeat(60_000)],
    ['beginnings without ends', '-----BEGIN CERTIFICATE-----\n'.repeat(40_000)],
    ['empty blocks', '-----BEGIN X-----\n-----END X-----\n'.repeat(30_000)],
    ['headers without end', `-----BEGIN X-----\n${'a: b\n'.repeat(200_000)}`],
    ['types with colons', '-----BEGIN A:-----\n-----END A:-----\n'.repeat(30_000)],
    ['one long line', `-----BEGIN CERTIFICATE-----\n${'A'.repeat(1_000_000)}\n-----END CERTIFICATE-----\n`],
    ['blocks that are no certificates', pemOf(Buffer.from('3000', 'hex')).repeat(15_000)],
  ];
  for (const [name, text] of bundles) {
    it(`is parsed: ${name}`, () => {
      expect(loadCaBundle(Buffer.from(text))).to.include({ kind: 'refused' });
    });
  }

  const ids = many.map((at) => `1.3.6.1.4.1.99999.${at}`);
  const subtrees = many.map((at) => ({ dns: `n${at}.example.com` }));
  const names = [{ dns: host }, ...many.map((at) => ({ dns: `m${at}.example.org` }))];
  const chains = {
    policies: () => [
      signDraft({ ...authorityDraft(0, now), extra: [policies(...ids)] }),
      signDraft(
        { ...serverDraft(host, now), extra: [policies(...ids), policyConstraints(0)] },
        authorityDraft(0, now),
      ),
    ],
    names: () => [
      signDraft({ ...authorityDraft(0, now), extra: [nameConstraints([], subtrees)] }),
      signDraft({ ...serverDraft(host, now), names }, authorityDraft(0, now)),
    ],
  };
  for (const [name, make] of Object.entries(chains)) {
    for (const serverVersion of ['v1.35.4', 'v1.37.1']) {
      it(`is verified: thousands of ${name}, ${serverVersion}`, () => {
        const [root, leaf] = make() as [Buffer, Buffer];
        const caBundle = Buffer.from(pemOf(root));
        const verdict = verifyServerCertificate({ presented: [leaf], caBundle, host, now, serverVersion });
        expect(verdict.outcome).to.be.oneOf(['accepted', 'rejected']);
      });
    }
  }

  it('is verified: many candidates, each with a different fault', () => {
    const root = authorityDraft(0, now);
    const yesterday = { notAfter: new Date(now.getTime() - 1000) };
    const twins = many
      .slice(0, 99)
      .map((at) => signDraft({ ...authorityDraft(1, now), ...yesterday, serial: BigInt(at) }, root));
    const presented = [signDraft(serverDraft(host, now), authorityDraft(1, now)), ...twins];
    const caBundle = Buffer.from(pemOf(signDraft(root)));
    const verdict = verifyServerCertificate({ presented, caBundle, host, now, serverVersion: 'v1.35.4' });
    expect(verdict.outcome).to.equal('rejected');
  });
});
