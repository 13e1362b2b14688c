import { expect } from 'chai';
import { type Route, routeTo } from '../../../src/apiserver/routing/route.ts';
import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import type { RoutingMode } from '../../../src/facts/snapshot.ts';
import { port, service, slice } from '../../support/snapshot.ts';

const reference = { namespace: 'shop', name: 'policy', port: 443 };
const brief = (route: Route): string => (route.kind === 'dials' ? `dials ${route.address}` : route.text);
const six: EndpointSlice = slice([{ addresses: ['2001:db8::7'] }], { addressType: 'IPv6' });
const unready: EndpointSlice = slice([{ addresses: ['198.51.100.7'], conditions: { ready: false } }]);
const both = (text: string): Readonly<Record<RoutingMode, string>> => ({
  'cluster-ip': text,
  endpoints: text,
});

interface Case {
  readonly of: string;
  readonly service: Service | undefined;
  readonly slices?: readonly EndpointSlice[];
  readonly port?: number;
  readonly says: Readonly<Record<RoutingMode, string>>;
}

const cases: readonly Case[] = [
  { of: 'a missing Service', service: undefined, says: both('service "policy" not found') },
  {
    of: 'a healthy Service',
    service: service(),
    says: { 'cluster-ip': 'dials 203.0.113.10:443', endpoints: 'dials 198.51.100.7:8443' },
  },
  {
    of: 'a LoadBalancer',
    service: service({ type: 'LoadBalancer' }),
    says: { 'cluster-ip': 'dials 203.0.113.10:443', endpoints: 'dials 198.51.100.7:8443' },
  },
  {
    of: 'a headless Service',
    service: service({ clusterIP: 'None' }),
    says: {
      'cluster-ip': 'cannot route to service with ClusterIP "None"',
      endpoints: 'dials 198.51.100.7:8443',
    },
  },
  {
    of: 'a headless Service without the port',
    service: service({ clusterIP: 'None', ports: [] }),
    says: {
      'cluster-ip': 'cannot route to service with ClusterIP "None"',
      endpoints: 'no service port 443 found for service "policy"',
    },
  },
  {
    of: 'an ExternalName, whose ports nobody asks for',
    service: service({ type: 'ExternalName', externalName: 'policy.example.com', ports: [] }),
    port: 8443,
    says: {
      'cluster-ip': 'dials policy.example.com:8443',
      endpoints: 'unsupported service type "ExternalName"',
    },
  },
  {
    of: 'a port that is missing',
    service: service(),
    port: 8443,
    says: both('no service port 8443 found for service "policy"'),
  },
  {
    of: 'no slice',
    service: service(),
    slices: [],
    says: {
      'cluster-ip': 'dials 203.0.113.10:443',
      endpoints: 'no endpoints available for service "policy"',
    },
  },
  {
    of: 'endpoints that are not ready',
    service: service(),
    slices: [unready],
    says: {
      'cluster-ip': 'dials 203.0.113.10:443',
      endpoints: 'no endpoints available for service "policy"',
    },
  },
  {
    of: 'another port name in the slices',
    service: service({ ports: [port({ name: 'https' })] }),
    says: {
      'cluster-ip': 'dials 203.0.113.10:443',
      endpoints: 'no endpoints available for service "policy"',
    },
  },
  {
    of: 'IPv6',
    service: service({ clusterIP: '2001:db8:1::10', ipFamilies: ['IPv6'] }),
    slices: [six],
    says: { 'cluster-ip': 'dials [2001:db8:1::10]:443', endpoints: 'dials [2001:db8::7]:8443' },
  },
  {
    of: 'two families, the first of which is preferred',
    service: service({ ipFamilies: ['IPv6', 'IPv4'] }),
    slices: [slice(), six],
    says: { 'cluster-ip': 'dials 203.0.113.10:443', endpoints: 'dials [2001:db8::7]:8443' },
  },
  {
    of: 'two families of which only the second is ready',
    service: service({ ipFamilies: ['IPv6', 'IPv4'] }),
    slices: [
      slice(),
      slice([{ addresses: ['2001:db8::7'], conditions: { ready: false } }], { addressType: 'IPv6' }),
    ],
    says: { 'cluster-ip': 'dials 203.0.113.10:443', endpoints: 'dials 198.51.100.7:8443' },
  },
  {
    of: 'a Service without a selector',
    service: { ...service(), spec: { clusterIP: '203.0.113.10', ports: [port()] } },
    says: { 'cluster-ip': 'dials 203.0.113.10:443', endpoints: 'dials 198.51.100.7:8443' },
  },
  {
    of: 'two ports of one number, the first of which counts',
    service: service({ ports: [port({ name: 'udp', protocol: 'UDP' }), port({ name: '' })] }),
    says: {
      'cluster-ip': 'dials 203.0.113.10:443',
      endpoints: 'no endpoints available for service "policy"',
    },
  },
];

describe('routeTo', () => {
  for (const { of, service: object, slices = [slice()], port: number = 443, says } of cases) {
    for (const mode of ['cluster-ip', 'endpoints'] as const) {
      it(`${mode}, ${of}: ${says[mode]}`, () => {
        expect(
          brief(routeTo({ reference: { ...reference, port: number }, service: object, slices }, mode)),
        ).to.equal(says[mode]);
      });
    }
  }

  it('names an Endpoints object up to 1.33', () => {
    expect(brief(routeTo({ reference, service: service(), slices: [] }, 'endpoints', 'v1.33.9'))).to.equal(
      'endpoints "policy" not found',
    );
    expect(
      brief(routeTo({ reference, service: service(), slices: [unready] }, 'endpoints', 'v1.33.9')),
    ).to.equal('no endpoints available for service "policy"');
  });

  it('uses, behind a ClusterIP, only endpoints of its own family', () => {
    const route = routeTo({ reference, service: service(), slices: [six] }, 'cluster-ip');
    expect(route).to.deep.include({ kind: 'dials', via: 'cluster-ip', endpoints: [] });
  });

  it('reports that only endpoints of the own node count, and why no proxy has a rule', () => {
    const local = routeTo(
      { reference, service: service({ internalTrafficPolicy: 'Local' }), slices: [slice()] },
      'cluster-ip',
    );
    expect(local).to.deep.include({ localOnly: true });
    const udp = routeTo(
      { reference, service: service({ ports: [port({ protocol: 'UDP' })] }), slices: [slice()] },
      'cluster-ip',
    );
    expect(udp).to.deep.include({ unproxied: 'protocol' });
    const other = service({}, { labels: { 'service.kubernetes.io/service-proxy-name': 'mine' } });
    expect(routeTo({ reference, service: other, slices: [slice()] }, 'cluster-ip')).to.deep.include({
      unproxied: 'label',
    });
    expect(routeTo({ reference, service: service(), slices: [slice()] }, 'cluster-ip')).not.to.have.property(
      'unproxied',
    );
  });

  it('uses the TCP port if kube-proxy does, even if a UDP port of the number comes first', () => {
    const both = service({ ports: [port({ name: 'udp', protocol: 'UDP' }), port({ name: '' })] });
    const route = routeTo({ reference, service: both, slices: [slice()] }, 'cluster-ip');
    expect(route).not.to.have.property('unproxied');
    expect(route).to.have.property('endpoints').with.length(1);
  });

  it('returns loopback for the Service of the API server itself', () => {
    const own = { namespace: 'default', name: 'kubernetes', port: 443 };
    for (const mode of ['cluster-ip', 'endpoints'] as const) {
      expect(routeTo({ reference: own, service: undefined, slices: [] }, mode)).to.deep.include({
        kind: 'dials',
        via: 'loopback',
      });
    }
    expect(
      brief(routeTo({ reference: { ...own, port: 444 }, service: undefined, slices: [] }, 'endpoints')),
    ).to.equal('service "kubernetes" not found');
  });
});
