import { objectSelectorMatchesNothing } from '../../../src/checks/registration/object-selector-matches-nothing.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

const selecting = (objectSelector: AdmissionCallout['objectSelector'], over: object = {}) => ({
  callouts: [webhook({ objectSelector, ...over })],
});
const expecting = (selector: string, key = 'app') => ({
  messageId: 'never',
  data: { webhook: 'policy.example.com', selector, key },
});

describeCheck(objectSelectorMatchesNothing, {
  reports: [
    {
      name: 'a label and its exclusion',
      facts: selecting({
        matchLabels: { app: 'a' },
        matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a', 'b'] }],
      }),
      expect: expecting('app=a,app notin (a,b)'),
    },
    {
      name: 'a label that must exist and must not exist',
      facts: selecting({
        matchExpressions: [
          { key: 'app', operator: 'Exists' },
          { key: 'app', operator: 'DoesNotExist' },
        ],
      }),
      expect: expecting('app,!app'),
    },
    {
      name: 'lists without a common value, for the second label',
      facts: selecting({
        matchLabels: { team: 'x' },
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['a'] },
          { key: 'app', operator: 'In', values: ['b', 'c'] },
        ],
      }),
      expect: expecting('team=x,app in (a),app in (b,c)'),
    },
  ],
  reportsNothing: [
    { name: 'no selector', facts: selecting({}) },
    {
      name: 'a value that both lists have',
      facts: selecting({
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['a', 'b'] },
          { key: 'app', operator: 'In', values: ['b', 'c'] },
        ],
      }),
    },
    {
      name: 'an excluded value of a label that must exist: others match',
      facts: selecting({
        matchExpressions: [
          { key: 'app', operator: 'Exists' },
          { key: 'app', operator: 'NotIn', values: ['a'] },
        ],
      }),
    },
    {
      name: 'a label that must not exist, and an excluded value of it',
      facts: selecting({
        matchExpressions: [
          { key: 'app', operator: 'DoesNotExist' },
          { key: 'app', operator: 'NotIn', values: ['a'] },
        ],
      }),
    },
    {
      name: 'there are no rules, which is the reason',
      facts: selecting(
        { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
        { rules: [] },
      ),
      outcome: 'not-applicable',
    },
    {
      name: 'the callout is no webhook of an admission configuration',
      facts: { callouts: [conversion(), aggregatedApi()] },
      outcome: 'not-applicable',
    },
  ],
});
