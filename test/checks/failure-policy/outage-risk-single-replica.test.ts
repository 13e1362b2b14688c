import { outageRiskSingleReplica } from '../../../src/checks/failure-policy/outage-risk-single-replica.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  conversion,
  healthy,
  lists,
  objects,
  pod,
  service,
  slice,
  takenAt,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const endpoint = (number: number, ready = true): Endpoint => ({
  addresses: [`198.51.100.${number}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${number}` },
});
const endpoints = (...all: readonly Endpoint[]) => ({
  endpointSlices: lists({ 'shop/policy': [slice(all)] }),
});
const notAsked = { workloads: nothingRead<readonly Workload[]>({ what: 'workloads', why: 'not-requested' }) };
const wanted = (replicas: number) => ({ workloads: lists({ shop: [workload({ spec: { replicas } })] }) });
/** Pods policy-1, which is Ready, and others that started 5 s ago, or an hour ago. */
const started = (at: string, ...others: readonly number[]) => ({
  pods: lists({
    'shop/policy': [
      pod(),
      ...others.map((number) =>
        pod({
          metadata: { name: `policy-${number}`, uid: `uid-${number}` },
          status: {
            conditions: [{ type: 'Ready', status: 'False' }],
            containerStatuses: [
              { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt: at } } },
            ],
          },
        }),
      ),
    ],
  }),
});
const secondsAgo = (seconds: number) => new Date(Date.parse(takenAt) - seconds * 1000).toISOString();
const oneWanted = { messageId: 'oneWanted', data: { workload: 'Deployment policy' } };

describeCheck(outageRiskSingleReplica, {
  reports: [
    { name: 'a Deployment of one replica', facts: healthy(), expect: oneWanted },
    {
      name: 'the same for a conversion webhook, which has no failurePolicy',
      facts: healthy({ callouts: [conversion()] }),
      expect: oneWanted,
    },
    {
      name: 'a Pod with an address of each family once',
      facts: healthy({
        ...notAsked,
        endpointSlices: lists({
          'shop/policy': [
            slice(),
            slice(
              [
                {
                  addresses: ['2001:db8::7'],
                  targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
                },
              ],
              { addressType: 'IPv6' },
            ),
          ],
        }),
      }),
      expect: { messageId: 'oneSeen', data: { service: 'shop/policy' } },
    },
    {
      name: 'one endpoint, and workloads were not read',
      facts: healthy(notAsked),
      expect: { messageId: 'oneSeen', data: { service: 'shop/policy' } },
    },
    {
      name: 'one beside its predecessor, which is shutting down',
      facts: healthy({
        ...notAsked,
        ...endpoints(endpoint(1), {
          ...endpoint(2),
          conditions: { ready: false, serving: true, terminating: true },
        }),
      }),
      expect: { messageId: 'oneSeen', data: { service: 'shop/policy' } },
    },
    {
      name: 'the last one of two that answers',
      facts: healthy({ ...notAsked, ...endpoints(endpoint(1), endpoint(2, false)) }),
      expect: { messageId: 'oneLeft', data: { service: 'shop/policy', total: 2 } },
    },
    {
      name: 'one whose successor starts, of one that is wanted',
      facts: healthy({ ...started(secondsAgo(5), 2), ...endpoints(endpoint(1), endpoint(2, false)) }),
      expect: oneWanted,
    },
    {
      name: 'one beside a Pod that starts, and workloads were not read',
      facts: healthy({
        ...notAsked,
        ...started(secondsAgo(5), 2),
        ...endpoints(endpoint(1), endpoint(2, false)),
      }),
      expect: { messageId: 'oneSeen', data: { service: 'shop/policy' } },
    },
    {
      name: 'one beside a Pod that is not Ready after an hour',
      facts: healthy({
        ...wanted(2),
        ...started(secondsAgo(3600), 2),
        ...endpoints(endpoint(1), endpoint(2, false)),
      }),
      expect: { messageId: 'oneLeft', data: { service: 'shop/policy', total: 2 } },
    },
    {
      name: 'one beside a Pod that starts, of three that are wanted',
      facts: healthy({
        ...wanted(3),
        ...started(secondsAgo(5), 2),
        ...endpoints(endpoint(1), endpoint(2, false)),
      }),
      expect: { messageId: 'oneLeft', data: { service: 'shop/policy', total: 3 } },
    },
    {
      name: 'the only one there is of three that are wanted',
      facts: healthy(wanted(3)),
      expect: { messageId: 'oneLeft', data: { service: 'shop/policy', total: 3 } },
    },
  ],
  reportsNothing: [
    {
      name: 'the API server calls itself, which it does over loopback',
      facts: healthy({
        callouts: [webhook({ client: { service: { namespace: 'default', name: 'kubernetes', port: 443 } } })],
        services: objects(service({ selector: {} }, { namespace: 'default', name: 'kubernetes' })),
        endpointSlices: lists({ 'default/kubernetes': [slice()] }),
      }),
      outcome: 'not-applicable',
    },
    {
      name: 'a second replica starts',
      facts: healthy({
        ...wanted(2),
        ...started(secondsAgo(5), 2),
        ...endpoints(endpoint(1), endpoint(2, false)),
      }),
    },
    {
      name: 'a rollout of two replicas, with one Pod above them',
      facts: healthy({
        ...wanted(2),
        ...started(secondsAgo(5), 2, 3),
        ...endpoints(endpoint(1), endpoint(2, false), endpoint(3, false)),
      }),
    },
    {
      name: 'a second Pod starts, and no workload makes them',
      facts: healthy({
        workloads: lists({ shop: [] }),
        ...started(secondsAgo(5), 2),
        ...endpoints(endpoint(1), endpoint(2, false)),
      }),
    },
    {
      name: 'two replicas answer',
      facts: healthy({ ...wanted(2), ...endpoints(endpoint(1), endpoint(2)) }),
      outcome: 'pass',
    },
    {
      name: 'two replicas respond and one is desired: a rollout',
      facts: healthy(endpoints(endpoint(1), endpoint(2))),
    },
    { name: 'none answers, which is no risk any more', facts: healthy(endpoints(endpoint(1, false))) },
    { name: 'none is wanted', facts: healthy({ ...wanted(0), ...endpoints() }) },
    {
      name: 'requests pass without it',
      facts: healthy({ callouts: [webhook({ failurePolicy: 'Ignore' })] }),
      outcome: 'not-applicable',
    },
    {
      name: 'it matches nothing',
      facts: healthy({ callouts: [webhook({ rules: [] })] }),
      outcome: 'not-applicable',
    },
    {
      name: 'the Service does not exist',
      facts: healthy({ services: objects() }),
      outcome: 'not-applicable',
    },
    {
      name: 'the Service is only a DNS name',
      facts: healthy({ services: objects(service({ type: 'ExternalName' })) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'EndpointSlices may not be read',
      facts: healthy({ endpointSlices: forbidden('endpointslices') }),
    },
  ],
});
