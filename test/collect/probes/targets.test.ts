import { expect } from 'chai';
import { targetsOf } from '../../../src/collect/probes/targets.ts';
import type { ServiceBacked } from '../../../src/facts/callout.ts';
import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { ServicePort } from '../../../src/facts/objects/service.ts';
import { healthy, lists, objects, service, slice, snapshotOf, webhook } from '../../support/snapshot.ts';

const endpoint = {
  addresses: ['198.51.100.11'],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
};
const port = (name: string, protocol: 'TCP' | 'UDP'): ServicePort => ({ name, port: 443, protocol });
const slicePort = (name: string, protocol: 'TCP' | 'UDP', number = 8443) => ({
  name,
  protocol,
  port: number,
});

/** `Pod port` of all targets behind these ports. */
function targets(
  ports: readonly ServicePort[],
  slicePorts: NonNullable<EndpointSlice['ports']>,
): readonly string[] {
  const { facts } = snapshotOf(
    healthy({
      services: objects(service({ ports })),
      endpointSlices: lists({ 'shop/policy': [slice([endpoint], { ports: slicePorts })] }),
    }),
  );
  const found = targetsOf(webhook() as ServiceBacked, facts);
  return 'why' in found ? [found.why] : found.map((target) => `${target.pod} ${target.port}`);
}

describe('the replicas that probes try behind a Service port', () => {
  it('are those of its EndpointSlices', () => {
    expect(targets([port('https', 'TCP')], [slicePort('https', 'TCP')])).to.deep.equal(['policy-1 8443']);
  });

  it('exist for a port of another protocol, which an API server that routes to endpoints ignores', () => {
    expect(targets([port('https', 'UDP')], [slicePort('https', 'UDP')])).to.deep.equal(['policy-1 8443']);
  });

  it('are those of both ports with one number, once each', () => {
    const both = [port('quic', 'UDP'), port('https', 'TCP')];
    const same = [slicePort('quic', 'UDP'), slicePort('https', 'TCP')];
    expect(targets(both, same)).to.deep.equal(['policy-1 8443']);
    const apart = [slicePort('quic', 'UDP', 8444), slicePort('https', 'TCP')];
    expect(targets(both, apart)).to.have.members(['policy-1 8443', 'policy-1 8444']);
  });

  it('are those of the only port if it has another number, and none if several ports are possible', () => {
    const other = { ...port('https', 'TCP'), port: 8443 };
    expect(targets([other], [slicePort('https', 'TCP')])).to.deep.equal(['policy-1 8443']);
    const third = { ...port('metrics', 'TCP'), port: 8080 };
    expect(targets([other, third], [slicePort('https', 'TCP')])).to.deep.equal([]);
  });
});
