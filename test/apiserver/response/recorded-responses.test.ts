import { expect } from 'chai';
import { parseCallError } from '../../../src/apiserver/sentences/call-error/parse-call-error.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { compared, type RecordedResponse } from './recorded-response.ts';

/** Recorded by test/e2e/oracle-responses.e2e.ts. */
const recordings = recordedAnswers<RecordedResponse>('responses');

describe('responses of webhooks, compared with real API servers', () => {
  for (const [version, answers] of recordings) {
    const read = () => [...answers.values()];

    it(`${version}: the model has the same result, some errors by their beginning only`, () => {
      const all = read();
      expect(all.length).to.be.greaterThan(500);
      let cut = 0;
      const disagreeing = all.flatMap((recorded) => {
        const { model, real } = compared(recorded, version);
        if ('begins' in model) cut += 1;
        return JSON.stringify(model) === JSON.stringify(real) ? [] : [{ name: recorded.name, model, real }];
      });
      expect(disagreeing).to.deep.equal([]);
      expect(cut).to.be.lessThan(45);
    });

    it(`${version}: each error is parsed, except texts of backends`, () => {
      const own = read().flatMap(({ sent, said }) => {
        const parsed = parseCallError(said.message);
        return parsed?.kind === 'call-failure' && (parsed.cause?.kind ?? 'other') === 'other' ? [sent] : [];
      });
      for (const { status, body } of own) {
        expect(status === 403 || status === 406 || status === 415 || body.includes('Status'), body).to.equal(
          true,
        );
      }
    });
  }

  it('are recorded on two minor versions', () =>
    expect(recordings).to.have.property('size').that.is.at.least(2));
});
