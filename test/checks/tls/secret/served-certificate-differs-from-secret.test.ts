import { servedCertificateDiffersFromSecret } from '../../../../src/checks/tls/secret/served-certificate-differs-from-secret.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects } from '../../../support/snapshot.ts';
import { inDays } from '../bundles.ts';
import { anotherRoot, issued, mounting, mountingConfigMap, pem, secret, served, silent } from '../serving.ts';

const good = issued();

const renewed = issued({ server: { serial: 2000n, notAfter: inDays(200) } });
const withSecret = (chain: readonly Buffer[]) => ({
  pods: lists({ 'shop/policy': [mounting()] }),
  secrets: objects(secret({ 'tls.crt': pem(chain) })),
});
const old = { presented: good.presented };

/** The CA and the certificate in Secret and caBundle were renewed a day ago, when the first Pod started. */
const next = issued({ root: { key: testKey('p256', 5) }, server: { notBefore: inDays(-1) } });
const written = '2025-12-31T00:00:00Z';
const startedAt = (at: string, name: string) => ({
  ...mounting(),
  metadata: { namespace: 'shop', name },
  status: {
    phase: 'Running' as const,
    containerStatuses: [
      { name: 'webhook', ready: true, restartCount: 0, state: { running: { startedAt: at } } },
    ],
  },
});
const afterRenewal = (seen: Parameters<typeof served>[1], at: string, leader = '') =>
  served(next.root, seen, {
    pods: lists({ 'shop/policy': [startedAt(at, 'policy-1'), startedAt(at, 'policy-2')] }),
    secrets: objects(
      secret({ 'tls.crt': pem(next.presented) }, { writers: [{ manager: 'controller', at: written }] }),
    ),
    leases: lists({
      shop: [{ metadata: { namespace: 'shop', name: 'policy' }, spec: { holderIdentity: leader } }],
    }),
  });
/** The self-signed certificate that controller-runtime generates for metrics. */
const metrics = {
  presented: issued({
    root: { subject: { cn: 'localhost-ca' } },
    server: { names: [{ dns: 'localhost' }], notBefore: inDays(-2) },
  }).presented,
};
const ofCanary = issued({ server: { names: [{ dns: 'canary.shop.svc' }], notBefore: inDays(-20) } });
const podOf = (name: string, secretName: string) => ({
  ...mounting(undefined, secretName),
  metadata: { namespace: 'shop', name },
});
const outdated = issued({ server: { notBefore: inDays(-300), notAfter: inDays(-2) } });

/** Two Pods that mount the Secret at these sub-paths, or as a directory. */
const bySubPath = (subPaths: readonly (string | undefined)[]) => {
  const pod = startedAt('2025-12-01T00:00:00Z', 'policy-1');
  const volume = pod.spec.volumes?.[0]?.name ?? '';
  const volumeMounts = subPaths.map((subPath) => ({
    name: volume,
    mountPath: `/certs/${subPath ?? ''}`,
    ...(subPath && { subPath }),
  }));
  const spec = { ...pod.spec, containers: [{ name: 'webhook', volumeMounts }] };
  const named = (name: string) => ({ ...pod, metadata: { namespace: 'shop', name }, spec });
  return lists({ 'shop/policy': [named('policy-1'), named('policy-2')] });
};

describeCheck(servedCertificateDiffersFromSecret, {
  reports: [
    {
      name: 'a Secret that was renewed',
      facts: served(good.root, [old, old], withSecret(renewed.presented)),
      expect: {
        messageId: 'accepted',
        confidence: 'observed',
        data: { secretOrConfigMap: 'Secret shop/policy-tls', day: '2026-03-22' },
      },
    },
    {
      name: 'a ConfigMap that was renewed',
      facts: served(good.root, [old, old], {
        pods: lists({ 'shop/policy': [mountingConfigMap()] }),
        configMaps: objects(secret({ 'tls.crt': pem(renewed.presented) })),
      }),
      expect: {
        messageId: 'accepted',
        data: { secretOrConfigMap: 'ConfigMap shop/policy-tls', day: '2026-03-22' },
      },
    },
    {
      name: 'one that the caBundle does not fit',
      facts: served(good.root, [old], withSecret(anotherRoot('new').presented)),
      expect: { messageId: 'rejected' },
    },
    {
      name: 'a CA that was renewed in Secret and caBundle, while both processes serve what the old one signed',
      facts: afterRenewal([old, old], '2025-12-01T00:00:00Z'),
      expect: {
        messageId: 'notReloaded',
        confidence: 'observed',
        data: {
          certificate: 'The certificate that both Pods serve',
          isOld: 'is outdated',
          secretOrConfigMap: 'Secret shop/policy-tls',
        },
      },
    },
    {
      name: 'the same where the files are mounted with subPath, which the kubelet never updates',
      facts: { ...afterRenewal([old, old], '2025-12-01T00:00:00Z'), pods: bySubPath(['tls.crt', 'tls.key']) },
      expect: { messageId: 'notUpdated' },
    },
    {
      name: 'the same where one container mounts the directory, too',
      facts: { ...afterRenewal([old, old], '2025-12-01T00:00:00Z'), pods: bySubPath(['tls.crt', undefined]) },
      expect: { messageId: 'notReloaded' },
    },
    {
      name: 'a certificate that ended in the process and was renewed in the Secret',
      facts: served(outdated.root, [{ presented: outdated.presented }], withSecret(good.presented)),
      expect: {
        messageId: 'notReloaded',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          isOld: 'expired on 2025-12-30',
          secretOrConfigMap: 'Secret shop/policy-tls',
        },
      },
    },
    {
      name: 'one of two that has not loaded the new one',
      facts: afterRenewal([old, { presented: next.presented }], '2025-12-01T00:00:00Z'),
      expect: {
        messageId: 'someNotReloaded',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          isOld: 'is outdated',
          secretOrConfigMap: 'Secret shop/policy-tls',
        },
      },
    },
    {
      name: 'only the leader has loaded the new one, and was running when it was written',
      facts: afterRenewal([old, { presented: next.presented }], '2025-12-01T00:00:00Z', 'policy-2_0a1b'),
      expect: {
        messageId: 'leaderReloaded',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          isOld: 'is outdated',
          secretOrConfigMap: 'Secret shop/policy-tls',
          leader: 'policy-2',
        },
      },
    },
    {
      name: 'one that is not the leader has loaded the new one',
      facts: afterRenewal([old, { presented: next.presented }], '2025-12-01T00:00:00Z', 'policy-1_0a1b'),
      expect: { messageId: 'someNotReloaded' },
    },
  ],
  reportsNothing: [
    {
      name: 'another server of the Pods, with a certificate of its own',
      facts: served(next.root, [metrics, metrics], afterRenewal([metrics, metrics], '2025-12-30T00:00:00Z')),
      outcome: 'pass',
    },
    {
      name: 'the process started after the Secret was written: it takes its certificate from elsewhere',
      facts: afterRenewal([old, { presented: next.presented }], '2025-12-31T08:00:00Z'),
      outcome: 'pass',
    },
    {
      name: 'the Pod mounts another Secret than the Pod whose certificate is for the Service',
      facts: served(good.root, [{ presented: ofCanary.presented }, { presented: good.presented }], {
        pods: lists({ 'shop/policy': [podOf('policy-1', 'canary-tls'), podOf('policy-2', 'policy-tls')] }),
        secrets: objects(
          secret({ 'tls.crt': pem(good.presented) }),
          secret(
            { 'tls.crt': pem(ofCanary.presented) },
            { metadata: { namespace: 'shop', name: 'canary-tls' } },
          ),
        ),
      }),
      outcome: 'pass',
    },
    ...silent(),
    { name: 'they agree', facts: served(good.root, [old, old], withSecret(good.presented)), outcome: 'pass' },
    {
      name: 'replicas differ among themselves, which another check reports',
      facts: served(good.root, [old, { presented: renewed.presented }], withSecret(renewed.presented)),
      outcome: 'pass',
    },
    {
      name: 'no Secret is mounted',
      facts: served(good.root, [old], { secrets: objects() }),
      outcome: 'pass',
    },
  ],
});
