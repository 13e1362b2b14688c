import { expect } from 'chai';
import { otherApiServers } from '../../../src/collect/collectors/api-server/metrics.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';

const slice = (over: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name: 'kubernetes', namespace: 'default' },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 6443 }],
  endpoints: [
    { addresses: ['192.0.2.10'] },
    { addresses: ['192.0.2.11'] },
    { addresses: ['192.0.2.12'], conditions: { ready: false } },
  ],
  ...over,
});
const others = (server: string, ...slices: readonly EndpointSlice[]) =>
  otherApiServers({ endpointSlices: complete([['default/kubernetes', slices]]) }, server);

describe('addresses of API servers', () => {
  it('are those of the Service kubernetes that are ready, without the known one', () => {
    expect(others('https://192.0.2.10:6443', slice())).to.deep.equal(['192.0.2.11:6443']);
    expect(others('https://lb.example:6443', slice())).to.have.length(2);
    const usual = slice({ ports: [{ name: 'https', port: 443 }] });
    expect(others('https://192.0.2.10', usual)).to.deep.equal(['192.0.2.11:443']);
  });
  it('may be IPv6 addresses, and in several slices', () => {
    const six = slice({ addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }] });
    expect(others('https://192.0.2.10:6443', slice(), six, slice())).to.deep.equal([
      '192.0.2.11:6443',
      '[2001:db8::1]:6443',
    ]);
    expect(others('https://[2001:db8::1]:6443', six)).to.deep.equal([]);
  });
  it('are limited in number', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ addresses: [`198.51.100.${index}`] }));
    expect(others('https://lb.example', slice({ endpoints: many }))).to.have.length(16);
  });
  it('are none if the user may not read them', () => {
    const endpointSlices = nothingRead<readonly EndpointSlice[]>({
      what: 'endpointslices',
      why: 'forbidden',
    });
    expect(otherApiServers({ endpointSlices }, 'https://192.0.2.10:6443')).to.deep.equal([]);
    expect(others('https://192.0.2.10:6443')).to.deep.equal([]);
  });
});
