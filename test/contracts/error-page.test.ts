import { expect } from 'chai';
import { errorFile, isStale, wantedErrorPage } from '../../scripts/generate-docs.ts';
import { errorTexts } from '../../src/apiserver/sentences/call-error/error-texts.ts';
import { findCause } from '../../src/apiserver/sentences/call-error/find-cause.ts';

const texts = Object.entries(errorTexts).map(([kind, text]) => ({ kind, ...text }));

describe('docs/when-the-api-server-says.md', () => {
  for (const { kind, says } of texts) {
    it(`lists "${says.slice(0, 60)}" where the model does`, () => {
      expect(findCause(says)?.kind).to.equal(kind);
    });
  }

  it('matches the code (npm run docs)', () => {
    expect(isStale(errorFile, wantedErrorPage())).to.equal(false);
  });
});
