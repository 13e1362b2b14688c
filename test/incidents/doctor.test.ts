import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { examine } from '../scenarios/examine.ts';
import { gradeOfDoctor, type Incident, incidents, nameOf, suiteNames } from './incidents.ts';
import { states } from './states/states.ts';

const places = [...scenarios, ...states];

/** Incidents by their rebuilt state: doctor runs once for each state. */
const bySlug = new Map<string, Incident[]>();
for (const incident of incidents)
  if (incident.rebuilt !== undefined)
    bySlug.set(incident.rebuilt, [...(bySlug.get(incident.rebuilt) ?? []), incident]);

describe('doctor in the reproduced states of incidents', () => {
  const reports = new Map<string, Promise<DoctorReport>>();
  before(() => {
    // Some wait for timeouts of connections.
    const slot = slots(4);
    for (const state of places.filter(({ slug }) => bySlug.has(slug))) {
      const report = slot(() => examine(state));
      report.catch(() => undefined);
      reports.set(state.slug, report);
    }
  });

  for (const [slug, told] of bySlug)
    it(`${slug}: ${told.length}`, async () => {
      const report = await reports.get(slug);
      for (const incident of told)
        if (report === undefined) {
          expect(suiteNames(incident), nameOf(incident)).to.equal(true);
          expect(incident.doctor, nameOf(incident)).to.equal('exact');
        } else expect(gradeOfDoctor(incident, report), nameOf(incident)).to.equal(incident.doctor);
    });
});
