import { expect } from 'chai';
import { errorTexts } from '../../scripts/error-texts.ts';
import { errorFile, isStale, wantedErrorPage } from '../../scripts/generate-docs.ts';
import { findCause } from '../../src/apiserver/sentences/find-cause.ts';
import { networkCauses } from '../../src/apiserver/sentences/network-causes.ts';
import { resolverCauses } from '../../src/apiserver/sentences/resolver-causes.ts';
import { responseCauses } from '../../src/apiserver/sentences/response-causes.ts';
import { otherTrustCause, trustCauses } from '../../src/apiserver/sentences/trust-causes.ts';

const texts = errorTexts.flatMap((section) => section.texts);

describe('docs/when-the-api-server-says.md', () => {
  for (const { kind, says } of texts) {
    it(`files "${says.slice(0, 60)}" where the model does`, () => {
      expect(findCause(says)?.kind).to.equal(kind);
    });
  }

  it('has a text for every kind of last words that the model knows', () => {
    const known = [...networkCauses, ...resolverCauses, ...responseCauses, ...trustCauses, otherTrustCause];
    const told = new Set(texts.map(({ kind }) => kind));
    expect(known.map(({ kind }) => kind).filter((kind) => !told.has(kind))).to.deep.equal([]);
  });

  it('is what the code says (npm run docs)', () => {
    expect(isStale(errorFile, wantedErrorPage())).to.equal(false);
  });
});
