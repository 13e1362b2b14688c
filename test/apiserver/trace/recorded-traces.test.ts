import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { requests } from '../../e2e/trace-cases.ts';
import { compared, everyFourth, type RecordedTrace } from './recorded-trace.ts';

const folder = new URL('../recorded/', import.meta.url);

/** Versions of which requests were recorded (RECORD=1, test/e2e/oracle-trace.e2e.ts). */
const versions = readdirSync(folder).flatMap((name) => /^trace-(.+)\.json$/.exec(name)?.[1] ?? []);

describe('requests through scripted webhooks, and what the audit logs of real API servers say of them', () => {
  for (const version of versions) {
    it(`${version}: the model foretells order, rounds, patches, what fails open, the answer and the object`, () => {
      const all = JSON.parse(
        readFileSync(new URL(`trace-${version}.json`, folder), 'utf8'),
      ) as RecordedTrace[];
      expect(all).to.have.lengthOf(requests.length / everyFourth);
      for (const [index, recorded] of all.entries()) {
        const { model, real } = compared(index * everyFourth, recorded, version);
        expect(model, recorded.name).to.deep.equal(real);
      }
    });
  }

  it('were recorded of two minors', () => expect(versions).to.have.length.of.at.least(2));
});
