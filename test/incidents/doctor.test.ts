import { examined, expectGrades } from './diagnosed.ts';
import { bySlug } from './incidents.ts';
import { states } from './states/states.ts';

/** One file: dozens of these states wait for timeouts of connections, and wait at the same time. */
describe('doctor and incidents', () => {
  const rebuilt = states.filter(({ slug }) => bySlug.has(slug));
  let reports: ReturnType<typeof examined> = new Map();
  before(() => {
    reports = examined(rebuilt);
  });

  for (const { slug } of rebuilt)
    it(`${slug}: ${bySlug.get(slug)?.length}`, async () => expectGrades(slug, await reports.get(slug)));
});
