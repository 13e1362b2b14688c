import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { explained, gradeOfExplain, incidents, nameOf } from './incidents.ts';

const known = new Set(catalogue.map(({ meta }) => meta.id));

describe('incidents', () => {
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
    it(`explain recognises ${nameOf(incident)}`, () => {
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
});
