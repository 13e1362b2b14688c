import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { timeCases } from '../../e2e/time-cases.ts';
import { compared, type RecordedTime } from './recorded-time.ts';

const folder = new URL('../recorded/', import.meta.url);

/** Versions of which requests were recorded (RECORD=1, test/e2e/oracle-time.e2e.ts). */
const versions = readdirSync(folder).flatMap((name) => /^time-(.+)\.json$/.exec(name)?.[1] ?? []);

describe('requests through slow webhooks, and how they went at real API servers', () => {
  for (const version of versions) {
    it(`${version}: the model foretells calls, seconds, words, audit log and metrics`, () => {
      const all = JSON.parse(readFileSync(new URL(`time-${version}.json`, folder), 'utf8')) as RecordedTime[];
      expect(all).to.have.lengthOf(timeCases.length);
      for (const recorded of all) {
        const { model, real } = compared(recorded, version);
        expect(real, recorded.name).to.deep.equal(model);
      }
    });
  }

  it('were recorded of two minors', () => expect(versions).to.have.length.of.at.least(2));
});
