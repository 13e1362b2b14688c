import { examine } from '../scenarios/examine.ts';
import { examined, expectGrades, hasGrades } from './diagnosed.ts';
import { bySlug } from './incidents.ts';
import { states } from './states/states.ts';

/** One file: dozens of these states wait for timeouts of connections, and wait at the same time. */
describe('doctor and incidents', () => {
  const rebuilt = states.filter(({ slug }) => bySlug.has(slug));
  let reports: ReturnType<typeof examined> = new Map();
  before(() => {
    reports = examined(rebuilt);
  });

  for (const state of rebuilt)
    it(`${state.slug}: ${bySlug.get(state.slug)?.length}`, async () => {
      const report = await reports.get(state.slug);
      // A busy machine can respond later than the timeouts of a state allow: it is then examined again.
      expectGrades(state.slug, hasGrades(state.slug, report) ? report : await examine(state));
    });
});
