import { expect } from 'chai';
import { looksHealthy } from '../../src/collect/suspect-backends.ts';
import type { Endpoint } from '../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../src/facts/objects/service.ts';
import { port, service, slice } from '../support/snapshot.ts';

const of = (name: string, conditions: Endpoint['conditions'] = { ready: true }): Endpoint => ({
  addresses: ['198.51.100.7'],
  conditions,
  targetRef: { kind: 'Pod', namespace: 'shop', name },
});
const bare: Endpoint = { addresses: ['198.51.100.9'], conditions: {} };
const withoutSelector: Service = { ...service(), spec: { clusterIP: '203.0.113.10', ports: [port()] } };

describe('looksHealthy', () => {
  const whole: readonly (readonly [string, Service, readonly Endpoint[]])[] = [
    ['two Pods of one ReplicaSet', service(), [of('policy-6d4cf56db6-abcde'), of('policy-6d4cf56db6-fghij')]],
    [
      'Pods of two ReplicaSets of one Deployment',
      service(),
      [of('policy-6d4cf56db6-x2x7k'), of('policy-7c9f5b8d6d-zzzzz')],
    ],
    ['Pods of a StatefulSet', service(), [of('policy-0'), of('policy-1')]],
    ['Pods of a DaemonSet', service(), [of('policy-abcde'), of('policy-2x4z9')]],
    ['addresses by hand where there is no selector', withoutSelector, [bare]],
  ];
  for (const [name, given, endpoints] of whole) {
    it(`is true for ${name}`, () => expect(looksHealthy(given, [slice(endpoints)], 443)).to.equal(true));
  }

  const odd: readonly (readonly [string, Service, readonly Endpoint[]])[] = [
    ['no endpoint', service(), []],
    ['one that is not ready', service(), [of('policy-0'), of('policy-1', { ready: false })]],
    ['one that ends', service(), [of('policy-0'), of('policy-1', { ready: true, terminating: true })]],
    ['Pods of two workloads', service(), [of('policy-6d4cf56db6-abcde'), of('policy-agent-xk2lm')]],
    ['an address without a Pod beside a selector', service(), [of('policy-0'), bare]],
    ['a Pod named by hand where there is no selector', withoutSelector, [of('policy-0')]],
    [
      'published addresses of Pods that are not ready',
      service({ publishNotReadyAddresses: true }),
      [of('policy-0')],
    ],
  ];
  for (const [name, given, endpoints] of odd) {
    it(`is false for ${name}`, () => expect(looksHealthy(given, [slice(endpoints)], 443)).to.equal(false));
  }

  it('checks only the called port', () => {
    const two = service({ ports: [port({ name: 'https' }), port({ name: 'metrics', port: 8080 })] });
    const metrics = slice([of('policy-1', { ready: false })], { ports: [{ name: 'metrics', port: 8080 }] });
    const https = slice([of('policy-0')], { ports: [{ name: 'https', port: 8443 }] });
    expect(looksHealthy(two, [https, metrics], 443)).to.equal(true);
    expect(looksHealthy(two, [metrics], 443)).to.equal(false);
  });
});
