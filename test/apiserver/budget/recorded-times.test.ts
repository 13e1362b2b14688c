import { expect } from 'chai';
import { timeCases } from '../../e2e/time-cases.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { compared, type RecordedTime } from './recorded-time.ts';

/** Recorded by test/e2e/oracle-time.e2e.ts. */
const recordings = recordedAnswers<RecordedTime>('time');
const seconds = recordedAnswers<number>('seconds');

describe('requests through slow webhooks, compared with real API servers', () => {
  for (const [version, answers] of recordings) {
    it(`${version}: the model predicts calls, seconds, errors, audit log and metrics`, () => {
      expect(answers).to.have.property('size', timeCases.length);
      for (const [name, recorded] of answers) {
        const took = seconds.get(version)?.get(name) ?? Number.NaN;
        const { model, real } = compared({ ...recorded, seconds: took }, version);
        expect(real, name).to.deep.equal(model);
      }
    });
  }

  it('are recorded on two minor versions', () =>
    expect(recordings).to.have.property('size').that.is.at.least(2));
});
