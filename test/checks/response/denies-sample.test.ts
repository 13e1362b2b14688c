import { deniesSample } from '../../../src/checks/response/denies-sample.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { SampledObject } from '../../../src/facts/sample.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { denied, event, failed, refused as withoutPods } from '../effect/failed-create-events.ts';
import {
  allows,
  denies,
  ended,
  http,
  json,
  patches,
  proxySays,
  quiet,
  refused,
  responding,
  sampled,
  type Tried,
  tried,
} from '../probed.ts';

const no = denies('tenant "a" is not known');
const hangs = ended({ stage: 'tls', kind: 'timed-out' }, proxySays(''));
const data = {
  replicas: 'both Pods',
  operation: 'CREATE',
  object: 'ConfigMap shop/cart',
  detail: 'tenant "a" is not known',
};

/** A handler that fails, and admits nevertheless (controller-runtime's `Errored` with `Allowed`). */
const admitsWith = (status: object): Tried =>
  responding(
    json({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'uid', allowed: true, status },
    }),
  );
const none = { code: 500, message: 'no instances available' };

const mutating = (replicas: readonly Tried[]) =>
  tried(replicas, { facts: { callouts: [webhook({ kind: 'mutating', reinvocationPolicy: 'Never' })] } });
const unapplied = patches([{ op: 'remove', path: '/metadata/labels/none' }]);

/** Another stored object with the same results. */
const twice = (facts: Partial<Facts>): Partial<Facts> => {
  const all = [...(facts.samples?.entries() ?? [])];
  return { ...facts, samples: complete(all.map(([id, samples]) => [id, [...samples, ...samples]])) };
};

/**
 * Two stored objects and the test object, all denied with this message, and a Deployment that misses 2 Pods because of
 * an Event.
 */
const blocked = (message: string, ofEvent = `${creating}${message}`): Partial<Facts> => {
  const { callouts: _, ...events } = withoutPods([event({ message: ofEvent })]);
  const denies2 = [denies(message), denies(message)];
  return { ...twice(sampled(tried(denies2), denies2)), ...events };
};
/** The same, and an UPDATE of each stored object with these responses. */
function withUpdates(facts: Partial<Facts>, replicas: Parameters<typeof sampled>[1]): Partial<Facts> {
  const updates = sampled({}, replicas, { operation: 'UPDATE' }).samples?.entries() ?? [];
  const [[id, update]] = [...updates] as [[string, readonly SampledObject[]]];
  return { ...facts, samples: complete([[id, [...(facts.samples?.get(id) ?? []), ...update]]]) };
}
const creating = 'Error creating: admission webhook "policy.example.com" denied the request: ';
const template =
  'template: inject:5:20: executing "inject" at <.Values.global.hub>: nil pointer evaluating interface {}.hub';
const panic = 'panic: runtime error: invalid memory address or nil pointer dereference [recovered]';
const lease = {
  object: { kind: 'Lease', namespace: 'kube-node-lease', name: 'node-1' },
  operation: 'UPDATE',
  overdueSince: '2025-12-31T23:50:00Z',
} as const;

describeCheck(deniesSample, {
  reports: [
    {
      name: 'the same error of the program for everything, while Pods of a workload are missing because of it',
      facts: blocked(panic),
      expect: {
        messageId: 'blocked',
        confidence: 'observed',
        data: {
          replicas: 'both Pods',
          count: 2,
          pods: '2 Pods',
          workloads: 'Deployment orders/cart',
          detail: panic,
        },
      },
    },
    {
      name: 'the same, while updates that change nothing pass',
      facts: withUpdates(blocked(panic), [allows, allows]),
      expect: { messageId: 'blocked' },
    },
    ...[
      'configmaps is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "configmaps"',
      'failed to list policies: context deadline exceeded',
      'the cache is not started, can not read objects',
      'unexpected end of JSON input',
      'Internal error occurred: no policy engine',
    ].map((message) => ({
      name: `an error of the program for everything: ${message}`,
      facts: blocked(message),
      expect: { messageId: 'blocked' },
    })),
    ...[
      template,
      'failed parsing generated injected YAML (check Istio sidecar injector configuration): error converting YAML',
    ].map((message) => ({
      name: `an error in the template of the program, while no Pod is missing: ${message}`,
      facts: blocked(message, denied),
      expect: { messageId: 'template' },
    })),
    {
      name: 'an error in a template of one object',
      facts: sampled(tried([allows, allows]), [denies(template), denies(template)], { by: 'given' }),
      expect: { messageId: 'given' },
    },
    ...(
      [
        ['another reason than the Pods', 'tenant "a" is not known', denied],
        ['an error of the program, and Pods for a rule', panic, denied],
        ['a rule, and Pods for an error of the program', 'no label "team"', `${creating}${panic}`],
        ['the same rule as the Pods: the objects may be at fault', 'no label "team"', denied],
        ['a rule of Gatekeeper', '[require-owner] you must provide labels: {"owner"}'],
        ['a change freeze', 'changes are not allowed until 2026-01-05'],
        ['a reason that may be of the object', 'json: unknown field "volumeClaimTemplate"'],
        ['an unknown reason', 'tenant "a" is not known'],
      ] as const
    ).map(([name, message, ofEvent]) => ({
      name: `denials of everything for ${name}`,
      facts: blocked(message, ofEvent),
      expect: { messageId: 'everything' },
    })),
    {
      name: 'denials of everything, while Pods of a workload are missing because calls failed',
      facts: blocked(panic, failed()),
      expect: { messageId: 'everything' },
    },
    {
      name: 'denials of everything, while Events are forbidden',
      facts: { ...blocked(panic), failedCreateEvents: forbidden('events') },
      expect: { messageId: 'everything' },
    },
    {
      name: 'a patch that cannot be applied to a test object of another kind',
      facts: sampled(mutating([allows, allows]), [unapplied, unapplied], { by: 'made-up' }),
      expect: { messageId: 'patch', severity: 'error', confidence: 'observed' },
    },
    {
      name: 'an UPDATE of a stored object without a change, whose creation it admits',
      facts: sampled(tried([allows, allows]), [no, no], { operation: 'UPDATE' }),
      expect: {
        messageId: 'unchanged',
        severity: 'warning',
        confidence: 'observed',
        data: { replicas: 'both Pods', object: 'ConfigMap shop/cart', detail: data.detail },
      },
    },
    ...[
      'only system:serviceaccount:op:op may change objects of op; user jane may not',
      'jane is not authorized to change it',
    ].map((message) => ({
      name: `an UPDATE that is denied as its user may not send it: ${message}`,
      facts: sampled(tried([allows, allows]), [denies(message), denies(message)], { operation: 'UPDATE' }),
      expect: { messageId: 'stored', severity: 'info' as const },
    })),
    {
      name: 'an UPDATE of an object that is being deleted',
      facts: sampled(tried([allows, allows]), [no, no], {
        operation: 'UPDATE',
        finalizers: ['example.com/cart'],
      }),
      expect: {
        messageId: 'deleted',
        severity: 'warning',
        data: {
          replicas: 'both Pods',
          object: 'ConfigMap shop/cart',
          finalizers: 'example.com/cart',
          detail: data.detail,
        },
      },
    },
    {
      name: 'a denied heartbeat of a node, while none is written',
      facts: sampled(tried([no, no]), [no, no], lease),
      expect: {
        messageId: 'heartbeat',
        data: {
          replicas: 'both Pods',
          operation: 'UPDATE',
          object: 'Lease kube-node-lease/node-1',
          time: '2025-12-31T23:50:00Z',
          detail: 'tenant "a" is not known',
        },
      },
    },
    {
      name: 'a stored object that every replica denies',
      facts: sampled(tried([allows, allows]), [no, no]),
      expect: { messageId: 'stored', confidence: 'observed', data },
    },
    {
      name: 'a given object that every replica denies',
      facts: sampled(tried([allows, allows]), [no, no], { by: 'given', operation: 'UPDATE' }),
      expect: { messageId: 'given', data: { ...data, operation: 'UPDATE' } },
    },
    ...(['stored', 'given'] as const).map((by) => ({
      name: `a ${by} object that every replica admits with an error, which the API server ignores`,
      facts: sampled(tried([allows, allows]), [admitsWith(none), admitsWith(none)], { by }),
      expect: {
        messageId: 'admitted',
        confidence: 'observed' as const,
        data: { ...data, detail: 'no instances available' },
      },
    })),
    {
      name: 'a test object of another kind for which every replica fails',
      facts: sampled(tried([allows, allows]), [http(500, 'nil pointer'), http(500, 'nil pointer')], {
        by: 'made-up',
      }),
      expect: {
        messageId: 'failed',
        data: {
          ...data,
          object: 'a test object (ConfigMap)',
          detail: 'an error on the server ("nil pointer") has prevented the request from succeeding',
        },
      },
    },
    {
      name: 'a test object for another operation for which the program panics',
      facts: sampled(tried([allows, allows]), [denies(panic), denies(panic)], {
        by: 'made-up',
        operation: 'UPDATE',
      }),
      expect: {
        messageId: 'panics',
        data: { ...data, operation: 'UPDATE', object: 'a test object (ConfigMap)', detail: panic },
      },
    },
    {
      name: 'a large test object, above the limit of the server for a body',
      facts: sampled(tried([allows, allows]), [http(413), http(413)], { by: 'made-up', kibibytes: 128 }),
      expect: {
        messageId: 'tooLarge',
        data: {
          ...data,
          object: 'a test object of 128 KiB (ConfigMap)',
          detail: 'the server responded with the status code 413 but did not return more information',
        },
      },
    },
    {
      name: 'an object without a response from any replica, although each responds to the test object',
      facts: sampled(tried([allows, no]), [hangs, hangs], { by: 'given' }),
      expect: {
        messageId: 'failed',
        data: { ...data, detail: 'timed-out at tls' },
      },
    },
    {
      name: 'the same denial of the test object and of two stored ones',
      facts: twice(sampled(tried([no, no]), [no, no])),
      expect: {
        messageId: 'everything',
        data: { replicas: 'both Pods', count: 2, detail: 'tenant "a" is not known' },
      },
    },
    {
      name: 'two stored objects, and no failed request of the handler, if the test object is allowed',
      facts: twice(sampled(tried([allows, allows]), [no, no])),
      expect: [{ messageId: 'stored' }, { messageId: 'stored' }],
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'one replica admits with an error, and another without',
      facts: sampled(tried([allows, allows]), [admitsWith(none), allows]),
      outcome: 'pass',
    },
    ...[
      ['a message and no error', { code: 200, message: 'no policy matches' }],
      ['a message alone', { message: 'mutation is disabled' }],
      ['a code alone', { code: 500 }],
      [
        'the denial of a policy that is only audited',
        { status: 'Failure', code: 403, message: 'not signed' },
      ],
    ].map(([name, status]) => ({
      name: `an object is admitted with ${name}`,
      facts: sampled(tried([allows, allows]), [admitsWith(status as object), admitsWith(status as object)]),
      outcome: 'pass' as const,
    })),
    {
      name: 'a test object of another kind is admitted with an error',
      facts: sampled(tried([allows, allows]), [admitsWith(none), admitsWith(none)], { by: 'made-up' }),
      outcome: 'pass',
    },
    {
      name: 'only one stored object, and the test object, are denied: not everything',
      facts: sampled(tried([allows, no]), [allows, no]),
      outcome: 'pass',
    },
    {
      name: 'a test object of another kind is denied',
      facts: sampled(tried([allows, allows]), [no, no], { by: 'made-up' }),
      outcome: 'pass',
    },
    {
      name: 'the process has ended before the test object of another kind',
      facts: sampled(tried([allows, allows]), [refused, refused], { by: 'made-up' }),
      outcome: 'pass',
    },
    {
      name: 'a large test object fails, and one replica has failed for the small one',
      facts: sampled(tried([allows, http(503)]), [http(413), http(413)], { by: 'made-up', kibibytes: 128 }),
      outcome: 'pass',
    },
    {
      name: 'a large test object fails, and the small one is denied',
      facts: sampled(tried([no, no]), [http(413), http(413)], { by: 'made-up', kibibytes: 128 }),
      outcome: 'pass',
    },
    {
      name: 'an UPDATE of an object that is being deleted is allowed',
      facts: sampled(tried([allows, allows]), [allows, allows], {
        operation: 'UPDATE',
        finalizers: ['example.com/cart'],
      }),
      outcome: 'pass',
    },
    {
      name: 'an UPDATE of the test object is denied, which no one has stored',
      facts: sampled(tried([allows, allows]), [no, no], { by: 'made-up', operation: 'UPDATE' }),
      outcome: 'pass',
    },
    {
      name: 'one replica denies an UPDATE without a change: another check compares them',
      facts: sampled(tried([allows, allows]), [allows, no], { operation: 'UPDATE' }),
      outcome: 'pass',
    },
    {
      name: 'the heartbeat of a node is allowed, although none is written',
      facts: sampled(tried([no, no]), [allows, allows], lease),
      outcome: 'pass',
    },
    {
      name: 'one replica denies the heartbeat of a node',
      facts: sampled(tried([no, no]), [allows, no], lease),
      outcome: 'pass',
    },
    {
      name: 'Pods are denied, and stored objects are not',
      facts: { ...blocked(panic), ...sampled(tried([denies(panic), denies(panic)]), [allows, allows]) },
      outcome: 'pass',
    },
    { name: 'only the test object is denied', facts: tried([no, no]), outcome: 'pass' },
    { name: 'one replica denies it', facts: sampled(tried([allows, allows]), [allows, no]), outcome: 'pass' },
    { name: 'no call is answered', facts: sampled(tried([hangs, hangs]), [hangs, hangs]), outcome: 'pass' },
    {
      name: 'the call fails at one replica',
      facts: sampled(tried([allows, allows]), [http(500), no]),
      outcome: 'pass',
    },
    { name: 'every replica allows it', facts: sampled(tried([no, no]), [allows, allows]), outcome: 'pass' },
  ],
});
