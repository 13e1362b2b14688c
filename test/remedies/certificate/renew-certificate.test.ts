import type { Edit } from '../../../src/change/plan.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CertManagerCertificate, Issuer } from '../../../src/facts/objects/cert-manager.ts';
import { renewCertificate } from '../../../src/remedies/certificate/renew-certificate.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, objects, takenAt, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ready = { type: 'Ready', status: 'False' as const, reason: 'Expired' };
const certificate = (name: string, over: Partial<CertManagerCertificate> = {}): CertManagerCertificate => ({
  metadata: { name, namespace: 'shop', ...{ generation: 3 } },
  spec: { secretName: `${name}-tls`, dnsNames: ['policy.shop.svc'] },
  status: { conditions: [ready, { type: 'Issuing', status: 'False' }] },
  ...over,
});
const certificates = (...all: readonly CertManagerCertificate[]) => lists({ shop: all });

const heldBy = (holderIdentity: string, renewTime: string) =>
  lists({
    'kube-system': [
      {
        metadata: { namespace: 'kube-system', name: 'cert-manager-controller' },
        spec: { holderIdentity, renewTime, leaseDurationSeconds: 60 },
      },
    ],
  });

const edits: readonly Edit[] = [
  {
    object: { kind: 'Certificate', namespace: 'shop', name: 'serving' },
    operation: 'patch',
    path: '/status/conditions',
    subresource: 'status',
    expected: [ready, { type: 'Issuing', status: 'False' }],
    after: [
      ready,
      {
        type: 'Issuing',
        status: 'True',
        reason: 'ManuallyTriggered',
        message: 'Certificate re-issuance manually triggered',
        lastTransitionTime: takenAt,
        observedGeneration: 3,
      },
    ],
  },
];

describeRemedy(renewCertificate, {
  plans: [
    {
      name: 'the condition that cmctl renew sets',
      facts: healthy({
        certificates: certificates(certificate('serving'), certificate('x', { spec: { dnsNames: ['x'] } })),
      }),
      expect: {
        edits,
        fixes: ['validating/policy/policy.example.com'],
      },
    },
    {
      name: 'the same while the controller of cert-manager holds its Lease',
      facts: healthy({
        certificates: certificates(certificate('serving')),
        leases: heldBy('cert-manager-7d-external-cert-manager-controller', takenAt),
      }),
      expect: { edits },
    },
    {
      name: 'with a doubt where the issuer is not Ready',
      facts: healthy({
        certificates: certificates(
          certificate('serving', { spec: { dnsNames: ['policy.shop.svc'], issuerRef: { name: 'ca' } } }),
        ),
        issuers: complete<Issuer>([
          [
            'Issuer shop/ca',
            {
              metadata: { namespace: 'shop', name: 'ca' },
              status: { conditions: [{ type: 'Ready', status: 'False', message: 'no key' }] },
            },
          ],
        ]),
      }),
      expect: {
        edits,
        unsure: 'Issuer shop/ca is not Ready: no key',
        warns: [/^Issuer shop\/ca is not Ready: no key: cert-manager cannot issue it until that is fixed\.$/],
      },
    },
  ],
  refuses: [
    {
      name: 'while the controller of cert-manager does not run',
      facts: healthy({
        certificates: certificates(certificate('serving')),
        leases: heldBy('', takenAt),
      }),
      because:
        /^The controller of cert-manager does not run \(Lease kube-system\/cert-manager-controller: held by no process\)\. Start it; it renews an expired Certificate by itself: `kubectl -n cert-manager scale deployment\/cert-manager --replicas=1`\.$/,
    },
    {
      name: 'while nothing processes a Certificate: it is Ready, and its Secret was deleted',
      facts: healthy({
        certificates: certificates(
          certificate('serving', {
            spec: { secretName: 'serving-tls', dnsNames: ['policy.shop.svc'] },
            status: { conditions: [{ type: 'Ready', status: 'True' }] },
          }),
        ),
        secrets: objects(),
      }),
      because:
        /^Certificate shop\/serving is Ready although its Secret is missing: .* get deployments,pods`\.$/,
    },
    {
      name: 'while its issuer does not exist',
      facts: healthy({
        certificates: certificates(
          certificate('serving', { spec: { dnsNames: ['policy.shop.svc'], issuerRef: { name: 'ca' } } }),
        ),
        issuers: complete<Issuer>([]),
      }),
      because:
        /^Issuer shop\/ca does not exist: cert-manager issues Certificate shop\/serving by itself when/,
    },
    {
      name: 'what is being issued already',
      facts: healthy({
        certificates: certificates(
          certificate('serving', { status: { conditions: [{ type: 'Issuing', status: 'True' }] } }),
        ),
      }),
      because: /being issued already/,
    },
    {
      name: 'a choice between two for the same name',
      facts: healthy({ certificates: certificates(certificate('a'), certificate('b')) }),
      because: /Certificates a and b are all for policy\.shop\.svc/,
    },
  ],
  doesNotFit: [
    { name: 'cert-manager keeps none for the name', facts: healthy({ certificates: certificates() }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [{ name: 'the Certificates could not be read', facts: healthy({ certificates: forbidden() }) }],
});
