import { servingSecretMismatchedKey } from '../../../../src/checks/tls/secret/serving-secret-mismatched-key.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy, lists, pod } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';

const crashed = pod({
  status: {
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      {
        name: 'webhook',
        ready: false,
        restartCount: 7,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      },
    ],
  },
});
const running = pod({
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      {
        name: 'webhook',
        ready: false,
        restartCount: 0,
        state: { running: { startedAt: '2025-12-31T20:00:00Z' } },
      },
    ],
  },
});
const saying = (text: string, over = crashed) =>
  healthy({ pods: lists({ 'shop/policy': [over] }), logs: complete([['shop/policy-1/webhook', text]]) });
const words = 'tls: private key does not match public key';

describeCheck(servingSecretMismatchedKey, {
  reports: [
    {
      name: 'Go’s words in the log',
      facts: saying(`starting\nfatal: ${words}\n`),
      expect: {
        messageId: 'mismatch',
        confidence: 'observed',
        data: { pod: 'Pod policy-1', detail: `fatal: ${words}` },
      },
    },
    {
      name: 'the Secret that the Pod mounts',
      facts: saying(
        words,
        pod({
          status: crashed.status,
          spec: {
            containers: [{ name: 'webhook', volumeMounts: [{ name: 'certs', mountPath: '/certs' }] }],
            volumes: [{ name: 'certs', secret: { secretName: 'policy-tls' } }],
          },
        }),
      ),
      expect: { messageId: 'mismatch', names: { secret: 'policy-tls' } },
    },
    {
      name: 'OpenSSL’s words',
      facts: saying(
        'SSL_CTX_use_PrivateKey failed (SSL: error:05800074:x509 certificate routines::key values mismatch)',
      ),
      expect: { messageId: 'mismatch' },
    },
    {
      name: 'a key that the process cannot parse, as Go reports it',
      facts: saying('unable to start manager: tls: failed to parse private key'),
      expect: { messageId: 'unreadable' },
    },
    {
      name: 'a key with a passphrase, as OpenSSL reports it',
      facts: saying('error:1C800064:Provider routines::bad decrypt'),
      expect: { messageId: 'unreadable' },
    },
  ],
  reportsNothing: [
    ...[
      'WARN cannot decrypt backup: error:1C800064:Provider routines::bad decrypt',
      'skip client certificate for registry: tls: failed to parse private key',
    ].map((line) => ({
      name: `a process that continues without another key (${line})`,
      facts: saying(line, running),
      outcome: 'pass' as const,
    })),
    {
      name: 'a process that reads another key, and ends for another reason',
      facts: saying(
        `skip client certificate for registry: tls: failed to parse private key\n${'waiting for caches\n'.repeat(9)}panic: no configuration`,
      ),
      outcome: 'pass',
    },
    { name: 'it ended for another reason', facts: saying('out of luck'), outcome: 'pass' },
    { name: 'the Pod is ready', facts: saying(words, pod()), outcome: 'pass' },
    {
      name: 'no log could be read',
      facts: healthy({ pods: lists({ 'shop/policy': [crashed] }), logs: forbidden('pods/log') }),
    },
  ],
  isUnknown: [{ name: 'the Pods could not be read', facts: healthy({ pods: forbidden('pods') }) }],
});
