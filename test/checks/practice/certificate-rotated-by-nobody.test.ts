import { certificateRotatedByNobody } from '../../../src/checks/practice/certificate-rotated-by-nobody.ts';
import type { CertificateSecret } from '../../../src/facts/objects/certificate-secret.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { inDays } from '../tls/bundles.ts';
import { issued, kept, pem, secret } from '../tls/serving.ts';

const good = issued();
const eternal = issued({ server: { notAfter: inDays(9000) }, root: { notAfter: inDays(9000) } });

const held = (over: Partial<CertificateSecret> = {}, facts: Partial<Facts> = {}) =>
  kept(good.root, secret({ 'tls.crt': pem(good.presented) }, over), facts);
const certificate = { metadata: { namespace: 'shop', name: 'policy' }, spec: { secretName: 'policy-tls' } };

describeCheck(certificateRotatedByNobody, {
  reports: [
    {
      name: 'a Secret made by hand',
      facts: held({ writers: [{ manager: 'kubectl-create' }] }),
      expect: {
        messageId: 'nobody',
        data: { secretOrConfigMap: 'Secret shop/policy-tls', day: '2026-03-22' },
      },
    },
    {
      name: 'a Secret that a GitOps tool applies',
      facts: held({ writers: [{ manager: 'fleet-agent' }] }),
      expect: { messageId: 'nobody' },
    },
    {
      name: 'a Secret that a Job made',
      facts: held({ writers: [{ manager: 'kube-webhook-certgen' }] }),
      expect: { messageId: 'upgrade' },
    },
  ],
  reportsNothing: [
    {
      name: 'cert-manager does',
      facts: held({}, { certificates: lists({ shop: [certificate] }) }),
      outcome: 'pass',
    },
    {
      name: 'a controller owns the Secret',
      facts: held({
        metadata: {
          namespace: 'shop',
          name: 'policy-tls',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Operator', name: 'x', uid: 'u', controller: true }],
        },
      }),
      outcome: 'pass',
    },
    {
      name: 'some process wrote it',
      facts: held({ writers: [{ manager: 'policy-operator' }] }),
      outcome: 'pass',
    },
    {
      name: 'OLM wrote it, and renews it',
      facts: held({ writers: [{ manager: 'olm' }] }),
      outcome: 'pass',
    },
    {
      name: 'it outlives us all',
      facts: kept(eternal.root, secret({ 'tls.crt': pem(eternal.presented) })),
      outcome: 'pass',
    },
    { name: 'no Secret was found', facts: kept(good.root, undefined), outcome: 'pass' },
    { name: 'it may not be read', facts: kept(good.root, undefined, { secrets: forbidden('secrets') }) },
  ],
});
