import { reportAbout } from '../scenarios/examine.ts';
import { examined, expectGrades } from './diagnosed.ts';
import { bySlug } from './incidents.ts';
import { states } from './states/states.ts';

/** One file: dozens of these states wait for timeouts of connections, and wait at the same time. */
describe('doctor and incidents', () => {
  const rebuilt = states.filter(({ slug }) => bySlug.has(slug));
  let reports: ReturnType<typeof examined> = new Map();
  before(() => {
    reports = examined(rebuilt, reportAbout);
  });

  for (const state of rebuilt)
    it(`${state.slug}: ${bySlug.get(state.slug)?.length}`, async () => {
      expectGrades(state.slug, await reports.get(state.slug));
    });
});
