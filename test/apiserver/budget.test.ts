import { expect } from 'chai';
import { type RequestLimits, requestBound, worstCase } from '../../src/apiserver/budget.ts';
import type { AdmissionCallout } from '../../src/facts/callout.ts';
import { webhook } from '../support/snapshot.ts';

const named = (
  kind: AdmissionCallout['kind'],
  name: string,
  timeoutSeconds: number,
  over: Partial<AdmissionCallout> = {},
): AdmissionCallout => webhook({ kind, configuration: name, webhook: name, timeoutSeconds, ...over });
const mutating = (name: string, seconds: number, over: Partial<AdmissionCallout> = {}) =>
  named('mutating', name, seconds, over);
const validating = (name: string, seconds: number) => named('validating', name, seconds);

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

describe('worstCase', () => {
  interface Row {
    readonly name: string;
    readonly callouts: readonly AdmissionCallout[];
    readonly limits?: RequestLimits;
    readonly seconds: number;
    readonly unbounded?: number;
    /** `name/round@start:budget`, with `!` where the budget is less than timeoutSeconds. */
    readonly calls: readonly string[];
    readonly notReached?: readonly string[];
  }
  const rows: readonly Row[] = [
    { name: 'no webhook', callouts: [], seconds: 0, calls: [] },
    { name: 'one', callouts: [mutating('a', 10)], seconds: 10, calls: ['a/0@0:10'] },
    {
      name: 'mutating ones add up, by name',
      callouts: [mutating('b', 10), mutating('a', 5), mutating('B', 1)],
      seconds: 16,
      calls: ['B/0@0:1', 'a/0@1:5', 'b/0@6:10'],
    },
    {
      name: 'validating ones run at the same time',
      callouts: [validating('a', 10), validating('b', 30), validating('c', 5)],
      seconds: 30,
      calls: ['a/0@0:10', 'b/0@0:30', 'c/0@0:5'],
    },
    {
      name: 'validating after mutating',
      callouts: [validating('a', 10), mutating('z', 20)],
      seconds: 30,
      calls: ['z/0@0:20', 'a/0@20:10'],
    },
    {
      name: 'exactly the bound',
      callouts: [mutating('a', 30), mutating('b', 4)],
      seconds: 34,
      calls: ['a/0@0:30', 'b/0@30:4'],
    },
    {
      name: 'past the bound',
      callouts: [mutating('a', 30), mutating('b', 10), mutating('c', 10), validating('d', 10)],
      seconds: 34,
      unbounded: 60,
      calls: ['a/0@0:30', 'b/0@30:4!'],
      notReached: ['c', 'd'],
    },
    {
      name: 'a client that waits less',
      callouts: [mutating('a', 3), validating('b', 3)],
      limits: { clientTimeout: 5 },
      seconds: 5,
      unbounded: 6,
      calls: ['a/0@0:3', 'b/0@3:2!'],
    },
    {
      name: 'a second round for all that are due',
      callouts: [
        mutating('a', 2, { reinvocationPolicy: 'IfNeeded' }),
        mutating('b', 3, { reinvocationPolicy: 'Never' }),
        mutating('c', 4, { reinvocationPolicy: 'IfNeeded' }),
      ],
      seconds: 15,
      calls: ['a/0@0:2', 'b/0@2:3', 'c/0@5:4', 'a/1@9:2', 'c/1@11:4'],
    },
    {
      name: 'exec has all the time of the world',
      callouts: [mutating('a', 30), mutating('b', 30)],
      limits: { request: 'long-running' },
      seconds: 60,
      calls: ['a/0@0:30', 'b/0@30:30'],
    },
  ];
  for (const { name, callouts, limits, seconds, unbounded = seconds, calls, notReached = [] } of rows) {
    it(name, () => {
      const worst = worstCase(callouts, limits);
      expect(
        worst.calls.map(
          ({ callout, round, startsAt, budgetSeconds, cutShort }) =>
            `${callout.webhook}/${round}@${startsAt}:${budgetSeconds}${cutShort ? '!' : ''}`,
        ),
      ).to.deep.equal(calls);
      expect(worst).to.include({ seconds, unboundedSeconds: unbounded, endsWith504: unbounded > seconds });
      expect(worst.notReached.map(({ webhook: hook }) => hook)).to.deep.equal(notReached);
    });
  }
});
