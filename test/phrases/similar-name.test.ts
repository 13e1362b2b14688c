import { expect } from 'chai';
import { similarName } from '../../src/phrases/similar-name.ts';

describe('similarName', () => {
  const cases = [
    { name: 'policy', among: ['acme-policy', 'web'], is: 'acme-policy', because: 'a release has a prefix' },
    { name: 'policy', among: ['acme-policy-2', 'acme-policy'], is: 'acme-policy', because: 'it is nearer' },
    { name: 'policy', among: ['polisy'], is: 'polisy', because: 'one letter differs' },
    { name: 'gaurd', among: ['guard'], is: 'guard', because: 'two letters changed places' },
    { name: 'ab', among: ['ba'], is: 'ba', because: 'two letters changed places in a short name' },
    { name: 'guard', among: ['gates'], is: undefined, because: 'too much differs' },
    { name: 'guard', among: ['gaurdx'], is: undefined, because: 'letters changed places and one came' },
    {
      name: 'webhook-service',
      among: ['acme-metrics', 'acme-gateway-webhooks-service'],
      is: 'acme-gateway-webhooks-service',
      because: 'it has all the words',
    },
    { name: 'webhook-service', among: ['webhook-for-acme'], is: undefined, because: 'a word is missing' },
    { name: 'policy', among: ['policy'], is: undefined, because: 'it is the same' },
    { name: 'policy', among: [], is: undefined, because: 'there is none' },
  ];
  for (const { name, among, is, because } of cases) {
    it(`is ${is} for ${name} among ${among.join(', ') || 'nothing'}: ${because}`, () =>
      expect(similarName(name, among)).to.equal(is));
  }
});
