import { failopenOverdue } from '../../../src/checks/failure-policy/failopen-overdue.ts';
import { type ChangeRecord, recordKey, recordText } from '../../../src/facts/change-record.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { takenAt, webhook } from '../../support/snapshot.ts';

const now = Date.parse(takenAt);
const minutes = (count: number): string => new Date(now + count * 60_000).toISOString();

const opened = (until: string | undefined, over: Partial<ChangeRecord> = {}): ChangeRecord => ({
  id: '20261121-093000-a1b2c3',
  remedy: 'failopen',
  at: minutes(-30),
  ...(until === undefined ? {} : { until }),
  steps: [
    {
      op: 'patch',
      path: '/webhooks/0/failurePolicy',
      webhook: 'policy.example.com',
      before: 'Fail',
      after: 'Ignore',
    },
  ],
  ...over,
});

const carrying = (record: ChangeRecord, failurePolicy: 'Fail' | 'Ignore' = 'Ignore') => ({
  callouts: [
    webhook({
      failurePolicy,
      metadata: { name: 'policy', annotations: { [recordKey(record.id)]: recordText(record) } },
    }),
  ],
});

describeCheck(failopenOverdue, {
  reports: [
    {
      name: 'a webhook whose restore is 20 minutes overdue',
      facts: carrying(opened(minutes(-20))),
      expect: {
        messageId: 'overdue',
        data: {
          webhook: 'policy.example.com',
          since: minutes(-30),
          late: '20 min',
          id: '20261121-093000-a1b2c3',
        },
      },
    },
    {
      name: 'one that was forgotten for days',
      facts: carrying(opened(minutes(-3 * 1440))),
      expect: { messageId: 'overdue' },
    },
    {
      name: 'how long it may still fail open',
      facts: carrying(opened(minutes(90))),
      expect: {
        messageId: 'running',
        data: {
          webhook: 'policy.example.com',
          left: '1 h 30 min',
          until: minutes(90),
          id: '20261121-093000-a1b2c3',
        },
      },
    },
  ],
  reportsNothing: [
    { name: 'nothing was recorded', facts: { callouts: [webhook({ failurePolicy: 'Ignore' })] } },
    { name: 'there was no deadline', facts: carrying(opened(undefined)) },
    {
      name: 'a user restored it manually, and the record remained',
      facts: carrying(opened(minutes(-20)), 'Fail'),
    },
    {
      name: 'another webhook of the configuration was opened',
      facts: carrying(
        opened(minutes(-20), {
          steps: [
            { op: 'patch', path: '/webhooks/1/failurePolicy', webhook: 'other.example.com', after: 'Ignore' },
          ],
        }),
      ),
    },
    {
      name: 'the change was about another field',
      facts: carrying(
        opened(minutes(-20), {
          steps: [
            { op: 'patch', path: '/webhooks/0/timeoutSeconds', webhook: 'policy.example.com', after: 3 },
          ],
        }),
      ),
    },
    {
      name: 'the annotation holds something else',
      facts: {
        callouts: [
          webhook({
            failurePolicy: 'Ignore',
            metadata: {
              name: 'policy',
              annotations: {
                [recordKey('x')]: 'not JSON',
                [recordKey('w')]: '{"remedy":"failopen","at":"2026","until":"2025","steps":[null]}',
                [recordKey('y')]: 'null',
                [recordKey('z')]: '{"remedy":"failopen","at":"2026","until":"soon","steps":[]}',
              },
            },
          }),
        ],
      },
    },
  ],
});
