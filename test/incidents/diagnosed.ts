import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { examine } from '../scenarios/examine.ts';
import { bySlug, gradeOfDoctor, nameOf } from './incidents.ts';

/** A state of a cluster to examine. */
type State = Parameters<typeof examine>[0] & { readonly slug: string };

/**
 * Doctor's reports about these states, by slug. Some wait for timeouts of connections, so several are examined at
 * once; with more of them, a busy machine responds later than these timeouts.
 */
export function examined(states: readonly State[]): ReadonlyMap<string, Promise<DoctorReport>> {
  const slot = slots(12);
  return new Map(
    states.map((state) => {
      const report = slot(() => examine(state));
      report.catch(() => undefined);
      return [state.slug, report];
    }),
  );
}

/** True if each incident with this state has its recorded grade. */
export const hasGrades = (slug: string, report: DoctorReport | undefined): boolean =>
  (bySlug.get(slug) ?? []).every((one) => report && gradeOfDoctor(one, report) === one.doctor);

/** Expects that each incident with this state has its recorded grade. */
export function expectGrades(slug: string, report: DoctorReport | undefined): void {
  for (const incident of bySlug.get(slug) ?? [])
    expect(report && gradeOfDoctor(incident, report), nameOf(incident)).to.equal(incident.doctor);
}
