import { certificateWriterNotLeader } from '../../../../src/checks/tls/writer/certificate-writer-not-leader.ts';
import type { AdmissionCallout } from '../../../../src/facts/callout.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, takenAt } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { issued, mounting, pem, secret, served } from '../serving.ts';
import { checkJob, empty, inShop, ofRevision, patchJob, withBundle } from '../writers.ts';

const old = ofRevision('5d4f8c7b9', '2025-11-01T00:00:00Z');
const next = ofRevision('6c9f7d8b5', '2025-12-31T00:00:00Z');
const crashing = ofRevision('6c9f7d8b5', '2025-12-31T00:00:00Z', {
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'manager',
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      },
    ],
  },
});
const leaseOf = (holderIdentity: string, renewTime = takenAt) => ({
  metadata: { namespace: 'shop', name: 'policy-leader' },
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});
const beside = (pods: readonly (typeof old)[], holder: string) => ({
  namespacePods: inShop(...pods),
  leases: inShop(leaseOf(holder)),
});
const evicted = ofRevision('5d4f8c7b9', '2025-11-01T00:00:00Z', {
  status: { phase: 'Failed', reason: 'Evicted' },
});
const leaving = (deletionTimestamp: string) =>
  ofRevision('5d4f8c7b9', '2025-11-01T00:00:00Z', { metadata: { deletionTimestamp } });
/** The lock of operator-sdk's leader-for-life and vault-k8s: it is deleted with its owner. */
const lock = {
  namespace: 'shop',
  name: 'policy-lock',
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: evicted.metadata.name, uid: 'uid-5d4f8c7b9' }],
};
const good = issued();

const past = '2025-12-31T22:00:00.000000Z';
/** An expired Lease of a deleted Pod, beside a certificate that the caBundle does not trust. */
const abandoned = (over: Partial<Facts>) =>
  withBundle(
    empty,
    {},
    {
      pods: lists({ 'shop/policy': [mounting()] }),
      secrets: objects(secret({ 'tls.crt': pem(good.presented) })),
      namespacePods: inShop(next),
      leases: inShop(leaseOf('policy-5d4f8c7b9-x2x4k_uuid', past)),
      ...over,
    },
  );

/** The caBundle was written by this field manager. */
const writtenBy = (manager: string) => [
  {
    manager,
    operation: 'Update',
    fieldsV1: {
      'f:webhooks': {
        'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:caBundle': {} } },
      },
    },
  },
];

/** The same, and this field manager wrote the caBundle. */
function abandonedBeside(manager: string): Partial<Facts> {
  const facts = abandoned({});
  const [callout] = facts.callouts as readonly [AdmissionCallout];
  const metadata = { ...callout.metadata, managedFields: writtenBy(manager) };
  return { ...facts, callouts: [{ ...callout, metadata }] };
}

describeCheck(certificateWriterNotLeader, {
  reports: [
    {
      name: 'a new revision that waits for a Lease which the old one renews',
      facts: withBundle(empty, {}, beside([old, next], 'policy-5d4f8c7b9-abcde_uuid')),
      expect: {
        messageId: 'waitsForLease',
        data: {
          writer: 'Pod shop/policy-6c9f7d8b5-abcde',
          detail: 'Lease shop/policy-leader, which Pod policy-5d4f8c7b9-abcde of an older revision holds',
        },
      },
    },
    {
      name: 'a Lease that a Pod which no longer exists holds for a long time',
      facts: withBundle(
        empty,
        {},
        {
          namespacePods: inShop(next),
          leases: inShop({
            ...leaseOf('policy-5d4f8c7b9-x2x4k_uuid', '2025-12-31T23:55:00.000000Z'),
            spec: {
              holderIdentity: 'policy-5d4f8c7b9-x2x4k_uuid',
              renewTime: '2025-12-31T23:55:00.000000Z',
              leaseDurationSeconds: 3600,
            },
          }),
        },
      ),
      expect: {
        messageId: 'leftLease',
        data: {
          writer: 'Pod shop/policy-6c9f7d8b5-abcde',
          detail: 'Lease shop/policy-leader of policy-5d4f8c7b9-x2x4k_uuid, for another 3300 s',
        },
      },
    },
    {
      name: 'an expired Lease of a Pod that no longer exists, which no Pod has acquired',
      facts: abandoned({}),
      expect: {
        messageId: 'leftLease',
        data: {
          writer: 'Pod shop/policy-6c9f7d8b5-abcde',
          detail: 'Lease shop/policy-leader of policy-5d4f8c7b9-x2x4k_uuid, not renewed for 2 h',
        },
      },
    },
    {
      name: 'such a Lease, where a running process of a product wrote the caBundle',
      facts: abandonedBeside('vc-webhook-manager'),
      expect: { messageId: 'leftLease' },
    },
    ...['policy-tls-smoke-test', 'policy-cert-expiry-check-29384', 'policy-cert-sync'].map((name) => ({
      name: `such a Lease beside Job ${name}, whose template names no object`,
      facts: abandoned({ jobs: inShop(checkJob(name)) }),
      expect: { messageId: 'leftLease' as const },
    })),
    {
      name: 'a lock that an evicted Pod still owns',
      facts: withBundle(empty, {}, { namespacePods: inShop(evicted, next), podConfigMaps: inShop(lock) }),
      expect: {
        messageId: 'waitsForLock',
        data: {
          writer: 'Pod shop/policy-6c9f7d8b5-abcde',
          detail: 'ConfigMap shop/policy-lock, which Pod policy-5d4f8c7b9-abcde (Evicted) still owns',
        },
      },
    },
    {
      name: 'a lock whose Pod stays in Terminating on a lost node',
      facts: withBundle(
        empty,
        {},
        { namespacePods: inShop(leaving('2025-12-31T00:00:00Z'), next), podConfigMaps: inShop(lock) },
      ),
      expect: {
        messageId: 'waitsForLock',
        data: {
          writer: 'Pod shop/policy-6c9f7d8b5-abcde',
          detail: 'ConfigMap shop/policy-lock, which Pod policy-5d4f8c7b9-abcde (Terminating) still owns',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'cert-manager fills the Secret beside an expired Lease',
      facts: abandoned({
        certificates: inShop({
          metadata: { namespace: 'shop', name: 'policy' },
          spec: { secretName: 'policy-tls', issuerRef: { name: 'ca' } },
        }),
      }),
      outcome: 'pass',
    },
    {
      name: 'a Job created the certificate, and no running process writes it',
      facts: abandoned({ jobs: inShop(patchJob({ succeeded: 1 })) }),
      outcome: 'pass',
    },
    {
      name: 'kube-webhook-certgen wrote the caBundle, and its Jobs no longer exist',
      facts: abandonedBeside('kube-webhook-certgen'),
      outcome: 'pass',
    },
    {
      name: 'a Pod holds another Lease beside an expired one',
      facts: abandoned({
        leases: inShop(leaseOf('policy-5d4f8c7b9-x2x4k_uuid', past), leaseOf('policy-6c9f7d8b5-abcde_uuid')),
      }),
      outcome: 'pass',
    },
    {
      name: 'the owner of the lock is being deleted in good order',
      facts: withBundle(
        empty,
        {},
        { namespacePods: inShop(leaving(takenAt), next), podConfigMaps: inShop(lock) },
      ),
      outcome: 'pass',
    },
    {
      name: 'the new revision leads',
      facts: withBundle(empty, {}, beside([old, next], 'policy-6c9f7d8b5-abcde_uuid')),
      outcome: 'pass',
    },
    {
      name: 'the new revision crashes, and waits for nothing',
      facts: withBundle(empty, {}, beside([old, crashing], 'policy-5d4f8c7b9-abcde_uuid')),
      outcome: 'pass',
    },
    {
      name: 'the Lease is not renewed, which another check reports',
      facts: withBundle(
        empty,
        {},
        {
          namespacePods: inShop(old, next),
          leases: inShop(leaseOf('policy-5d4f8c7b9-abcde_uuid', '2025-12-31T00:00:00Z')),
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'a Pod that has just been replaced holds the Lease for some seconds more',
      facts: withBundle(
        empty,
        {},
        {
          namespacePods: inShop(next),
          leases: inShop(leaseOf('policy-5d4f8c7b9-x2x4k_uuid', '2025-12-31T23:59:55.000000Z')),
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the owner of the lock runs',
      facts: withBundle(empty, {}, { namespacePods: inShop(old, next), podConfigMaps: inShop(lock) }),
      outcome: 'pass',
    },
    {
      name: 'an injector is asked for the caBundle',
      facts: withBundle(
        empty,
        {
          metadata: { name: 'policy', annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
        },
        beside([old, next], 'policy-5d4f8c7b9-abcde_uuid'),
      ),
      outcome: 'pass',
    },
    {
      name: 'the caBundle trusts what is served, in the middle of a rollout',
      facts: served(
        good.root,
        [{ presented: good.presented }],
        beside([old, next], 'policy-5d4f8c7b9-abcde_u'),
      ),
      outcome: 'pass',
    },
  ],
  isUnknown: [{ name: 'Jobs could not be listed', facts: withBundle(empty, {}, { jobs: forbidden() }) }],
});
