import { replicasServeDifferentCertificates } from '../../../src/checks/tls/replicas-serve-different-certificates.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, objects } from '../../support/snapshot.ts';
import { anotherRoot, issued, mounting, pem, secret, served, silent } from './serving.ts';

const good = issued();

const two = issued({ server: { serial: 2000n } });
const [one, other, bad] = [
  { presented: good.presented },
  { presented: two.presented },
  { presented: anotherRoot('gone').presented },
];
const withSecret = (chain: readonly Buffer[]) => ({
  pods: lists({ 'shop/policy': [mounting()] }),
  secrets: objects(secret({ 'tls.crt': pem(chain) })),
});

describeCheck(replicasServeDifferentCertificates, {
  reports: [
    {
      name: 'one of two that is rejected',
      facts: served(good.root, [one, bad]),
      expect: { messageId: 'someRejected', data: { count: 2, rejected: 'policy-2' }, confidence: 'observed' },
    },
    {
      name: 'one that has not taken up the Secret',
      facts: served(good.root, [one, other], withSecret(two.presented)),
      expect: { messageId: 'behind', data: { count: 2, behind: 'policy-1', kept: 'Secret shop/policy-tls' } },
    },
    {
      name: 'different ones that are all accepted',
      facts: served(good.root, [one, other]),
      expect: { messageId: 'different' },
    },
  ],
  staysSilent: [
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
