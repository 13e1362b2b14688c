import { failingOpenNow } from '../../../src/checks/failure-policy/failing-open-now.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, lists, objects, pod, service, slice, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from '../effect/counts.ts';
import { patches, refused, tried } from '../probed.ts';

const open = { failurePolicy: 'Ignore' } as const;
const validating = { callouts: [webhook(open)] };
const mutating = { callouts: [webhook({ ...open, kind: 'mutating' })] };

const replica = (number: number) => ({
  addresses: [`198.51.100.${number}`],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${number}` },
});
const dead = pod({
  metadata: { name: 'policy-2' },
  status: {
    containerStatuses: [{ name: 'webhook', ready: false, restartCount: 3, state: { waiting: {} } }],
  },
});
const oneOfTwo = {
  endpointSlices: lists({ 'shop/policy': [slice([replica(1), replica(2)])] }),
  pods: lists({ 'shop/policy': [pod(), dead] }),
};

describeCheck(failingOpenNow, {
  reports: [
    {
      name: 'what only probes see: nothing listens',
      facts: tried([refused], { facts: validating }),
      expect: { messageId: 'unchecked' },
    },
    {
      name: 'a validating webhook whose Service no longer exists',
      facts: healthy({ ...validating, services: objects() }),
      expect: { messageId: 'unchecked', data: {} },
    },
    {
      name: 'a webhook that the API server has counted as failing open, with its count as evidence',
      facts: healthy({ ...validating, services: objects(), metrics: metrics([counts({ failedOpen: 12 })]) }),
      expect: { messageId: 'unchecked', evidence: '12, counting since 2025-12-31T23:00:00.250Z' },
    },
    {
      name: 'a mutating webhook without an endpoint',
      facts: healthy({ ...mutating, endpointSlices: lists({ 'shop/policy': [] }) }),
      expect: { messageId: 'unchanged', data: {} },
    },
    {
      name: 'a validating webhook one of whose two replicas is dead',
      facts: healthy({ ...validating, ...oneOfTwo }),
      expect: { messageId: 'someUnchecked', data: {} },
    },
    {
      name: 'a mutating webhook one of whose two replicas is dead',
      facts: healthy({ ...mutating, ...oneOfTwo }),
      expect: { messageId: 'someUnchanged', data: {} },
    },
    {
      name: 'endpoints that all belong to Pods which no longer exist',
      facts: healthy({ ...validating, pods: lists({ 'shop/policy': [] }), endpointPods: objects() }),
      expect: { messageId: 'unchecked', data: {} },
    },
    {
      name: 'a failure that is certain in either routing mode',
      facts: healthy({ ...validating, services: objects(), routing: { mode: undefined } }),
      expect: { messageId: 'unchecked', data: {} },
    },
  ],
  reportsNothing: [
    {
      name: 'a patch that cannot be applied ends the request, whatever failurePolicy says',
      facts: (() => {
        const facts = tried([patches([{ op: 'remove', path: '/metadata/labels/none' }])], {
          facts: mutating,
        });
        const [probes] = [...(facts.probes?.all() ?? [])];
        return {
          ...facts,
          probes: complete([['mutating/policy/policy.example.com', probes as CalloutProbes]]),
        };
      })(),
    },
    { name: 'nothing indicates a failure of the call', facts: healthy(validating), outcome: 'pass' },
    {
      name: 'the call fails and requests are refused',
      facts: healthy({ services: objects() }),
      outcome: 'not-applicable',
    },
    {
      name: 'the webhook has no rules: nothing is sent to it',
      facts: healthy({ callouts: [webhook({ ...open, rules: [] })], services: objects() }),
      outcome: 'not-applicable',
    },
    {
      name: 'the failure depends on an unknown routing mode',
      facts: healthy({
        ...validating,
        services: objects(service({ clusterIP: 'None' })),
        routing: { mode: undefined },
      }),
    },
    {
      name: 'the webhook has a URL, which objects do not describe',
      facts: healthy({ callouts: [webhook({ ...open, client: { url: 'https://policy.example.com' } })] }),
    },
    {
      name: 'a conversion fails, which never passes',
      facts: healthy({ callouts: [conversion()], services: objects() }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'Services may not be read', facts: healthy({ ...validating, services: forbidden('services') }) },
  ],
});
