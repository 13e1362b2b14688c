import { expect } from 'chai';
import { admissionCallouts, type ConfigurationObject } from '../../../src/facts/callout-of.ts';
import { asStored, foretoldDryRun, storedConfiguration, storedName } from '../../e2e/stored-cases.ts';
import { recordedAnswers } from '../../support/recordings.ts';

const asked = asStored.map((one, index) => {
  const raw = storedConfiguration(one, index) as ReturnType<typeof storedConfiguration> & ConfigurationObject;
  const [callout] = admissionCallouts(one.kind, raw);
  if (callout === undefined) throw new Error('no webhook');
  return { name: storedName(one), callout };
});

describe('responses of API servers to dry runs with webhooks of old API versions', () => {
  for (const [version, answers] of recordedAnswers<string>('stored'))
    it(`${version}: the model has the same result`, () => {
      expect(answers.size).to.equal(asked.length);
      for (const { name, callout } of asked)
        expect(foretoldDryRun(callout, version), name).to.equal(answers.get(name));
    });
});
