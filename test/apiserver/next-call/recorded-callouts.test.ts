import { expect } from 'chai';
import { backendsOf, foretoldResults, liveIdentity, type Place } from '../../e2e/callout-cases.ts';
import { anyStage, backendsAsRead } from '../../e2e/oracle-cases.ts';
import { authority } from '../../support/certificates.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { snapshotOf } from '../../support/snapshot.ts';

describe('errors of API servers for conversion webhooks and aggregated APIs', () => {
  let place: Place;
  before(async () => {
    const { cert: certificate } = await liveIdentity(anyStage.namespace);
    place = { ...anyStage, certificate, otherAuthority: (await authority({ cn: 'another' })).cert };
  });

  for (const [version, answers] of recordedAnswers<string>('callouts'))
    it(`${version}: the model has the same result`, () => {
      const backends = backendsAsRead(backendsOf(place));
      const { facts } = snapshotOf({ ...backends, version, takenAt: new Date().toISOString() });
      const foretold = (['cluster-ip', 'endpoints'] as const).flatMap((mode) => [
        ...foretoldResults({ place, mode, facts }),
      ]);
      expect(Object.fromEntries(foretold)).to.deep.equal(Object.fromEntries(answers));
    });
});
