import { replicasServeDifferentCertificates } from '../../../../src/checks/tls/certificate/replicas-serve-different-certificates.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects } from '../../../support/snapshot.ts';
import { anotherRoot, issued, mounting, pem, secret, served, silent } from '../serving.ts';

const good = issued();

const two = issued({ server: { serial: 2000n } });
const [one, other, bad] = [
  { presented: good.presented },
  { presented: two.presented },
  { presented: anotherRoot('gone').presented },
];
const running = (name: string) => ({
  ...mounting(),
  metadata: { namespace: 'shop', name },
  status: {
    phase: 'Running' as const,
    containerStatuses: [
      {
        name: 'webhook',
        ready: true,
        restartCount: 0,
        state: { running: { startedAt: '2025-12-01T00:00:00Z' } },
      },
    ],
  },
});
/** The Secret holds the certificate of Pod policy-2, written while both Pods ran or before. */
const ledBy = (leader: string, at: string) => ({
  pods: lists({ 'shop/policy': [running('policy-1'), running('policy-2')] }),
  secrets: objects(secret({ 'tls.crt': pem(two.presented) }, { writers: [{ manager: 'controller', at }] })),
  leases: lists({
    shop: [{ metadata: { namespace: 'shop', name: 'policy' }, spec: { holderIdentity: leader } }],
  }),
});
const withSecret = (chain: readonly Buffer[]) => ({
  pods: lists({ 'shop/policy': [mounting()] }),
  secrets: objects(secret({ 'tls.crt': pem(chain) })),
});

describeCheck(replicasServeDifferentCertificates, {
  reports: [
    {
      name: 'one of two that is rejected, while the Pods mount no certificate',
      facts: served(good.root, [one, bad]),
      expect: {
        messageId: 'ownAuthorities',
        data: { count: 2, rejected: 'policy-2' },
        confidence: 'observed',
      },
    },
    {
      name: 'one of another CA, while the Pods mount a Secret',
      facts: served(good.root, [one, bad], withSecret(two.presented)),
      expect: { messageId: 'someRejected' },
    },
    {
      name: 'one that has not taken up the Secret',
      facts: served(good.root, [one, other], withSecret(two.presented)),
      expect: {
        messageId: 'behind',
        data: { count: 2, behind: 'policy-1', secretOrConfigMap: 'Secret shop/policy-tls' },
      },
    },
    {
      name: 'only the leader has taken up the Secret, which was written while it ran',
      facts: served(good.root, [one, other], ledBy('policy-2_0a1b', '2025-12-31T00:00:00Z')),
      expect: {
        messageId: 'leaderReloaded',
        data: { leader: 'policy-2', behind: 'policy-1', secretOrConfigMap: 'Secret shop/policy-tls' },
      },
    },
    {
      name: 'the leader started after the Secret was written: it need not have reloaded it',
      facts: served(good.root, [one, other], ledBy('policy-2_0a1b', '2025-11-01T00:00:00Z')),
      expect: { messageId: 'behind' },
    },
    {
      name: 'different ones that are all accepted',
      facts: served(good.root, [one, other]),
      expect: { messageId: 'different' },
    },
  ],
  reportsNothing: [
    ...silent(),
    { name: 'all serve the same', facts: served(good.root, [one, one]), outcome: 'pass' },
    {
      name: 'all are rejected, each for itself',
      facts: served(good.root, [bad, { presented: anotherRoot('x').presented }]),
      outcome: 'pass',
    },
    {
      name: 'the other one gets no calls',
      facts: served(good.root, [one, { ...bad, ready: false }]),
      outcome: 'pass',
    },
  ],
});
