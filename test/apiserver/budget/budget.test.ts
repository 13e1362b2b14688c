import { expect } from 'chai';
import { type RequestLimits, requestBound } from '../../../src/apiserver/budget/budget.ts';

describe('requestBound', () => {
  const rows: readonly [string, RequestLimits, number | undefined][] = [
    ['a write', {}, 34],
    ['a write with a longer ?timeout=', { clientTimeout: 50 }, 34],
    ['a write with a shorter ?timeout=', { clientTimeout: 10 }, 10],
    ['?timeout=0s sets no bound', { clientTimeout: 0 }, 34],
    ['a server that allows less', { serverTimeout: 20 }, 20],
    ['a ?timeout= over what the server allows', { serverTimeout: 20, clientTimeout: 30 }, 20],
    ['a deletion of a collection', { request: 'collection' }, 60],
    ['a deletion of a collection that may take 5 s', { request: 'collection', clientTimeout: 5 }, 5],
    ['exec', { request: 'long-running', clientTimeout: 5 }, undefined],
  ];
  for (const [name, limits, seconds] of rows) {
    it(name, () => expect(requestBound(limits)).to.equal(seconds));
  }
});
