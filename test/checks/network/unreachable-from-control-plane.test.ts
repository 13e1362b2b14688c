import { unreachableFromControlPlane } from '../../../src/checks/network/unreachable-from-control-plane.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, lists, objects, service, webhook } from '../../support/snapshot.ts';
import {
  after,
  allows,
  blind,
  dryRun,
  ended,
  proxySays,
  quiet,
  refused,
  timedOut,
  tried,
} from '../probed.ts';

const noRoute = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: connect: no route to host') };
const turnedAway = dryRun(
  timedOut.replace('context deadline exceeded', 'dial tcp 203.0.113.10:443: connect: no route to host'),
);

/** The Service address cannot be reached, and the API server called another webhook, of this Service. */
function besideReached(other: string, replica: Parameters<typeof tried>[0][number] = allows): Partial<Facts> {
  const first = webhook();
  const { name, ...backend } = first.client.service ?? { name: '', namespace: '', port: 443 };
  const called = webhook({
    configuration: 'ledger',
    webhook: 'ledger.example.com',
    client: { ...first.client, service: { ...backend, name: other } },
  });
  const lost = tried([allows, allows], { dryRun: turnedAway });
  const reached = tried([replica], { dryRun: dryRun() });
  const probes = [lost, reached].map((facts) => facts.probes?.get(calloutId(first)));
  return {
    ...lost,
    endpointSlices: lists({
      [`shop/${other}`]: [...(reached.endpointSlices?.get('shop/policy') ?? [])],
      'shop/policy': [...(lost.endpointSlices?.get('shop/policy') ?? [])],
    }),
    pods: lists({
      [`shop/${other}`]: [...(reached.pods?.get('shop/policy') ?? [])],
      'shop/policy': [...(lost.pods?.get('shop/policy') ?? [])],
    }),
    services: objects(service(), service({}, { name: other })),
    callouts: [first, called],
    probes: complete([first, called].map((callout, at) => [calloutId(callout), probes[at] as CalloutProbes])),
  };
}

describeCheck(unreachableFromControlPlane, {
  reports: [
    {
      name: 'replicas to which there is no route',
      facts: tried([noRoute, noRoute]),
      expect: { messageId: 'noRoute', confidence: 'observed' },
    },
    { name: 'one replica of two', facts: tried([allows, noRoute]), expect: { messageId: 'some' } },
    {
      name: 'a connection that something on the way ends',
      facts: tried([{ ...allows, proxy: proxySays('EOF') }]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a dry run that gets lost, though all replicas answer',
      facts: tried([allows, allows], { dryRun: dryRun(timedOut) }),
      expect: { messageId: 'clusterIp', confidence: 'observed' },
    },
    {
      name: 'a dry run that is turned away, though all replicas answer',
      facts: tried([allows, allows], { dryRun: turnedAway }),
      expect: { messageId: 'clusterIp', confidence: 'observed' },
    },
    {
      name: 'the same, while a call to another Service succeeds',
      facts: besideReached('ledger'),
      expect: { messageId: 'clusterIpAlone', confidence: 'observed' },
    },
    {
      name: 'the same, while a call succeeds over an open connection to a Pod that refuses new ones',
      facts: besideReached('ledger', refused),
      expect: { messageId: 'clusterIp', confidence: 'observed' },
    },
    {
      name: 'the same, while a call to the same Service succeeded',
      facts: besideReached('policy'),
      expect: { messageId: 'clusterIp', confidence: 'observed' },
    },
    {
      name: 'the API server could not connect when it called another webhook of the Service',
      facts: tried([allows, allows], {
        dialError: 'dial tcp 203.0.113.10:443: connect: no route to host',
      }),
      expect: { messageId: 'clusterIp', confidence: 'derived' },
    },
    {
      name: 'a dry run that is turned away; nothing shows whether the API server reaches the Pods',
      facts: tried([{ dialogues: allows.dialogues ?? [] }], {
        dryRun: dryRun(
          timedOut.replace(
            'context deadline exceeded',
            'dial tcp 203.0.113.10:443: connect: no route to host',
          ),
        ),
      }),
      expect: { messageId: 'dryRun', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'nothing listens', facts: tried([refused]), outcome: 'pass' },
    {
      name: 'the process hangs',
      facts: tried([ended({ stage: 'tls', kind: 'timed-out' }, proxySays(''))]),
      outcome: 'pass',
    },
    {
      name: 'the proxy was not asked',
      facts: tried([{ dialogues: allows.dialogues ?? [] }]),
      outcome: 'pass',
    },
    {
      name: 'the dry run met the one replica that does not listen',
      facts: tried([allows, refused], {
        dryRun: dryRun(
          timedOut.replace(
            'context deadline exceeded',
            'dial tcp 203.0.113.10:443: connect: connection refused',
          ),
        ),
      }),
      outcome: 'pass',
    },
    {
      name: 'an aggregated API returns an error to the API server',
      facts: tried([allows], {
        discovery: { status: 503, message: 'service unavailable', milliseconds: 2 },
        facts: {
          callouts: [
            aggregatedApi({
              conditions: [
                {
                  type: 'Available',
                  status: 'False',
                  reason: 'FailedDiscoveryCheck',
                  message:
                    'failing or missing response from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: bad status from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: 500',
                },
              ],
            }),
          ],
        },
      }),
      outcome: 'pass',
    },
    {
      name: 'the dry run runs out of time, and the replicas take nearly as long',
      facts: tried([after(6000), after(8400)], { dryRun: dryRun(timedOut) }),
      outcome: 'pass',
    },
    {
      name: 'the dry run fails as the replicas do',
      facts: tried([refused], { dryRun: dryRun(timedOut) }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
