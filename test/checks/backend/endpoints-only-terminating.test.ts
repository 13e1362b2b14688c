import { endpointsOnlyTerminating } from '../../../src/checks/backend/endpoints-only-terminating.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { RoutingMode } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, slice, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, dryRun, tried } from '../probed.ts';

const leaving = (serving = true): Endpoint => ({
  addresses: ['198.51.100.7'],
  conditions: { ready: false, serving, terminating: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
});
const coming: Endpoint = {
  addresses: ['198.51.100.8'],
  conditions: { ready: true, serving: true, terminating: false },
};
const having = (endpoints: readonly Endpoint[], mode?: RoutingMode) =>
  healthy({ endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }), routing: { mode } });
const passed = tried([allows], { dryRun: dryRun() });
const never = (): never => {
  throw new Error('no probes');
};
const data = { service: 'shop/policy', total: 1 };

describeCheck(endpointsOnlyTerminating, {
  reports: [
    {
      name: 'an API server that routes to endpoints',
      facts: having([leaving()], 'endpoints'),
      expect: { messageId: 'endpoints', data },
    },
    {
      name: 'kube-proxy falling back to them',
      facts: having([leaving()], 'cluster-ip'),
      expect: { messageId: 'clusterIp', data },
    },
    {
      name: 'a doubt while the mode is not known',
      facts: having([leaving()]),
      expect: { messageId: 'eitherMode', data, confidence: 'derived' },
    },
    {
      name: 'a dry run that passes while the mode is not known',
      facts: { ...having([leaving()]), probes: passed.probes ?? never() },
      expect: { messageId: 'passing', data, confidence: 'observed' },
    },
    {
      name: 'the same where failurePolicy Ignore lets it pass',
      facts: {
        ...having([leaving()]),
        callouts: [webhook({ failurePolicy: 'Ignore' })],
        probes: passed.probes ?? never(),
      },
      expect: { messageId: 'eitherMode', data },
    },
  ],
  reportsNothing: [
    { name: 'a replica stays', facts: having([leaving(), coming], 'endpoints'), outcome: 'pass' },
    {
      name: 'those that leave do not serve any more',
      facts: having([leaving(false)], 'cluster-ip'),
      outcome: 'pass',
    },
    { name: 'there is no endpoint', facts: having([], 'cluster-ip'), outcome: 'pass' },
    { name: 'the backend is healthy', facts: healthy(), outcome: 'pass' },
  ],
  isUnknown: [
    { name: 'EndpointSlices must not be read', facts: { ...having([]), endpointSlices: forbidden() } },
  ],
});
