import { callFailsUnexplained } from '../../../src/checks/network/call-fails-unexplained.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists } from '../../support/snapshot.ts';
import { allows, dryRun, http, refused, tried } from '../probed.ts';

const detail = 'failed calling webhook "policy.example.com": something nobody has heard of';

describeCheck(callFailsUnexplained, {
  reports: [
    {
      name: 'a dry run that fails while every replica responds',
      facts: tried([allows], { dryRun: dryRun(`Internal error occurred: ${detail}`) }),
      expect: { messageId: 'all', confidence: 'observed', data: { detail } },
    },
    {
      name: 'a dry run whose error shows what the server did wrong',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
        ),
      }),
      expect: {
        messageId: 'read',
        data: {
          detail:
            'received invalid webhook response: webhook returned response.patch but not response.patchType',
          means: 'The patch in the response cannot be decoded or applied.',
        },
      },
    },
    {
      name: 'a dry run whose error shows what is wrong with the certificate',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/?timeout=5s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
        ),
      }),
      expect: {
        messageId: 'read',
        data: {
          detail: 'x509: certificate signed by unknown authority',
          means:
            'The caBundle does not contain the CA that signed the serving certificate. Just after an installation it may not be written yet.',
        },
      },
    },
    {
      name: 'a dry run whose error contains what a shell would execute',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: expected response.uid="a", got "b\' & calc | `id` $(id) %PATH% \\"',
        ),
      }),
      expect: {
        messageId: 'read',
        names: { error: 'expected response.uid="a", got "b calc id (id) PATH "' },
      },
    },
    {
      name: 'a dry run whose response was not complete in time',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
        ),
      }),
      expect: { messageId: 'read' },
    },
    {
      name: 'what every replica shows, which another check explains',
      facts: tried([refused]),
      expect: { messageId: 'all' },
    },
    {
      name: 'what the response of one replica shows',
      facts: tried([allows, http(500)]),
      expect: { messageId: 'readForSome' },
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
