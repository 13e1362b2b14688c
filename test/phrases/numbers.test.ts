import { expect } from 'chai';
import { countedWebhooks } from '../../src/phrases/numbers.ts';

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
    it(`names what it counts, with a verb that agrees: ${sentence}`, () => {
      expect(countedWebhooks(counted)).to.equal(name);
      expect(countedWebhooks(counted, be)).to.equal(sentence);
    });
  }
});
