import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { examine } from '../scenarios/examine.ts';
import {
  explained,
  gradeOfDoctor,
  gradeOfExplain,
  type Incident,
  incidents,
  suiteNames,
} from './incidents.ts';
import { states } from './states/states.ts';

const known = new Set(catalogue.map(({ meta }) => meta.id));
const places = [...scenarios, ...states];
const name = ({ thread }: Incident): string => thread.replace(/^https:\/\/(?:github\.com\/)?/, '');

/** Incidents by their rebuilt state: doctor runs once for each state. */
const bySlug = new Map<string, Incident[]>();
for (const incident of incidents)
  if (incident.rebuilt !== undefined)
    bySlug.set(incident.rebuilt, [...(bySlug.get(incident.rebuilt) ?? []), incident]);

describe('incidents', () => {
  const waiting = new Map<string, Promise<DoctorReport>>();
  before(() => {
    for (const state of states.filter(({ waits }) => waits)) {
      const report = examine(state);
      report.catch(() => undefined);
      waiting.set(state.slug, report);
    }
  });

  it('are at least sixty, each thread once', () => {
    expect(incidents.length).to.be.at.least(60);
    expect(new Set(incidents.map(({ thread }) => thread)).size).to.equal(incidents.length);
  });

  it('name existing checks, and a quoted text or a state', () => {
    for (const { checks, said, rebuilt, thread } of incidents) {
      expect(
        checks.filter((check) => !known.has(check)),
        thread,
      ).to.deep.equal([]);
      if (said.length > 0 || rebuilt === undefined)
        expect(said.join('').length, thread).to.be.greaterThan(10);
    }
  });

  for (const incident of incidents.filter(({ explain }) => explain !== undefined))
    it(`explain recognises ${name(incident)}`, () => {
      const texts = explained(incident);
      if (incident.explain !== 'miss' && incident.class !== 'none')
        expect(texts.map((text) => text.class)).to.include(incident.class);
      expect(texts.every(({ commands }) => commands.length > 0)).to.equal(true);
      expect(gradeOfExplain(incident)).to.equal(incident.explain);
    });

  it('are explained in sentences of at most 25 words', () => {
    const meanings = new Set(incidents.flatMap((incident) => explained(incident).map(({ means }) => means)));
    const sentences = [...meanings].flatMap((means) => means.split(/(?<=[.?])\s+(?=[A-Z"`])/));
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 25)).to.deep.equal([]);
  });

  for (const [slug, told] of bySlug)
    it(`doctor at ${slug}: ${told.length}`, async () => {
      const state = places.find((one) => one.slug === slug);
      if (state === undefined) {
        for (const incident of told) {
          expect(suiteNames(incident), name(incident)).to.equal(true);
          expect(incident.doctor, name(incident)).to.equal('exact');
        }
        return;
      }
      const report = await (waiting.get(slug) ?? examine(state));
      for (const incident of told)
        expect(gradeOfDoctor(incident, report), name(incident)).to.equal(incident.doctor);
    });
});
