import { expect } from 'chai';
import { agreeing, counted, countedWebhooks, times } from '../../src/phrases/lists.ts';

const webhook = { kind: 'validating' };
const api = { kind: 'aggregated-api' };
const be = ['is', 'are'] as const;

describe('countedWebhooks', () => {
  for (const [counted, name, sentence] of [
    [[], '0 webhooks', '0 webhooks are'],
    [[webhook], '1 webhook', '1 webhook is'],
    [[webhook, { kind: 'conversion' }], '2 webhooks', '2 webhooks are'],
    [[api], '1 APIService', '1 APIService is'],
    [[api, api], '2 APIServices', '2 APIServices are'],
    [[webhook, api], '2 webhooks and APIServices', '2 webhooks and APIServices are'],
  ] as const) {
    it(`prints the noun, with a verb that agrees: ${sentence}`, () => {
      expect(countedWebhooks(counted)).to.equal(name);
      expect(countedWebhooks(counted, be)).to.equal(sentence);
    });
  }
});

describe('a number and its words', () => {
  it('agree', () => {
    expect([0, 1, 2].map((count) => counted(count, 'Pod'))).to.deep.equal(['0 Pods', '1 Pod', '2 Pods']);
    expect(counted(1, 'request was', 'requests were')).to.equal('1 request was');
    expect([1, 3].map((count) => agreeing(count, 'has', 'have'))).to.deep.equal(['has', 'have']);
    expect([1, 3].map(times)).to.deep.equal(['once', '3 times']);
  });
});
