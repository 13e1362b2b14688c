import { expect } from 'chai';
import { fileWith, plugin } from '../support/plugin.ts';
import { explanationSchemaErrors } from '../support/schema.ts';

const error =
  'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": service "a" not found';
const explain = (...args: readonly string[]) => plugin(['explain', '--no-cluster', ...args]);

describe('kubectl webhook explain', () => {
  it('says what an error means, what may be the cause, and what to run', async () => {
    const { code, stdout, stderr } = await explain(error);
    expect(stdout)
      .to.include('The Service does not exist in that namespace.')
      .and.include('(service-missing)');
    expect(stdout).to.include('kubectl webhook doctor a.example.com');
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
  });
  it('reads a file, and prints one document', async () => {
    const { code, stdout } = await explain('-f', fileWith(error), '-o', 'json');
    const document = JSON.parse(stdout);
    expect(explanationSchemaErrors(document)).to.deep.equal([]);
    expect(document.matches[0]).to.include({
      class: 'call-failure',
      webhook: 'a.example.com',
      link: 'routing',
    });
    expect(code).to.equal(0);
  });
  it('ends with 3 where it knows nothing', async () => {
    const { code, stdout } = await explain('the', 'build', 'failed');
    expect(stdout).to.equal('No known webhook error in this text.\n');
    expect(code).to.equal(3);
  });
  it('lets no control character through', async () => {
    const { stdout } = await explain(
      `admission webhook "a.example.com" denied the request: \u001b[31m\u0007 red \u202e`,
    );
    expect(stdout)
      .to.match(/red/)
      .and.not.match(/[\u001b\u0007\u202e]/);
  });
  for (const [what, args, sentence] of [
    ['nothing to explain', [], /There is no text to explain/],
    ['a file that is not there', ['-f', '/nowhere/at/all'], /cannot be read/],
    ['an unknown flag', ['x', '--colour'], /--colour/],
  ] as const)
    it(`ends with 2 for ${what}`, async () => {
      const { code, stdout, stderr } = await explain(...args);
      expect(stderr)
        .to.match(sentence)
        .and.not.match(/\n\s+at /);
      expect([code, stdout]).to.deep.equal([2, '']);
    });
});
