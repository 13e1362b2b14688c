import { callFailsUnexplained } from '../../../src/checks/network/call-fails-unexplained.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists } from '../../support/snapshot.ts';
import { allows, dryRun, refused, tried } from '../probed.ts';

const detail = 'failed calling webhook "policy.example.com": something nobody has heard of';

describeCheck(callFailsUnexplained, {
  reports: [
    {
      name: 'a dry run that fails while every replica responds',
      facts: tried([allows], { dryRun: dryRun(`Internal error occurred: ${detail}`) }),
      expect: { messageId: 'all', confidence: 'observed', data: { detail } },
    },
    {
      name: 'what every replica shows, which another check explains',
      facts: tried([refused]),
      expect: { messageId: 'all' },
    },
    {
      name: 'what one replica shows',
      facts: tried([allows, refused]),
      expect: { messageId: 'some' },
    },
    {
      name: 'a Pod that no longer exists',
      facts: tried([{}], { facts: { pods: lists({}) } }),
      expect: { messageId: 'all', confidence: 'derived' },
    },
    {
      name: 'what objects show',
      facts: tried([{}], { facts: { endpointSlices: lists({}) } }),
      expect: { messageId: 'all', confidence: 'derived' },
    },
  ],
  reportsNothing: [
    { name: 'every replica responds', facts: tried([allows, allows]), outcome: 'pass' },
    { name: 'a dry run passes', facts: tried([allows], { dryRun: dryRun() }), outcome: 'pass' },
    {
      name: 'another webhook fails the dry run',
      facts: tried([allows], { dryRun: dryRun('failed calling webhook "other.example.com": EOF') }),
      outcome: 'pass',
    },
    { name: 'nothing is known', facts: tried([{}]), outcome: 'pass' },
  ],
});
