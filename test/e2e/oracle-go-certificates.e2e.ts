import { expect } from 'chai';
import { recorded } from '../apiserver/certificate/recorded.ts';
import { findProgram } from '../cluster/component.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { recordAgreement } from '../oracle/agreement.ts';
import { askGo } from '../oracle/certificate/ask-go.ts';
import { foretell } from '../oracle/certificate/foretell.ts';
import type { CertificateCase } from '../oracle/certificate/oracle-case.ts';
import { randomCase } from '../oracle/certificate/random-case.ts';
import { representativeCases } from '../oracle/certificate/representative-cases.ts';
import { recordAnswers } from '../support/recordings.ts';

/** Another seed generates other chains. */
const firstSeed = Number(process.env.CERTIFICATE_SEED ?? 1);
const generated = 2_000;

/** The results of the model and of Go. */
async function answersTo(cases: readonly CertificateCase[], kubernetes: string) {
  const answers = await askGo(cases, kubernetes);
  expect(answers).to.have.length(cases.length);
  return cases.map((asked, at) => ({
    name: asked.name,
    go: answers[at] as string,
    model: foretell(asked, `v${kubernetes}`),
  }));
}

describe('certificates, as Go verifies them', function () {
  this.timeout(110_000);
  before(function () {
    if (findProgram('go') !== undefined) return;
    if (process.env.CI === 'true') throw new Error('Nothing may be skipped in CI: there is no Go');
    console.log('  skipped: there is no Go to ask');
    this.skip();
  });

  const kubernetes = wantedVersion() ?? defaultVersion;
  describe(`with the Go of Kubernetes ${kubernetes}`, () => {
    // By name: a case that runs once more counts once.
    const all = new Map<string, { readonly go: string; readonly model: string }>();
    const agree = async (cases: readonly CertificateCase[]) => {
      const answers = await answersTo(cases, kubernetes);
      for (const one of answers) all.set(one.name, one);
      expect(answers.filter(({ go, model }) => go !== model)).to.deep.equal([]);
    };
    after(() => {
      const agreed = [...all.values()].filter(({ go, model }) => go === model).length;
      if (all.size > generated) recordAgreement('certificates-go', kubernetes, all.size, agreed);
    });

    it('the representative chains', () =>
      agree(representativeCases((name) => `${name}.shop.svc`, new Date('2026-06-01T12:00:00Z'))));

    it(`the ${recorded.length} chains of the fast suite`, async () => {
      const cases = recorded.map((one) => ({ ...one, caBundle: Buffer.from(one.caBundle, 'base64') }));
      const answers = await answersTo(cases, kubernetes);
      recordAnswers('certificates-go', kubernetes, new Map(answers.map(({ name, go }) => [name, go])));
      expect(answers.filter(({ go, model }) => go !== model)).to.deep.equal([]);
    });

    it(`${generated} generated chains`, () =>
      agree(Array.from({ length: generated }, (_, at) => randomCase(firstSeed + at))));
  });
});
