import { responseUnauthorized } from '../../../src/checks/response/response-unauthorized.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { allows, blind, dryRun, http, quiet, replica, tried } from '../probed.ts';

const bad = http(401, 'who are you');
const ownFailed = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: who are you',
);

describeCheck(responseUnauthorized, {
  reports: [
    {
      name: 'it of every replica, where the call of the API server failed',
      facts: tried([bad, bad], { dryRun: ownFailed }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'it of one replica of two, where the call of the API server failed',
      facts: tried([allows, bad], { dryRun: ownFailed }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'that only we were refused, and the API server made no call',
      facts: tried([bad, bad]),
      expect: { messageId: 'unproven' },
    },
    {
      name: 'the same where failurePolicy hides how its own call ended',
      facts: tried([bad], { dryRun: dryRun(), facts: { callouts: [webhook({ failurePolicy: 'Ignore' })] } }),
      expect: { messageId: 'unproven' },
    },
    {
      name: 'it of a conversion webhook, to which no credentials are ever sent',
      facts: tried([bad], { facts: { callouts: [conversion()] } }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'the API server has credentials: its own call passed',
      facts: tried([bad, bad], { dryRun: dryRun() }),
      outcome: 'pass',
    },
    {
      name: 'the replica gets no calls',
      facts: tried([allows, bad], {
        pods: [replica(1), replica(2, { status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
      }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
