import { pemCertificates } from '../../../../src/apiserver/certificate/parse/pem.ts';
import { caBundleExpired } from '../../../../src/checks/tls/ca-bundle/ca-bundle-expired.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, healthy, lists, objects, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { about, anchor, encoded, inDays, trusting } from '../bundles.ts';
import { anotherRoot, issued, mounting, secret, served } from '../serving.ts';

const service = { namespace: 'shop', name: 'policy', port: 443 };
const other = { subject: { cn: 'other-ca' } };

const gone = issued({ root: { notAfter: inDays(-1) } });

const own = anchor(-300, -1);

describeCheck(caBundleExpired, {
  reports: [
    {
      name: 'a self-signed certificate, which the Pods serve, too',
      facts: served(own, [{ presented: pemCertificates(own) }]),
      expect: { messageId: 'served', data: { name: 'root-ca', day: '2025-12-31' } },
    },
    {
      name: 'a self-signed certificate, which cert-manager issues',
      facts: served(own, [{ presented: pemCertificates(own) }], {
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(
          secret(
            { 'tls.crt': own },
            {
              metadata: {
                namespace: 'shop',
                name: 'policy-tls',
                annotations: { 'cert-manager.io/certificate-name': 'serving' },
              },
            },
          ),
        ),
      }),
      expect: { messageId: 'issued', names: { certificate: 'serving' } },
    },
    {
      name: 'a self-signed certificate, which the Pods serve, of a Secret that must not be read',
      facts: served(own, [{ presented: pemCertificates(own) }], {
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: forbidden(),
      }),
      expect: { messageId: 'expired' },
    },
    {
      name: 'a self-signed certificate, which one of two Pods serves',
      facts: served(own, [{ presented: pemCertificates(own) }, { presented: gone.presented }]),
      expect: { messageId: 'expired' },
    },
    {
      name: 'the CA of the certificate that Pods serve',
      facts: served(gone.root, [{ presented: gone.presented }]),
      expect: { messageId: 'expired' },
    },
    {
      name: 'the one that signed, beside one that is valid and did not',
      facts: served(gone.root + anotherRoot('new-ca').root, [{ presented: gone.presented }]),
      expect: { messageId: 'signerExpired', confidence: 'observed' },
    },
    {
      name: 'a bundle that expired yesterday',
      facts: trusting(anchor(-300, -1)),
      expect: { messageId: 'expired', data: { name: 'root-ca', day: '2025-12-31' } },
    },
    {
      name: 'a CA named by its organization',
      facts: trusting(anchor(-300, -1, { subject: { o: 'Shop' } })),
      expect: { messageId: 'expired', data: { name: 'Shop', day: '2025-12-31' } },
    },
    {
      name: 'two that expired',
      facts: trusting(anchor(-300, -100) + anchor(-300, -2, other)),
      expect: { messageId: 'allExpired', data: { count: 2, name: 'other-ca', day: '2025-12-30' } },
    },
    {
      name: 'one for tomorrow',
      facts: trusting(anchor(1, 300)),
      expect: { messageId: 'notYetValid', data: { name: 'root-ca', day: '2026-01-02' } },
    },
    {
      name: 'one of yesterday and one for tomorrow',
      facts: trusting(anchor(-300, -1) + anchor(1, 300, other)),
      expect: { messageId: 'noneValid', data: { count: 2, name: 'other-ca', day: '2026-01-02' } },
    },
    {
      name: 'one of two',
      facts: trusting(anchor(-300, -1) + anchor(-10, 300, other)),
      expect: { messageId: 'someExpired', data: { expired: 1, count: 2 } },
    },
    {
      name: 'a bundle for a URL',
      facts: about(
        webhook({ client: { url: 'https://hooks.example.com', caBundle: encoded(anchor(-300, -1)) } }),
      ),
      expect: { messageId: 'expired' },
    },
  ],
  reportsNothing: [
    { name: 'it is valid', facts: trusting(anchor(-10, 300)), outcome: 'pass' },
    { name: 'it ends this very moment', facts: trusting(anchor(-10, 0)), outcome: 'pass' },
    { name: 'it begins this very moment', facts: trusting(anchor(0, 10)), outcome: 'pass' },
    {
      name: 'a later one waits beside a valid one',
      facts: trusting(anchor(-10, 30) + anchor(20, 300, other)),
    },
    { name: 'it does not load', facts: trusting('words'), outcome: 'pass' },
    { name: 'there is none', facts: trusting(''), outcome: 'pass' },
    {
      name: 'certificates are not verified',
      facts: about(
        aggregatedApi({
          insecureSkipTLSVerify: true,
          client: { service, caBundle: encoded(anchor(-300, -1)) },
        }),
      ),
      outcome: 'not-applicable',
    },
    { name: 'all is well', facts: healthy(), outcome: 'pass' },
  ],
});
