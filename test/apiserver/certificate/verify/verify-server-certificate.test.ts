import { expect } from 'chai';
import fc from 'fast-check';
import { pemCertificates } from '../../../../src/apiserver/certificate/parse/pem.ts';
import {
  type CertificateVerdict,
  type PresentedCertificates,
  verifyServerCertificate,
} from '../../../../src/apiserver/certificate/verify/verify-server-certificate.ts';
import { foretell } from '../../../oracle/certificate/foretell.ts';
import { goAnswers, recorded } from '../recorded.ts';

const wordsOf = (verdict: CertificateVerdict): string | undefined =>
  verdict.outcome === 'accepted' ? '' : verdict.outcome === 'rejected' ? verdict.error : verdict.outcome;

const questionOf = (name: string, over: Partial<PresentedCertificates> = {}): PresentedCertificates => {
  const asked = recorded.find((found) => found.name === name);
  if (asked === undefined) throw new Error(`Nothing recorded is called ${name}`);
  return { ...asked, serverVersion: 'v1.35.4', ...over };
};
const verdictOn = (name: string, over: Partial<PresentedCertificates> = {}): CertificateVerdict =>
  verifyServerCertificate(questionOf(name, over));
const kindsOf = (verdict: CertificateVerdict): readonly string[] =>
  verdict.outcome === 'rejected' ? verdict.faults.map(({ kind }) => kind) : [verdict.outcome];

describe('verifyServerCertificate', () => {
  describe('has the results of Go', () => {
    for (const asked of recorded) {
      it(asked.name, () => {
        for (const [version, answers] of goAnswers) {
          expect(foretell(asked, `v${version}`), version).to.equal(answers.get(asked.name));
        }
      });
    }
  });

  describe('returns all faults in order', () => {
    const faults: readonly (readonly [string, readonly string[]])[] = [
      ['good', ['accepted']],
      ['expired', ['expired']],
      ['expired-and-wrong-name', ['expired', 'name-mismatch']],
      ['expired-and-unknown', ['expired', 'unknown-authority']],
      ['wrong-name-and-unknown', ['name-mismatch', 'unknown-authority']],
      ['authority-rotated', ['issuer-key-differs']],
      ['authority-rotated-and-client', ['issuer-key-differs', 'wrong-usage']],
      ['authority-expired', ['expired']],
      ['authority-is-none', ['issuer-cannot-sign']],
      ['common-name-only', ['legacy-common-name']],
      ['leaf-is-anchor-client', ['wrong-usage']],
      ['sha1-rsa', ['weak-signature']],
      ['rsa-768', ['weak-key']],
      ['rsa-768-authority', ['weak-key']],
      ['name-excluded-and-client', ['name-not-permitted', 'wrong-usage']],
      ['path-too-long', ['path-too-long']],
      ['bundle-of-words', ['ca-bundle-unreadable']],
      ['negative-serial', ['malformed']],
    ];
    for (const [name, kinds] of faults) {
      it(name, () => expect(kindsOf(verdictOn(name))).to.deep.equal(kinds));
    }

    it('with the certificate in the bundle that has the issuer’s name', () => {
      const verdict = verdictOn('authority-rotated');
      expect(verdict.outcome === 'rejected' && verdict.faults[0].candidate?.subject.commonName).to.equal(
        'root-ca',
      );
    });
  });

  describe('depends on the API server’s version', () => {
    const prefix = 'tls: failed to verify certificate: ';
    const versions: readonly (readonly [string, string, string])[] = [
      ['authority-unknown', 'v1.26.9', 'x509: certificate signed by unknown authority'],
      ['authority-unknown', 'v1.27.0', `${prefix}x509: certificate signed by unknown authority`],
      ['negative-serial', 'v1.31.9', ''],
      [
        'negative-serial',
        'v1.32.0',
        'tls: failed to parse certificate from server: x509: negative serial number',
      ],
      ['rsa-768', 'v1.32.9', ''],
      ['sha1-rsa', 'v1.23.17', ''],
    ];
    for (const [name, serverVersion, words] of versions) {
      it(`${name} with ${serverVersion}`, () => {
        expect(wordsOf(verdictOn(name, { serverVersion }))).to.equal(words);
      });
    }

    it('names the override of SHA-1 up to 1.32', () => {
      const words = (serverVersion: string) => wordsOf(verdictOn('sha1-rsa', { serverVersion }));
      expect(words('v1.32.9')).to.include('SHA1-RSA (temporarily override with GODEBUG=x509sha1=1)');
      expect(words('v1.33.0')).to.include('SHA1-RSA').and.not.include('GODEBUG');
    });
  });

  describe('without a caBundle', () => {
    it('depends on the system roots', () => {
      expect(verdictOn('good', { caBundle: '' })).to.deep.equal({
        outcome: 'depends-on-system-roots',
        error: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      });
      const hinted = verdictOn('intermediate-is-none', { caBundle: '' });
      expect(hinted).to.include({
        outcome: 'depends-on-system-roots',
        error: wordsOf(verdictOn('intermediate-is-none')),
      });
    });

    it('returns faults that are found before the roots are used', () => {
      const verdict = verdictOn('expired', { caBundle: undefined });
      expect(kindsOf(verdict)).to.deep.equal(['expired']);
      expect(wordsOf(verdict)).to.include('current time 2026-06-01T12:00:00Z is after 2026-05-31T12:00:00Z');
    });

    it('returns a fault of a link of the chain for a Service, and not for a name that a public root may sign', () => {
      const asked = questionOf('intermediate-expired', { caBundle: '' });
      const verdict = verifyServerCertificate(asked);
      expect(kindsOf(verdict)).to.deep.equal(['expired']);
      expect(wordsOf(verdict)).to.equal(wordsOf(verdictOn('intermediate-expired')));
      const public_ = { ...asked, host: 'policy.example.com' };
      expect(kindsOf(verifyServerCertificate(public_))).to.not.include('expired');
      expect(verdictOn('intermediate-good', { caBundle: '' }).outcome).to.equal('depends-on-system-roots');
      expect(verdictOn('intermediate-missing', { caBundle: '' }).outcome).to.equal('depends-on-system-roots');
    });
  });

  it('accepts the bytes of the bundle as well', () => {
    const { caBundle } = questionOf('good');
    expect(verdictOn('good', { caBundle: Buffer.from(caBundle as string, 'base64') }).outcome).to.equal(
      'accepted',
    );
  });

  it('refuses a server that presents nothing', () => {
    expect(kindsOf(verdictOn('good', { presented: [] }))).to.deep.equal(['no-certificate']);
  });

  describe('for any chain', () => {
    const pools = recorded.flatMap(({ presented }) => presented);
    const accepted = recorded.filter(({ name }) => goAnswers.get('1.35.4')?.get(name) === '');
    const any = fc.constantFrom(...recorded);
    const serverVersion = fc.constantFrom('v1.27.1', 'v1.32.1', 'v1.35.4', 'v1.37.1');
    const verdict = (asked: PresentedCertificates) => verifyServerCertificate(asked);

    it('that is accepted, the result is the same with unrelated certificates', () => {
      const foreign = recorded.find(({ name }) => name === 'candidate-by-organization')?.presented ?? [];
      fc.assert(
        fc.property(fc.constantFrom(...accepted), fc.shuffledSubarray([...foreign]), (asked, more) => {
          const question = { ...asked, serverVersion: 'v1.35.4' };
          expect(verdict({ ...question, presented: [...asked.presented, ...more] }).outcome).to.equal(
            'accepted',
          );
          const pem = more.map(
            (der) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
          );
          const caBundle = Buffer.concat([
            Buffer.from(asked.caBundle, 'base64'),
            Buffer.from(`\n${pem.join('')}`),
          ]);
          expect(verdict({ ...question, caBundle }).outcome).to.equal('accepted');
        }),
        { numRuns: 60 },
      );
    });

    it('the order of certificates after the server’s own does not matter', () => {
      fc.assert(
        fc.property(any, fc.infiniteStream(fc.nat()), (asked, order) => {
          const [leaf, ...rest] = asked.presented;
          const shuffled = rest
            .map((der) => ({ der, at: order.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ der }) => der);
          const presented = leaf === undefined ? [] : [leaf, ...shuffled];
          const outcomes = [asked.presented, presented].map(
            (given) => verdict({ ...asked, presented: given, serverVersion: 'v1.35.4' }).outcome,
          );
          expect(outcomes[1]).to.equal(outcomes[0]);
        }),
        { numRuns: 100 },
      );
    });

    it('white space that PEM allows does not matter', () => {
      const loadable = recorded.filter(
        ({ caBundle }) => pemCertificates(Buffer.from(caBundle, 'base64').toString('latin1')).length > 0,
      );
      const space = fc.constantFrom('\n', '\r\n', ' \n', '\t\n', '\n\n');
      fc.assert(
        fc.property(fc.constantFrom(...loadable), space, (asked, feed) => {
          const text = Buffer.from(asked.caBundle, 'base64').toString('latin1');
          const caBundle = Buffer.from(text.replaceAll(/\r?\n(?=[A-Za-z0-9+/=]{4,}\r?\n)/g, feed), 'latin1');
          const words = (bundle: string | Uint8Array) => wordsOf(verdict({ ...asked, caBundle: bundle }));
          expect(words(caBundle)).to.equal(words(asked.caBundle));
        }),
        { numRuns: 100 },
      );
    });

    it('never throws, and every rejection has a text', () => {
      fc.assert(
        fc.property(
          any,
          serverVersion,
          fc.constantFrom(...pools),
          fc.nat(),
          fc.nat(255),
          (asked, version, der, place, octet) => {
            const changed = Buffer.from(der);
            changed[place % changed.length] = octet;
            const found = verdict({
              ...asked,
              presented: [changed, ...asked.presented],
              serverVersion: version,
            });
            if (found.outcome === 'rejected') expect(found.error).to.match(/^(tls|x509|unable)\b.*: /);
          },
        ),
        { numRuns: 200 },
      );
    });
  });
});
