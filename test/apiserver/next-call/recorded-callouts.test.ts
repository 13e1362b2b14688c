import { expect } from 'chai';
import {
  type ApiServiceObject,
  aggregatedApiCallout,
  conversionCallout,
  type DefinitionObject,
} from '../../../src/facts/callout-of.ts';
import {
  aggregated,
  apiService,
  backendsOf,
  conversions,
  crd,
  foretoldBody,
  foretoldCondition,
  foretoldConversion,
  liveIdentity,
  type Place,
} from '../../e2e/callout-cases.ts';
import { anyStage, backendsAsRead } from '../../e2e/oracle-cases.ts';
import { authority } from '../../support/certificates.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { snapshotOf } from '../../support/snapshot.ts';

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('no callout');
  return value;
};

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
      const foretold = (['cluster-ip', 'endpoints'] as const).flatMap((mode) => {
        const asking = { place, mode, facts };
        return [
          ...conversions.map((one) => {
            const callout = present(conversionCallout(crd(one, place) as unknown as DefinitionObject));
            return [
              `${mode}: conversion ${one.name}`,
              foretoldConversion(one, callout, asking, '1'),
            ] as const;
          }),
          ...aggregated.flatMap((one) => {
            const object = apiService(one, place) as unknown as ApiServiceObject;
            const callout = present(aggregatedApiCallout(object));
            return [
              [`${mode}: condition ${one.name}`, foretoldCondition(one, callout, asking)] as const,
              [`${mode}: body ${one.name}`, foretoldBody(one, callout, asking)] as const,
            ];
          }),
        ];
      });
      expect(answers.size).to.equal(foretold.length);
      for (const [name, model] of foretold) expect(model, name).to.equal(answers.get(name));
    });
});
