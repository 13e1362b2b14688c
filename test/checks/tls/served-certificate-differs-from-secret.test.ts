import { servedCertificateDiffersFromSecret } from '../../../src/checks/tls/served-certificate-differs-from-secret.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, objects } from '../../support/snapshot.ts';
import { inDays } from './bundles.ts';
import { anotherRoot, issued, mounting, mountingConfigMap, pem, secret, served, silent } from './serving.ts';

const good = issued();

const renewed = issued({ server: { serial: 2000n, notAfter: inDays(200) } });
const withSecret = (chain: readonly Buffer[]) => ({
  pods: lists({ 'shop/policy': [mounting()] }),
  secrets: objects(secret({ 'tls.crt': pem(chain) })),
});
const old = { presented: good.presented };

describeCheck(servedCertificateDiffersFromSecret, {
  reports: [
    {
      name: 'a Secret that was renewed',
      facts: served(good.root, [old, old], withSecret(renewed.presented)),
      expect: {
        messageId: 'accepted',
        confidence: 'observed',
        data: { kept: 'Secret shop/policy-tls', day: '2026-03-22' },
      },
    },
    {
      name: 'a ConfigMap that was renewed',
      facts: served(good.root, [old, old], {
        pods: lists({ 'shop/policy': [mountingConfigMap()] }),
        configMaps: objects(secret({ 'tls.crt': pem(renewed.presented) })),
      }),
      expect: { messageId: 'accepted', data: { kept: 'ConfigMap shop/policy-tls', day: '2026-03-22' } },
    },
    {
      name: 'one that the caBundle does not fit',
      facts: served(good.root, [old], withSecret(anotherRoot('new').presented)),
      expect: { messageId: 'rejected' },
    },
  ],
  staysSilent: [
    ...silent(),
    { name: 'they agree', facts: served(good.root, [old, old], withSecret(good.presented)), outcome: 'pass' },
    {
      name: 'replicas differ among themselves, which is told otherwise',
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
