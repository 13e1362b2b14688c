import { replicaHangs } from '../../../../src/checks/replica/listener/replica-hangs.ts';
import type { ConnectionFailure } from '../../../../src/facts/probes.ts';
import { allows, describeFault, ended, proxySays, type Tried, tried } from '../../probed.ts';

/** A review that timed out in this stage; the handshake and other requests succeed. */
const unanswered = (stage: ConnectionFailure['stage'], reached: boolean): Tried => ({
  dialogues: (allows.dialogues ?? []).map((connection) => ({
    ...connection,
    reviews: connection.reviews.map(({ answer: _, ...review }) => ({
      ...review,
      failure: { stage, kind: 'timed-out', text: 'late', milliseconds: 10_000 },
    })),
  })),
  proxy: { ...proxySays(''), reached },
});

const sends = (name: string, sent: string, bad: Tried) => ({
  name,
  facts: tried([bad]),
  expect: {
    messageId: 'all',
    data: {
      replicas: 'Pod policy-1',
      port: 8443,
      path: '/validate',
      bad: 1,
      total: 1,
      detail: 'late',
      sent,
      timeout: 10,
    },
  },
});

describeFault(
  replicaHangs,
  ended({ stage: 'tls', kind: 'timed-out' }, proxySays('')),
  [],
  [
    sends('a process that does not respond at all', 'no response', unanswered('http', false)),
    sends(
      'a process that responds to a GET only',
      'no response to a review (only to a GET)',
      unanswered('http', true),
    ),
    sends('a body that does not end', 'an incomplete response', unanswered('body', false)),
    sends(
      'a process that begins no handshake',
      'nothing, not even a TLS handshake,',
      ended({ stage: 'tls', kind: 'timed-out', text: 'late' }, proxySays('')),
    ),
  ],
);
