import { timeoutTooShort } from '../../../src/checks/failure-policy/timeout-too-short.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, lists, slice, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u', allowed: true },
};
const body = Buffer.from(JSON.stringify(review));
const replica = (number: number, milliseconds: number | undefined): CalloutProbes['replicas'][number] => ({
  pod: `policy-${number}`,
  port: 8443,
  endpoint: `198.51.100.${number}:8443`,
  ready: true,
  notTried: [],
  dialogues: [
    {
      way: 'port-forward',
      reviews:
        milliseconds === undefined
          ? []
          : [
              {
                version: 'v1',
                uid: 'u',
                operation: 'CREATE',
                resource: 'configmaps',
                milliseconds,
                answer: { status: 200, headers: { 'content-type': 'application/json' }, body },
              },
            ],
    },
  ],
});
const endpoints = (count: number) => ({
  endpointSlices: lists({
    'shop/policy': [
      slice(
        Array.from({ length: count }, (_, index) => ({
          addresses: [`198.51.100.${index + 1}`],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${index + 1}` },
        })),
      ),
    ],
  }),
});
const answering = (timeoutSeconds: number, ...times: readonly (number | undefined)[]) =>
  healthy({
    callouts: [webhook({ timeoutSeconds })],
    ...endpoints(times.length),
    probes: complete<CalloutProbes>([
      [
        'validating/policy/policy.example.com',
        {
          level: 'review',
          serverName: 'policy.shop.svc',
          notTried: [],
          replicas: times.map((time, index) => replica(index + 1, time)),
        },
      ],
    ]),
  });

describeCheck(timeoutTooShort, {
  reports: [
    {
      name: 'a response that takes longer than the timeout',
      facts: answering(1, 1500),
      expect: { messageId: 'late', confidence: 'observed' },
    },
    {
      name: 'a response that takes most of one second',
      facts: answering(1, 900),
      expect: {
        messageId: 'close',
        data: { replicas: 'Pod policy-1', slowest: '0.9 s', timeout: 1, bad: 1, total: 1 },
        confidence: 'observed',
      },
    },
    {
      name: 'one replica of two',
      facts: answering(2, 20, 1400),
      expect: {
        messageId: 'close',
        data: { replicas: 'Pod policy-2', slowest: '1.4 s', timeout: 2, bad: 1, total: 2 },
      },
    },
  ],
  reportsNothing: [
    { name: 'a response that is too slow for any useful timeout', facts: answering(3, 4000) },
    { name: 'answers are quick', facts: answering(1, 12, 40), outcome: 'pass' },
    { name: 'a response takes half of it', facts: answering(2, 1000) },
    {
      name: 'there is time enough, and the backend is slow',
      facts: answering(10, 9000),
      outcome: 'not-applicable',
    },
    { name: 'nothing was called', facts: answering(1, undefined) },
    {
      name: 'probes were not requested',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 1 })],
        probes: nothingRead({ what: 'probes', why: 'not-requested' }),
      }),
      outcome: 'not-applicable',
    },
    {
      name: 'the callout converts, whose timeout is fixed',
      facts: healthy({ callouts: [conversion()] }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'probes are forbidden',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 1 })], probes: forbidden() }),
    },
  ],
});
