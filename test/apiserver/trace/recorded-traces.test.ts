import { expect } from 'chai';
import { requests } from '../../e2e/trace-cases.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { compared, everyFourth, type RecordedTrace } from './recorded-trace.ts';

/** Recorded by test/e2e/oracle-trace.e2e.ts. */
const recordings = recordedAnswers<RecordedTrace>('trace');

describe('requests through scripted webhooks, compared with the audit logs of real API servers', () => {
  for (const [version, answers] of recordings) {
    it(`${version}: the model predicts order, rounds, patches, fail-open, the response and the object`, () => {
      expect(answers).to.have.property('size', requests.length / everyFourth);
      for (const recorded of answers.values()) {
        const index = requests.findIndex(({ name }) => name === recorded.name);
        const { model, real } = compared(index, recorded, version);
        expect(model, recorded.name).to.deep.equal(real);
      }
    });
  }

  it('are recorded on two minor versions', () =>
    expect(recordings).to.have.property('size').that.is.at.least(2));
});
