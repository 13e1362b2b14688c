import { expect } from 'chai';
import { blame } from '../../../../src/apiserver/sentences/call-error/blamed.ts';
import { calloutId } from '../../../../src/facts/callout.ts';
import { aggregatedApi, conversion, webhook } from '../../../support/snapshot.ts';

const backend = (name: string) => ({
  client: { service: { namespace: 'shop', name, port: 443, path: '/validate' } },
});
const callouts = [
  webhook(backend('policy')),
  webhook({ ...backend('other'), configuration: 'other' }),
  webhook({ webhook: 'quota.example.com', configuration: 'quota', ...backend('quota') }),
  conversion(),
  aggregatedApi(),
];
const blamed = (text: string) => blame(text, callouts)?.callouts.map(calloutId);
const call = (name: string, service: string) =>
  `Internal error occurred: failed calling webhook "${name}": failed to call webhook: Post "https://${service}.shop.svc:443/validate?timeout=10s": EOF`;

describe('callouts that an error text is about', () => {
  const cases: readonly (readonly [string, string, readonly string[] | undefined])[] = [
    ['a webhook by its name', call('quota.example.com', 'quota'), ['validating/quota/quota.example.com']],
    [
      'of two of one name the one at the address',
      call('policy.example.com', 'other'),
      ['validating/other/policy.example.com'],
    ],
    [
      'both, where the text has no address',
      'admission webhook "policy.example.com" denied the request: no',
      ['validating/policy/policy.example.com', 'validating/other/policy.example.com'],
    ],
    [
      'a webhook whose name was lost, by its address',
      'failed calling webhook: Post "https://quota.shop.svc:443/validate?timeout=10s": EOF',
      ['validating/quota/quota.example.com'],
    ],
    [
      'a CRD',
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://x.y.svc:443/?timeout=30s": EOF',
      ['crd/widgets.example.com'],
    ],
    [
      'an APIService',
      'unable to retrieve the complete list of server APIs: metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1',
      ['apiservice/v1beta1.metrics.example.com'],
    ],
    [
      'no API whose name only begins like it',
      'unable to retrieve the complete list of server APIs: metrics.example.com/v1beta11: x',
      undefined,
    ],
    ['nobody that is not here', call('gone.example.com', 'policy'), undefined],
    ['nobody for what is no error of a call', 'exceeded quota: tight', undefined],
  ];
  for (const [name, text, expected] of cases) {
    it(name, () => expect(blamed(text)).to.deep.equal(expected));
  }
});
