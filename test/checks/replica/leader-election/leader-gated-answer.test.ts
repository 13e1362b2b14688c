import { leaderGatedAnswer } from '../../../../src/checks/replica/leader-election/leader-gated-answer.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists } from '../../../support/snapshot.ts';
import {
  allows,
  blind,
  denies,
  ended,
  http,
  lease,
  leases,
  quiet,
  refused,
  replica,
  sampled,
  tried,
} from '../../probed.ts';

const held = leases(lease('policy-1_0a1b2c3d-0000-4000-8000-000000000000'));
const bare = ended({ stage: 'tls', kind: 'alert', alert: 'internal error', text: 'alert internal error' });
const data = {
  holder: 'Pod policy-1',
  lease: 'shop/policy-leader',
  bad: 1,
  total: 2,
  object: 'the test object',
  port: 8443,
  others: 'the other Pod',
};

describeCheck(leaderGatedAnswer, {
  reports: [
    {
      name: 'denials by those that do not lead',
      facts: tried([allows, denies('cluster "a" not found')], { facts: held }),
      expect: {
        messageId: 'denies',
        confidence: 'observed',
        data: {
          ...data,
          detail: 'cluster "a" not found',
        },
      },
    },
    {
      name: 'denials by one of the others, while a third Pod has no address',
      facts: tried([allows, denies('no')], {
        facts: { ...held, pods: lists({ 'shop/policy': [replica(1), replica(2), replica(3)] }) },
      }),
      expect: { messageId: 'denies', data: { ...data, others: 'Pod policy-2', detail: 'no' } },
    },
    {
      name: 'errors of those that do not lead',
      facts: tried([allows, http(503, 'not the leader')], { facts: held }),
      expect: { messageId: 'fails' },
    },
    {
      name: 'that only the leader has a certificate',
      facts: tried([allows, bare], { facts: held }),
      expect: { messageId: 'certificate', data: { ...data, detail: 'alert internal error' } },
    },
    {
      name: 'denials of a real object, where all allow the test object',
      facts: sampled(tried([allows, allows], { facts: held }), [allows, denies('cluster "a" not found')]),
      expect: {
        messageId: 'denies',
        data: {
          ...data,
          object: 'ConfigMap shop/cart',
          detail: 'cluster "a" not found',
        },
      },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'no Lease is held', facts: tried([allows, denies('no')], { facts: leases() }) },
    { name: 'the holder denies, too', facts: tried([denies('no'), denies('no')], { facts: held }) },
    { name: 'the others do not listen', facts: tried([allows, refused], { facts: held }) },
  ],
  isUnknown: blind,
});
