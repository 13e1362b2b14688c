import { replicaHangs } from '../../../../src/checks/replica/listener/replica-hangs.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Container, Pod } from '../../../../src/facts/objects/pod.ts';
import type { ConnectionFailure } from '../../../../src/facts/probes.ts';
import { webhook } from '../../../support/snapshot.ts';
import { allows, describeFault, ended, proxySays, replica, type Tried, tried } from '../../probed.ts';

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

const silent = ended({ stage: 'tls', kind: 'timed-out', text: 'late' }, proxySays(''));
const withContainer = (over: Partial<Container>): Pod =>
  replica(1, { spec: { nodeName: 'n1', containers: [{ name: 'webhook', ...over }] } });
const withLimit = (cpu: string) =>
  tried([silent], { pods: [withContainer({ resources: { limits: { cpu } } })] });
const throttled =
  'I1231 23:58:00.000000       1 request.go:752] "Waited before sending request" delay="8.19s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://203.0.113.1:443/api/v1/namespaces/shop/configmaps/policy"';
const logging = (line: string) => ({
  ...tried([silent], { pods: [withContainer({})] }),
  logs: complete([['shop/policy-1/webhook', line]]),
});

describeFault(
  replicaHangs,
  ended({ stage: 'tls', kind: 'timed-out' }, proxySays('')),
  [],
  [
    {
      name: 'a program whose client delays its own requests',
      facts: logging(throttled),
      expect: { messageId: 'throttled', confidence: 'observed', evidence: throttled },
    },
    {
      name: 'a program whose client delays requests for the discovery only',
      facts: logging(
        'I1231 23:58:00.000000       7 request.go:752] Waited for 1.19s due to client-side throttling, not priority and fairness, request: GET:https://203.0.113.1:443/apis/apps/v1?timeout=32s',
      ),
      expect: { messageId: 'all' },
    },
    {
      name: 'a program with a very low CPU limit',
      facts: withLimit('50m'),
      expect: { messageId: 'limited', confidence: 'observed' },
    },
    { name: 'a program with another CPU limit', facts: withLimit('500m'), expect: { messageId: 'all' } },
    { name: 'a program with a CPU limit of one', facts: withLimit('1'), expect: { messageId: 'all' } },
    { name: 'a program with a tenth of a CPU', facts: withLimit('0.1'), expect: { messageId: 'limited' } },
    {
      name: 'a process that does not respond within a very long timeout',
      facts: tried([silent], {
        facts: { callouts: [webhook({ timeoutSeconds: 30, failurePolicy: 'Ignore' })] },
      }),
      expect: { messageId: 'long', confidence: 'observed' },
    },
    {
      name: 'a process that does not respond within a very long timeout, after which requests are refused',
      facts: tried([silent], {
        facts: { callouts: [webhook({ timeoutSeconds: 30, failurePolicy: 'Fail' })] },
      }),
      expect: { messageId: 'all' },
    },
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
