import { expect } from 'chai';
import { routingModeFrom, routingModeOf } from '../../../src/apiserver/routing/routing-mode.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import {
  aggregatedApi,
  healthy,
  lists,
  namespace,
  objects,
  pod,
  service,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';

const services = objects(service());
const slices = lists({ 'shop/policy': [slice()] });
const call = (cause: string, url = 'https://policy.shop.svc:443/validate?timeout=10s'): string =>
  `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "${url}": ${cause}`;
const discovery = (address: string): string =>
  `failing or missing response from https://${address}/apis/g/v1: Get "https://${address}/apis/g/v1": context deadline exceeded`;
const modeOf = (...texts: string[]): string | undefined =>
  routingModeOf(
    texts.map((text) => ({ text, where: 'an event' })),
    services,
    slices,
  ).mode;

describe('routingModeOf', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    [call('dial tcp 203.0.113.10:443: connect: connection refused'), 'cluster-ip'],
    [call('dial tcp 203.0.113.10:443: i/o timeout'), 'cluster-ip'],
    [call('read tcp 192.0.2.1:5000->203.0.113.10:443: read: connection reset by peer'), 'cluster-ip'],
    [call('cannot route to service with ClusterIP "None"'), 'cluster-ip'],
    [call('dial tcp 198.51.100.7:8443: connect: connection refused'), 'endpoints'],
    [call('no endpoints available for service "policy"'), 'endpoints'],
    [call('endpoints "policy" not found'), 'endpoints'],
    [call('unsupported service type "ExternalName"'), 'endpoints'],
    [discovery('203.0.113.10:443'), 'cluster-ip'],
    [discovery('198.51.100.7:8443'), 'endpoints'],
    // Both modes return these errors, or no Service and no endpoint has the address.
    [call('service "policy" not found'), undefined],
    [call('no service port 443 found for service "policy"'), undefined],
    [call('context deadline exceeded'), undefined],
    [call('dial tcp 192.0.2.99:443: connect: connection refused'), undefined],
    [call('dial tcp 198.51.100.7:443: connect: connection refused'), undefined],
    // Calls that do not go through a Service.
    [
      call('dial tcp 198.51.100.7:8443: connect: connection refused', 'https://hooks.example.com:8443/x'),
      undefined,
    ],
    // The address of another Service.
    [call('dial tcp 203.0.113.10:443: i/o timeout', 'https://other.shop.svc:443/?timeout=10s'), undefined],
    // services/proxy always goes to a Pod.
    ['error trying to reach service: dial tcp 198.51.100.7:8443: connect: connection refused', undefined],
    ['no endpoints available for service "https:policy:443"', undefined],
    [
      'Readiness probe failed: Get "https://198.51.100.7:8443/": dial tcp 198.51.100.7:8443: connect: connection refused',
      undefined,
    ],
    ['', undefined],
  ];
  for (const [text, mode] of table) {
    it(`${mode ?? 'nothing'} from ${text.slice(0, 160)}`, () => {
      expect(modeOf(text)).to.equal(mode);
    });
  }

  it('is unknown for the address of an external name', () => {
    const external = objects(service({ type: 'ExternalName', externalName: 'policy.example.com' }));
    const text = call('dial tcp 198.51.100.7:8443: connect: connection refused');
    expect(routingModeOf([{ text, where: 'an event' }], external, slices).mode).to.equal(undefined);
  });

  it('is that of Service addresses if the external name is looked up', () => {
    const external = objects(service({ type: 'ExternalName', externalName: 'policy.example.com' }));
    const modeFrom = (host: string) =>
      routingModeOf(
        [{ text: call(`dial tcp: lookup ${host} on 192.0.2.53:53: no such host`), where: 'an event' }],
        external,
        slices,
      ).mode;
    expect(modeFrom('policy.example.com')).to.equal('cluster-ip');
    // A proxy for the connections of the API server.
    expect(modeFrom('proxy.example.com')).to.equal(undefined);
  });

  it('is unknown for contradicting texts, with the reason', () => {
    const evidence = routingModeOf(
      [
        { text: call('no endpoints available for service "policy"'), where: 'a' },
        { text: call('dial tcp 203.0.113.10:443: i/o timeout'), where: 'b' },
      ],
      services,
      slices,
    );
    expect(evidence.mode).to.equal(undefined);
    expect(evidence.because).to.match(/^a: .*; but b: /);
  });
});

describe('routingModeFrom', () => {
  const because = 'no endpoints available for service "policy"';
  const event: Event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'ReplicaSet', namespace: 'shop', name: 'web' },
    message: `Error creating: ${call(because)}`,
  };
  const condition = (message: string) => [{ type: 'X', status: 'True' as const, message }];
  const from = (over: Parameters<typeof healthy>[0]) => routingModeFrom(snapshotOf(healthy(over)).facts);

  it('is unknown without evidence', () => {
    expect(from({})).to.deep.equal({ mode: undefined });
  });
  it('uses the API server’s response to a dry run', () => {
    const probed = (message: string) => {
      const dryRun = { operation: 'CREATE', resource: 'configmaps', status: 500, message, milliseconds: 4 };
      const probes = { level: 'review' as const, serverName: '', replicas: [], dryRun, notTried: [] };
      return from({ probes: complete([[calloutId(webhook()), probes]]) });
    };
    expect(probed(call('dial tcp 198.51.100.7:8443: connect: connection refused'))).to.deep.equal({
      mode: 'endpoints',
      because: `dry run for ${calloutId(webhook())}: ${call('dial tcp 198.51.100.7:8443: connect: connection refused').slice('Internal error occurred: '.length)}`,
    });
    expect(probed(call('dial tcp 203.0.113.10:443: i/o timeout')).mode).to.equal('cluster-ip');
    expect(probed('').mode).to.equal(undefined);
    expect(probed('configmaps is forbidden').mode).to.equal(undefined);
  });
  it('uses Events, and quotes them', () => {
    const evidence = from({ events: lists({ shop: [event] }) });
    expect(evidence).to.deep.equal({
      mode: 'endpoints',
      because: `event of ReplicaSet shop/web: ${call(because).slice('Internal error occurred: '.length)}`,
    });
  });
  it('uses the condition of an APIService that has only the resolver’s error', () => {
    expect(from({ callouts: [aggregatedApi({ conditions: condition(because) })] }).mode).to.equal(
      'endpoints',
    );
  });
  it('uses conditions of namespaces and workloads', () => {
    const status = { conditions: condition(call(because)) };
    expect(from({ namespaces: objects({ ...namespace(), status }) }).mode).to.equal('endpoints');
    expect(from({ workloads: lists({ shop: [workload({ status })] }) }).mode).to.equal('endpoints');
  });
  it('uses the flags of API servers if there is no other evidence', () => {
    const apiServer = (name: string, ...flags: readonly string[]) =>
      pod({
        metadata: { namespace: 'kube-system', name },
        spec: { containers: [{ name: 'kube-apiserver', command: ['kube-apiserver', ...flags] }] },
      });
    const flagged = (...pods: readonly Pod[]) => ({ apiServerPods: lists({ 'kube-apiserver': pods }) });
    const on = apiServer('a', '--enable-aggregator-routing=true');
    const off = apiServer('b', '--secure-port=6443');
    expect(from(flagged(on))).to.deep.equal({ mode: 'endpoints', because: 'flags of Pod a' });
    expect(from(flagged(apiServer('a', '--enable-aggregator-routing'))).mode).to.equal('endpoints');
    expect(from(flagged(off, apiServer('c', '--enable-aggregator-routing=false')))).to.deep.equal({
      mode: 'cluster-ip',
      because: 'flags of Pod b and Pod c',
    });
    expect(from(flagged(on, off))).to.deep.equal({ mode: undefined });
    expect(from(flagged())).to.deep.equal({ mode: undefined });
    expect(from({ ...flagged(off), events: lists({ shop: [event] }) }).mode).to.equal('endpoints');
  });
});
