import { servingCertificateExpiring } from '../../../../src/checks/tls/certificate/serving-certificate-expiring.ts';
import type { CertificateSecret } from '../../../../src/facts/objects/certificate-secret.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists } from '../../../support/snapshot.ts';
import { inDays } from '../bundles.ts';
import { issued, kept, pem, secret, served, silent } from '../serving.ts';

const soon = issued({ server: { notBefore: inDays(-355), notAfter: inDays(10) } });
const held = (over: Partial<CertificateSecret> = {}, facts: Partial<Facts> = {}) =>
  kept(soon.root, secret({ 'tls.crt': pem(soon.presented) }, over), facts);
/** Ten days remain, and cert-manager renews it five days before its expiry. */
const renewingLate = (renewalTime: Date) => ({
  ...certificate,
  status: { notAfter: inDays(10).toISOString(), renewalTime: renewalTime.toISOString() },
});
const certificate = { metadata: { namespace: 'shop', name: 'policy' }, spec: { secretName: 'policy-tls' } };

/** The Secret of CloudNativePG's operator, with a field manager name that many programs have. */
function ownSecret(from: ReturnType<typeof issued>): Partial<Facts> {
  const facts = kept(
    from.root,
    secret({ 'tls.crt': pem(from.presented) }, { writers: [{ manager: 'manager' }] }),
  );
  const callouts = (facts.callouts ?? []).map((callout) => ({ ...callout, webhook: 'vcluster.cnpg.io' }));
  return { ...facts, callouts };
}

describeCheck(servingCertificateExpiring, {
  reports: [
    {
      name: 'one that cert-manager should have renewed',
      facts: held({}, { certificates: lists({ shop: [certificate] }) }),
      expect: {
        messageId: 'renewed',
        data: {
          certificate: 'The certificate in Secret shop/policy-tls',
          left: '10 days',
          day: '2026-01-11',
          by: 'cert-manager (Certificate shop/policy)',
        },
      },
    },
    {
      name: 'one that cert-manager should have renewed by its own word',
      facts: held({}, { certificates: lists({ shop: [renewingLate(inDays(-1))] }) }),
      expect: { messageId: 'renewed' },
    },
    {
      name: 'one whose product writes its Secret and is late',
      facts: ownSecret(issued({ server: { notBefore: inDays(-85), notAfter: inDays(5) } })),
      expect: {
        messageId: 'renewed',
        data: {
          certificate: 'The certificate in Secret shop/policy-tls',
          left: '5 days',
          day: '2026-01-06',
          by: "CloudNativePG's operator",
        },
      },
    },
    { name: 'one without a renewer', facts: held(), expect: { messageId: 'nobody' } },
    {
      name: 'one that a Job makes at an upgrade',
      facts: held({ writers: [{ manager: 'kube-webhook-certgen' }] }),
      expect: { messageId: 'upgrade' },
    },
    {
      name: 'one of which nothing is known',
      facts: served(soon.root, [{ presented: soon.presented }]),
      expect: { messageId: 'unknown', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    ...silent(),
    {
      name: 'it has expired, which another check reports',
      facts: served(soon.root, [{ presented: issued({ server: { notAfter: inDays(-1) } }).presented }]),
    },
    {
      name: 'cert-manager is not to renew it yet, by its own word',
      facts: held({}, { certificates: lists({ shop: [renewingLate(inDays(5))] }) }),
      outcome: 'pass',
    },
    {
      name: 'its product renews a week before the end',
      facts: ownSecret(issued({ server: { notBefore: inDays(-80), notAfter: inDays(10) } })),
      outcome: 'pass',
    },
    {
      name: 'a third of a short life is left',
      facts: served(soon.root, [
        { presented: issued({ server: { notBefore: inDays(-2), notAfter: inDays(1) } }).presented },
      ]),
      outcome: 'pass',
    },
  ],
});
