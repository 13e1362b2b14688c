import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { reportAbout } from '../scenarios/examine.ts';
import { bySlug, gradeOfDoctor, nameOf } from './incidents.ts';

/** A state of a cluster to examine. */
type State = Parameters<typeof reportAbout>[0] & { readonly slug: string };

/**
 * Doctor's reports about these states, by slug. Few are examined at once, as otherwise the responses of some are
 * later than the timeouts that others test. One that only waits for a timeout does not count.
 */
export function examined(
  states: readonly State[],
  reportOf: typeof reportAbout,
): ReadonlyMap<string, Promise<DoctorReport>> {
  const slot = slots(4, 1000);
  return new Map(
    states.map((state) => {
      const report = slot(() => reportOf(state));
      report.catch(() => undefined);
      return [state.slug, report];
    }),
  );
}

/** Expects that each incident with this state has its recorded grade. */
export function expectGrades(slug: string, report: DoctorReport | undefined): void {
  for (const incident of bySlug.get(slug) ?? [])
    expect(report && gradeOfDoctor(incident, report), nameOf(incident)).to.equal(incident.doctor);
}
