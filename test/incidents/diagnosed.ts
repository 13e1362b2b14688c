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

/** Tests doctor's grade for each incident whose state is one of these. A file of tests for each kind: they run in parallel. */
export function describeDoctor(
  what: string,
  all: readonly (Parameters<typeof examine>[0] & { readonly slug: string })[],
): void {
  const states = all.filter(({ slug }) => bySlug.has(slug));
  describe(`doctor and incidents: ${what}`, () => {
    const reports = new Map<string, Promise<DoctorReport>>();
    before(() => {
      // Some wait for timeouts of connections.
      const slot = slots(4);
      for (const state of states) {
        const report = slot(() => examine(state));
        report.catch(() => undefined);
        reports.set(state.slug, report);
      }
    });

    for (const { slug } of states) {
      const told = bySlug.get(slug) ?? [];
      it(`${slug}: ${told.length}`, async () => {
        const report = await reports.get(slug);
        for (const incident of told)
          expect(report && gradeOfDoctor(incident, report), nameOf(incident)).to.equal(incident.doctor);
      });
    }
  });
}
