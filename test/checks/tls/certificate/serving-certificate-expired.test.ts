import { servingCertificateExpired } from '../../../../src/checks/tls/certificate/serving-certificate-expired.ts';
import { calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy, lists, objects, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { encoded, inDays } from '../bundles.ts';
import { faultTable, issued, mounting, pem, probes, secret } from '../serving.ts';

const expired = issued({ server: { notAfter: inDays(-1) } });
const table = faultTable(expired);

/** A webhook of a product, whose Pods serve the expired certificate of this Secret. */
const ofProduct = (name: string, stored: string, annotations: Readonly<Record<string, string>> = {}) => {
  const callout = webhook({
    webhook: name,
    client: { ...webhook().client, caBundle: encoded(expired.root) },
  });
  return healthy({
    callouts: [callout],
    probes: complete([[calloutId(callout), probes([{ presented: expired.presented }])]]),
    secrets: objects(
      secret(
        { 'tls.crt': pem(expired.presented) },
        { metadata: { namespace: 'shop', name: stored, annotations } },
      ),
    ),
  });
};

const ofKyverno = 'policy.shop.svc.kyverno-tls-pair';

describeCheck(servingCertificateExpired, {
  ...table,
  reports: [
    ...table.reports,
    {
      name: 'the certificate of a Secret that the program creates',
      facts: ofProduct('validate.kyverno.svc-fail', ofKyverno),
      expect: {
        messageId: 'renewed',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          day: inDays(-1).toISOString().slice(0, 10),
          renewer: "Kyverno's admission controller",
          kept: `shop/${ofKyverno}`,
        },
        names: { secret: ofKyverno },
      },
    },
    {
      name: 'that of a Secret that the program fills, but does not create',
      facts: ofProduct('policy.sigstore.dev', 'webhook-certs'),
      expect: {
        messageId: 'filled',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          day: inDays(-1).toISOString().slice(0, 10),
          renewer: "Sigstore's policy controller",
          kept: 'shop/webhook-certs',
        },
        names: { secret: 'webhook-certs' },
      },
    },
    {
      name: 'one of a Secret that cannot be read, and that a program mounts which can keep one in memory',
      facts: {
        ...ofProduct('webhook.cert-manager.io', 'other'),
        secrets: forbidden('secrets'),
        pods: lists({ 'shop/policy': [mounting(undefined, 'mine')] }),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'one that the program keeps in memory; its Secret holds the CA only',
      facts: ofProduct('webhook.cert-manager.io', 'other'),
      expect: {
        messageId: 'inMemory',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          day: inDays(-1).toISOString().slice(0, 10),
          renewer: 'the webhook of cert-manager itself',
        },
      },
    },
    {
      name: 'that of a mounted Secret, which no program is known to renew',
      facts: {
        ...ofProduct('policy.example.com', 'policy-tls'),
        pods: lists({ 'shop/policy': [mounting()] }),
      },
      expect: {
        messageId: 'stored',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          day: inDays(-1).toISOString().slice(0, 10),
          kept: 'shop/policy-tls',
        },
        names: { secret: 'policy-tls', host: 'policy.shop.svc' },
      },
    },
    {
      name: 'that of a mounted Secret whose type has other keys',
      facts: {
        ...ofProduct('policy.example.com', 'policy-tls'),
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(
          secret({ cert: pem(expired.presented) }, { type: 'Opaque', keys: ['ca', 'cert', 'key'] }),
        ),
      },
      expect: { messageId: 'storedOpaque', names: { secret: 'policy-tls', host: 'policy.shop.svc' } },
    },
    ...(
      [
        [
          "OpenShift's service CA",
          { annotations: { 'service.beta.openshift.io/originating-service-name': 'policy' } },
        ],
        [
          'an ExternalSecret',
          {
            ownerReferences: [
              {
                apiVersion: 'external-secrets.io/v1',
                kind: 'ExternalSecret',
                name: 'policy-tls',
                uid: 'u',
                controller: true,
              },
            ],
          },
        ],
      ] as const
    ).map(([what, metadata]) => ({
      name: `that of a mounted Secret of ${what}, which is not for a person to write`,
      facts: {
        ...ofProduct('policy.example.com', 'policy-tls'),
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(
          secret(
            { 'tls.crt': pem(expired.presented) },
            { metadata: { namespace: 'shop', name: 'policy-tls', ...metadata } },
          ),
        ),
      },
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'that of a mounted Secret of cert-manager, without a Secret of its own',
      facts: {
        ...ofProduct('policy.example.com', 'policy-tls', { 'cert-manager.io/certificate-name': 'policy' }),
        pods: lists({ 'shop/policy': [mounting()] }),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'one in place of the valid one in that Secret',
      facts: {
        ...ofProduct('validate.kyverno.svc-fail', ofKyverno),
        secrets: objects(
          secret(
            { 'tls.crt': pem(issued().presented) },
            { metadata: { namespace: 'shop', name: ofKyverno } },
          ),
        ),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'one whose Secret cannot be read',
      facts: { ...ofProduct('validate.kyverno.svc-fail', ofKyverno), secrets: forbidden('secrets') },
      expect: { messageId: 'all' },
    },
    {
      name: 'that of a Secret that cert-manager fills',
      facts: ofProduct('validate.kyverno.svc-fail', ofKyverno, { 'cert-manager.io/certificate-name': 'own' }),
      expect: { messageId: 'all' },
    },
  ],
});
