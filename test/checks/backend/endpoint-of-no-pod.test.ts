import { endpointOfNoPod } from '../../../src/checks/backend/endpoint-of-no-pod.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { DryRun } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, service, slice } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { dryRun, tried } from '../probed.ts';
import { ago } from '../replica/replicas.ts';

const at = (address: string, name?: string, uid?: string): Endpoint => ({
  addresses: [address],
  conditions: { ready: true },
  ...(name === undefined
    ? {}
    : { targetRef: { kind: 'Pod', namespace: 'shop', name, ...(uid === undefined ? {} : { uid }) } }),
});
const here = at('198.51.100.7', 'policy-1', 'uid-1');
const having = (endpoints: readonly Endpoint[], over: Partial<Facts> = {}) =>
  healthy({ endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }), ...over });
const replacement = pod({
  metadata: { name: 'policy-2', uid: 'uid-2' },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(5) }] },
});
const found = { service: 'shop/policy', stale: 1, total: 2 };

/** A Service without a selector, and the result of the API server's own call in this run. */
const refusal = (words: string) =>
  `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${words}`;
const byHand = (
  message: string,
  endpoints: readonly Endpoint[] = [at('192.0.2.1')],
  over: Partial<DryRun> = {},
) => ({
  ...tried([], { dryRun: { ...dryRun(message), ...over } }),
  endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
  services: objects(service({ selector: {} })),
});
const oneByHand = slice([at('192.0.2.1')]);
const mirrored = {
  ...oneByHand,
  metadata: {
    ...oneByHand.metadata,
    labels: {
      ...oneByHand.metadata.labels,
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    },
  },
};
const two = [at('192.0.2.1'), at('192.0.2.2')];
const refused = 'dial tcp 203.0.113.10:443: connect: connection refused';

describeCheck(endpointOfNoPod, {
  reports: [
    {
      name: 'one Pod of two that no longer exists',
      facts: having([here, at('198.51.100.66', 'policy-0')]),
      expect: { messageId: 'gone', data: { ...found, addresses: '198.51.100.66:8443' } },
    },
    {
      name: 'all Pods deleted, and the EndpointSlice remains',
      facts: having([at('198.51.100.66', 'policy-0')], { pods: lists({ 'shop/policy': [] }) }),
      expect: { messageId: 'all', data: { service: 'shop/policy', addresses: '198.51.100.66:8443' } },
    },
    {
      name: 'a Pod that came again under the same name',
      facts: having([here, at('198.51.100.66', 'policy-1', 'uid-before')]),
      expect: { messageId: 'gone', data: { ...found, addresses: '198.51.100.66:8443' } },
    },
    {
      name: 'an address that its Pod does not have',
      facts: having([here, at('198.51.100.66', 'policy-1', 'uid-1')]),
      expect: { messageId: 'other', data: { ...found, addresses: '198.51.100.66:8443' } },
    },
    {
      name: 'possibly, if a user wrote the address and the Pod',
      facts: having([at('198.51.100.66', 'policy-0')], {
        services: objects(service({ selector: {} })),
        endpointPods: objects(),
      }),
      expect: {
        messageId: 'goneByHand',
        data: { service: 'shop/policy', stale: 1, total: 1, addresses: '198.51.100.66:8443' },
      },
    },
    {
      name: 'an address written by hand behind a selector',
      facts: having([here, at('192.0.2.1')]),
      expect: { messageId: 'handMade', data: { ...found, addresses: '192.0.2.1:8443' } },
    },
    {
      name: 'an address written by hand where nothing responds to the API server',
      facts: byHand(refusal(refused)),
      expect: {
        messageId: 'unanswered',
        confidence: 'observed',
        data: { service: 'shop/policy', addresses: '192.0.2.1:8443', detail: refused },
      },
    },
    {
      name: 'an address that the mirroring controller copies from an Endpoints object',
      facts: { ...byHand(refusal(refused)), endpointSlices: lists({ 'shop/policy': [mirrored] }) },
      expect: { messageId: 'unanswered', names: { source: 'endpoints/policy' } },
    },
    {
      name: 'the same where nothing comes back at all',
      facts: byHand(refusal('dial tcp 192.0.2.1:8443: i/o timeout')),
      expect: { messageId: 'unanswered', names: { source: 'endpointslice/policy-x' } },
    },
    {
      name: 'the same where the time is over',
      facts: byHand(refusal('context deadline exceeded')),
      expect: { messageId: 'unanswered' },
    },
    {
      name: 'one of two such addresses, where the API server was called once',
      facts: byHand(refusal(refused), two),
      expect: {
        messageId: 'unansweredSome',
        confidence: 'observed',
        severity: 'error',
        data: {
          service: 'shop/policy',
          total: 2,
          addresses: '192.0.2.1:8443, 192.0.2.2:8443',
          detail: refused,
        },
      },
    },
    {
      name: 'both, where all further calls failed as well',
      facts: byHand(refusal(refused), two, { failsAgain: true }),
      expect: { messageId: 'unanswered' },
    },
  ],
  reportsNothing: [
    {
      name: 'the Pod was replaced by one that has just become Ready',
      facts: having([here, at('198.51.100.66', 'policy-0')], {
        pods: lists({ 'shop/policy': [pod(), replacement] }),
      }),
      outcome: 'pass',
    },
    {
      name: 'the Pod of a terminating endpoint was deleted before the Pods were read',
      facts: having(
        [
          {
            ...at('198.51.100.66', 'policy-0'),
            conditions: { ready: false, serving: true, terminating: true },
          },
        ],
        { pods: lists({ 'shop/policy': [] }) },
      ),
      outcome: 'pass',
    },
    { name: 'what was written by hand answers', facts: byHand(''), outcome: 'pass' },
    {
      name: 'what was written by hand answers, and its certificate is not trusted',
      facts: byHand(
        refusal('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
      ),
      outcome: 'pass',
    },
    ...[
      'net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
      'read tcp 203.0.113.10:4321->192.0.2.1:8443: i/o timeout',
      'unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
    ].map((late) => ({
      name: `what was written by hand accepts the connection, and is slow (${late})`,
      facts: byHand(refusal(late)),
      outcome: 'pass' as const,
    })),
    {
      name: 'the API server gets no response from a Pod whose endpoint a controller writes',
      facts: { ...byHand(refusal(refused), [here]), endpointPods: objects(pod()) },
      outcome: 'pass',
    },
    { name: 'every endpoint has its Pod', facts: healthy(), outcome: 'pass' },
    {
      name: 'the Pod is there and no longer selected',
      facts: having([here], { pods: lists({ 'shop/policy': [] }), endpointPods: objects(pod()) }),
      outcome: 'pass',
    },
    {
      name: 'the Service has no selector',
      facts: having([at('192.0.2.1')], { services: objects(service({ selector: {} })) }),
      outcome: 'pass',
    },
    {
      name: 'Pods were not looked at',
      facts: having([at('198.51.100.66', 'policy-0')], {
        pods: nothingRead({ what: 'Pods', why: 'not-requested' }),
        endpointPods: nothingRead({ what: 'Pods', why: 'not-requested' }),
      }),
      outcome: 'pass',
    },
    {
      name: 'Pods must not be read',
      facts: having([at('198.51.100.66', 'policy-0')], { pods: forbidden(), endpointPods: forbidden() }),
      outcome: 'pass',
    },
    {
      name: 'the stale endpoint is not ready, and others are',
      facts: having([here, { ...at('198.51.100.66', 'policy-0'), conditions: { ready: false } }]),
      outcome: 'pass',
    },
  ],
});
