import { expect } from 'chai';
import { isNeverDialed, unavailableBecause } from '../../../src/apiserver/aggregation/availability.ts';
import { routeTo } from '../../../src/apiserver/routing/route.ts';
import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import { aggregatedApi, port, service, slice } from '../../support/snapshot.ts';

const reference = { namespace: 'shop', name: 'policy', port: 443 };
const unready = slice([{ addresses: ['198.51.100.7'], conditions: { ready: false } }]);

describe('unavailableBecause', () => {
  const table: readonly (readonly [
    string,
    Service | undefined,
    readonly EndpointSlice[],
    string | undefined,
  ])[] = [
    ['a healthy Service', service(), [slice()], undefined],
    ['a missing Service', undefined, [], 'ServiceNotFound: service/policy in "shop" is not present'],
    [
      'a missing port',
      service({ ports: [port({ port: 8443 })] }),
      [slice()],
      'ServicePortError: service/policy in "shop" is not listening on port 443',
    ],
    ['no slice', service(), [], 'EndpointsNotFound: cannot find endpointslices for service/policy in "shop"'],
    [
      'no ready endpoint',
      service(),
      [unready],
      'MissingEndpoints: endpointslices for service/policy in "shop" have no addresses with port name ""',
    ],
    [
      'another port name',
      service({ ports: [port({ name: 'https' })] }),
      [slice()],
      'MissingEndpoints: endpointslices for service/policy in "shop" have no addresses with port name "https"',
    ],
    [
      'a headless Service',
      service({ clusterIP: 'None' }),
      [slice()],
      'FailedDiscoveryCheck: cannot route to service with ClusterIP "None"',
    ],
    ['a NodePort without endpoints, which nobody asks for', service({ type: 'NodePort' }), [], undefined],
  ];
  for (const [of, object, slices, expected] of table) {
    it(`${of}: ${expected ?? 'asks the backend'}`, () => {
      const referenced = { reference, service: object, slices };
      const because = unavailableBecause(referenced, routeTo(referenced, 'cluster-ip'));
      expect(because && `${because.reason}: ${because.message}`).to.equal(expected);
    });
  }

  it('names endpoints before 1.34', () => {
    const referenced = { reference, service: service(), slices: [] };
    const route = routeTo(referenced, 'cluster-ip');
    expect(unavailableBecause(referenced, route, 'v1.33.0')?.message).to.equal(
      'cannot find endpoints for service/policy in "shop"',
    );
  });
});

describe('neverAsked', () => {
  const words = Buffer.from('words').toString('base64');
  const table = [
    ['v1.36.0', words, false, true],
    ['v1.35.4', words, false, false],
    ['v1.37.1', words, true, false],
    ['v1.37.1', '', false, false],
  ] as const;
  for (const [version, caBundle, insecureSkipTLSVerify, never] of table) {
    it(`${version}, caBundle "${caBundle}", ${insecureSkipTLSVerify ? 'unverified' : 'verified'}: ${never}`, () => {
      const { client } = aggregatedApi();
      const callout = aggregatedApi({ insecureSkipTLSVerify, client: { ...client, caBundle } });
      expect(isNeverDialed(callout, version)).to.equal(never);
    });
  }
});
