import { expect } from 'chai';
import { endpointsOf, usable } from '../../../src/apiserver/routing/endpoints.ts';
import type { Endpoint, EndpointConditions } from '../../../src/facts/objects/endpoint-slice.ts';
import { port, service, slice } from '../../support/snapshot.ts';

const at = (address: string, conditions?: EndpointConditions): Endpoint =>
  conditions === undefined ? { addresses: [address] } : { addresses: [address], conditions };
const addresses = (endpoints: readonly { readonly address: string; readonly port: number }[]): string[] =>
  endpoints.map((endpoint) => `${endpoint.address}:${endpoint.port}`);

describe('endpointsOf', () => {
  it('finds the port by name in each slice, an unnamed one as the empty name', () => {
    const slices = [
      slice([at('198.51.100.1')], {
        ports: [
          { name: 'https', port: 8443 },
          { name: 'metrics', port: 9090 },
        ],
      }),
      slice([at('198.51.100.2')], { ports: [{ name: 'https', port: 9443 }] }),
      slice([at('198.51.100.3')], { ports: [{ port: 7443 }] }),
    ];
    expect(addresses(endpointsOf(service(), port({ name: 'https' }), slices))).to.deep.equal([
      '198.51.100.1:8443',
      '198.51.100.2:9443',
    ]);
    expect(addresses(endpointsOf(service(), port(), slices))).to.deep.equal(['198.51.100.3:7443']);
  });

  it('reads conditions with their defaults, and only the first address', () => {
    const [endpoint] = endpointsOf(service(), port(), [
      slice([{ addresses: ['198.51.100.1', '198.51.100.9'] }]),
    ]);
    expect(endpoint).to.deep.equal({
      address: '198.51.100.1',
      port: 8443,
      family: 'IPv4',
      protocol: 'TCP',
      ready: true,
      serving: true,
      terminating: false,
      slice: 'policy-x',
    });
  });

  it('contains the name of the Pod', () => {
    const [endpoint] = endpointsOf(service(), port(), [slice()]);
    expect(endpoint).to.deep.include({
      pod: { namespace: 'shop', name: 'policy-1', uid: 'uid-1' },
    });
  });

  it('is empty for slices without ports, without endpoints, or with a port without a number', () => {
    for (const over of [{ ports: null }, { ports: [] }, { endpoints: null }, { ports: [{ name: '' }] }]) {
      expect(endpointsOf(service(), port(), [slice(undefined, over)])).to.deep.equal([]);
    }
  });

  it('contains an address in two slices once: the Pod that is not terminating', () => {
    const going = at('198.51.100.1', { ready: false, serving: true, terminating: true });
    const staying = at('198.51.100.1', { ready: true });
    for (const order of [
      [going, staying],
      [staying, going],
    ]) {
      const found = endpointsOf(
        service(),
        port(),
        order.map((endpoint) => slice([endpoint])),
      );
      expect(found.map(({ terminating }) => terminating)).to.deep.equal([false]);
    }
  });
});

describe('usable', () => {
  const ready = at('198.51.100.1', { ready: true });
  const starting = at('198.51.100.2', { ready: false, serving: false });
  const draining = at('198.51.100.3', { ready: false, serving: true, terminating: true });
  const dying = at('198.51.100.4', { ready: false, serving: false, terminating: true });
  const found = (endpoints: Endpoint[], mode: 'cluster-ip' | 'endpoints'): string[] =>
    usable(endpointsOf(service(), port(), [slice(endpoints)]), mode, service()).map(({ address }) => address);

  it('returns the ready ones in both modes', () => {
    for (const mode of ['cluster-ip', 'endpoints'] as const) {
      expect(found([ready, starting, draining], mode)).to.deep.equal(['198.51.100.1']);
    }
  });

  it('falls back to terminating ones only behind kube-proxy', () => {
    expect(found([starting, draining, dying], 'cluster-ip')).to.deep.equal(['198.51.100.3']);
    expect(found([starting, draining, dying], 'endpoints')).to.deep.equal([]);
  });

  it('returns only endpoints that kube-proxy uses for the address of the Service', () => {
    const ipv6 = slice([at('2001:db8::1')], { addressType: 'IPv6' });
    const name = slice([at('policy.example.com')], { addressType: 'FQDN' });
    const udp = slice([at('198.51.100.2')], { ports: [{ port: 8443, protocol: 'UDP' }] });
    for (const only of [ipv6, name, udp]) {
      const endpoints = endpointsOf(service(), port(), [only]);
      expect(usable(endpoints, 'cluster-ip', service())).to.deep.equal([]);
      expect(usable(endpoints, 'endpoints', service())).to.have.length(1);
      expect(usable(endpoints, 'cluster-ip', service({ clusterIP: 'None' }))).to.have.length(1);
    }
    const dual = endpointsOf(service(), port(), [ipv6, slice([ready])]);
    expect(addresses(usable(dual, 'cluster-ip', service()))).to.deep.equal(['198.51.100.1:8443']);
    expect(addresses(usable(dual, 'cluster-ip', service({ clusterIP: '2001:db8::10' })))).to.deep.equal([
      '2001:db8::1:8443',
    ]);
  });
});
