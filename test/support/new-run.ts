import { renewRun } from '../../src/apiserver/cel/cost.ts';

/** Each test has the whole budget of matchConditions: a run that was out of time leaves none of its own behind. */
export const mochaHooks = {
  beforeEach(): void {
    renewRun();
  },
};
