import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { groupBy } from '../../src/facts/collections.ts';
import { examine } from '../scenarios/examine.ts';
import { gradeOfDoctor, type Incident, incidents, nameOf } from './incidents.ts';

/** Incidents by their rebuilt state: doctor runs once for each state. */
export const bySlug: ReadonlyMap<string, readonly Incident[]> = groupBy(
  incidents.filter(({ rebuilt }) => rebuilt !== undefined),
  ({ rebuilt = '' }) => rebuilt,
);

/** A state of a cluster to examine. */
type State = Parameters<typeof examine>[0] & { readonly slug: string };

/** Doctor's reports about these states, by slug. Several are examined at once: some wait for timeouts of connections. */
export function examined(states: readonly State[]): ReadonlyMap<string, Promise<DoctorReport>> {
  const slot = slots(8);
  return new Map(
    states.map((state) => {
      const report = slot(() => examine(state));
      report.catch(() => undefined);
      return [state.slug, report];
    }),
  );
}

/** Each incident with this state has its recorded grade. */
export function expectGrades(slug: string, report: DoctorReport | undefined): void {
  for (const incident of bySlug.get(slug) ?? [])
    expect(report && gradeOfDoctor(incident, report), nameOf(incident)).to.equal(incident.doctor);
}

/** Tests doctor's grade for each incident whose state is one of these. A file of tests for each kind: they run in parallel. */
export function describeDoctor(what: string, all: readonly State[]): void {
  const states = all.filter(({ slug }) => bySlug.has(slug));
  describe(`doctor and incidents: ${what}`, () => {
    let reports: ReturnType<typeof examined> = new Map();
    before(() => {
      reports = examined(states);
    });

    for (const { slug } of states)
      it(`${slug}: ${bySlug.get(slug)?.length}`, async () => expectGrades(slug, await reports.get(slug)));
  });
}
