import { expect } from 'chai';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { bySlug, nameOf, suiteNames } from './incidents.ts';
import { states } from './states/states.ts';

describe('incidents that a suite on a real cluster reproduces', () => {
  const ofStates = new Set([...scenarios, ...states].map(({ slug }) => slug));
  for (const [suite, told] of bySlug)
    if (!ofStates.has(suite))
      it(`${suite}: ${told.length}`, () => {
        for (const incident of told) {
          expect(suiteNames(incident), nameOf(incident)).to.equal(true);
          expect(incident.doctor, nameOf(incident)).to.equal('exact');
        }
      });
});
