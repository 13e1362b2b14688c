import { keptConnectionHidesBreak } from '../../../src/checks/network/kept-connection-hides-break.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, lists, webhook } from '../../support/snapshot.ts';
import { allows, blind, dryRun, http, quiet, refused, tried } from '../probed.ts';

describeCheck(keptConnectionHidesBreak, {
  reports: [
    {
      name: 'a dry run that passes while no replica responds',
      facts: tried([refused], { dryRun: dryRun() }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'a dry run that passes while one replica of two answers',
      facts: tried([allows, refused], { dryRun: dryRun() }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a dry run that passes while the only endpoint is of a Pod that no longer exists',
      facts: tried([{}], { dryRun: dryRun(), facts: { pods: lists({}) } }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'all is well', facts: tried([allows], { dryRun: dryRun() }), outcome: 'pass' },
    {
      name: 'the replicas could not be probed, and it passes',
      facts: tried([{}], { dryRun: dryRun() }),
      outcome: 'pass',
    },
    {
      name: 'only conversions in the other direction fail',
      facts: tried([http(500, 'cannot convert')], {
        dryRun: dryRun(),
        facts: { callouts: [conversion()] },
      }),
      outcome: 'pass',
    },
    { name: 'there was no dry run', facts: tried([refused]), outcome: 'pass' },
    {
      name: 'failurePolicy Ignore lets a dry run pass',
      facts: tried([refused], {
        dryRun: dryRun(),
        facts: { callouts: [webhook({ failurePolicy: 'Ignore' })] },
      }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
