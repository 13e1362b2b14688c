import { caInjectionBroken } from '../../../src/checks/tls/ca-injection-broken.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, takenAt } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { issued, pem, secret, trusted } from './serving.ts';

const good = issued();

const annotated = (annotation: string, value: string, caBundle = '') => [
  trusted(caBundle, {
    metadata: { name: 'policy', annotations: { [`cert-manager.io/${annotation}`]: value } },
  }),
];
const served = complete([
  [
    'served',
    {
      resources: [
        {
          group: 'cert-manager.io',
          version: 'v1',
          resource: 'certificates',
          kind: 'Certificate',
          namespaced: true,
          verbs: [],
        },
      ],
      kinds: [],
    } as never,
  ],
]);
const from = (value = 'shop/policy', over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({ callouts: annotated('inject-ca-from', value), served, ...over });
const certificate = (status?: 'True' | 'False') => ({
  metadata: { namespace: 'shop', name: 'policy' },
  spec: { secretName: 'policy-tls' },
  ...(status === undefined
    ? {}
    : {
        status: {
          conditions: [{ type: 'Ready', status, reason: 'DoesNotExist', message: 'Issuer is gone' }],
        },
      }),
});
const lease = (spec: object) => ({
  metadata: { namespace: 'kube-system', name: 'cert-manager-cainjector-leader-election' },
  spec,
});
const whole = {
  certificates: lists({ shop: [certificate('True')] }),
  secrets: objects(secret({ 'ca.crt': good.root, 'tls.crt': pem(good.presented) })),
};
const running = {
  leases: lists({
    'kube-system': [lease({ holderIdentity: 'x', renewTime: takenAt, leaseDurationSeconds: 60 })],
  }),
};

describeCheck(caInjectionBroken, {
  reports: [
    {
      name: 'a Certificate that is gone, while the old bundle still fits',
      facts: from('shop/policy', { callouts: annotated('inject-ca-from', 'shop/policy', good.root) }),
      expect: { messageId: 'certificateMissing' },
    },
    { name: 'an annotation without a namespace', facts: from('policy'), expect: { messageId: 'malformed' } },
    {
      name: 'cert-manager that is not there',
      facts: from('shop/policy', { served: complete([['served', { resources: [] } as never]]) }),
      expect: { messageId: 'notInstalled' },
    },
    { name: 'a Certificate that is not there', facts: from(), expect: { messageId: 'certificateMissing' } },
    {
      name: 'a Certificate that is not issued',
      facts: from('shop/policy', { certificates: lists({ shop: [certificate('False')] }) }),
      expect: { messageId: 'certificateNotReady' },
    },
    {
      name: 'a Secret that is gone',
      facts: from('shop/policy', { certificates: lists({ shop: [certificate('True')] }) }),
      expect: { messageId: 'secretMissing' },
    },
    {
      name: 'a Secret that may not be used',
      facts: healthy({
        callouts: annotated('inject-ca-from-secret', 'shop/policy-tls'),
        served,
        secrets: whole.secrets,
      }),
      expect: { messageId: 'secretNotAllowed' },
    },
    {
      name: 'a Secret without an authority',
      facts: from('shop/policy', { ...whole, secrets: objects(secret({ 'tls.crt': pem(good.presented) })) }),
      expect: { messageId: 'secretWithoutCa' },
    },
    {
      name: 'an injector that does not run',
      facts: from('shop/policy', {
        ...whole,
        leases: lists({
          'kube-system': [
            lease({ holderIdentity: 'x', renewTime: '2025-12-31T00:00:00Z', leaseDurationSeconds: 60 }),
          ],
        }),
      }),
      expect: { messageId: 'notRunning' },
    },
    {
      name: 'one that gave up its Lease',
      facts: from('shop/policy', {
        ...whole,
        leases: lists({ 'kube-system': [lease({ holderIdentity: '' })] }),
      }),
      expect: { messageId: 'notRunning' },
    },
  ],
  staysSilent: [
    {
      name: 'all is there and it runs',
      facts: from('shop/policy', { ...whole, ...running }),
      outcome: 'pass',
    },
    { name: 'no Lease tells whether it runs', facts: from('shop/policy', whole), outcome: 'pass' },
    { name: 'nobody is asked', facts: healthy(), outcome: 'not-applicable' },
    {
      name: 'Certificates could not be read',
      facts: from('shop/policy', { certificates: forbidden('certificates') }),
    },
  ],
});
