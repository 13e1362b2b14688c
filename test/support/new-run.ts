import { renewRun } from '../../src/apiserver/cel/cost.ts';

/** Each test has the complete budget of matchConditions, also after a test that used all of it. */
export const mochaHooks = {
  beforeEach(): void {
    renewRun();
  },
};
