import { expect } from 'chai';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import { onlyDryRunsFail } from '../../../src/checks/response/only-dry-runs-fail.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { snapshotOf, webhook } from '../../support/snapshot.ts';
import { allows, blind, denies, http, quiet, tried } from '../probed.ts';

const refuses = http(400, 'dry run is not supported');
const panics = http(500, 'nil pointer');

describeCheck(onlyDryRunsFail, {
  reports: [
    {
      name: 'every Pod refuses dry runs',
      facts: tried([refuses, refuses]),
      expect: {
        messageId: 'refused',
        confidence: 'observed',
        data: { replicas: 'both Pods', detail: 'dry run is not supported' },
      },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'one Pod responds', facts: tried([refuses, allows]), outcome: 'pass' },
    { name: 'one Pod fails otherwise', facts: tried([refuses, panics]), outcome: 'pass' },
    {
      name: 'the error repeats the review',
      facts: tried([http(500, 'cannot decode {"request":{"dryRun":true}}')]),
      outcome: 'pass',
    },
    { name: 'the Pods deny', facts: tried([denies('no'), denies('no')]), outcome: 'pass' },
  ],
  isUnknown: blind,
});

describe('the next call of a webhook that fails for reviews', () => {
  const outcomeOf = (...replicas: Parameters<typeof tried>[0]) =>
    nextCall(webhook(), snapshotOf(tried(replicas)).facts).outcome;
  it('fails only for some requests if the Pods refuse dry runs', () => {
    expect(outcomeOf(refuses, refuses)).to.equal('fails-for-some');
  });
  it('fails if they fail otherwise', () => {
    expect(outcomeOf(panics, panics)).to.equal('fails');
  });
});
