import { servingCertificate } from '../../src/demo/certificate/demo-certificates.ts';
import { running, starting } from '../../src/demo/cluster/behaviour.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { servingSecretManifest } from '../../src/demo/cluster/manifests.ts';
import type { ClusterPart } from '../../src/demo/cluster/workload-manifests.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';

type Certificate = Parameters<typeof servingCertificate>[0];

/** The parts, with the CA of this kind of certificate in every caBundle. */
function trusting(kind: Certificate, parts: readonly ClusterPart[]): readonly ClusterPart[] {
  const { authority } = servingCertificate(kind, [], new Date());
  const caBundle = Buffer.from(authority).toString('base64');
  return parts.map((part) =>
    'webhooks' in part && Array.isArray(part.webhooks)
      ? {
          ...part,
          webhooks: part.webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })),
        }
      : part,
  );
}

/**
 * A process that serves one certificate while the mounted Secret contains another, which the caBundle trusts.
 */
const notReloaded = (served: Certificate, kept: Certificate): readonly ClusterPart[] =>
  trusting(kept, [
    ...installation('mesh/injector', {
      deployment: {
        container: { volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }] },
        spec: { volumes: [{ name: 'certificate', secret: { secretName: 'injector-tls' } }] },
        pods: [running({ certificate: served })],
      },
    }),
    servingSecretManifest('mesh/injector-tls', 'mesh/injector', kept),
  ]);

/** States of incidents that no scenario of the demo has. */
export const states: readonly Scenario[] = [
  {
    slug: 'starting-up',
    story: ['A product was just installed.', 'Its Pod is not ready yet.', 'Calls come already.'],
    parts: installation('fresh/fresh-policy', { deployment: { pods: [starting] } }),
  },
  {
    slug: 'certificate-writer-scaled-to-zero',
    story: [
      'A product keeps its certificate with a Deployment of its own.',
      'Somebody scaled that to 0, and applied the chart again.',
      'The caBundle stays empty.',
    ],
    parts: [
      ...installation('storage/volume-policy', { validating: { caBundle: '' } }),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'storage', name: 'volume-policy-gencert' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'gencert' } },
          template: {
            metadata: { labels: { app: 'gencert' } },
            spec: { containers: [{ name: 'gencert', image: 'registry.example/gencert:v2' }] },
          },
        },
        status: {},
      },
    ],
  },
  {
    slug: 'regenerated-not-reloaded',
    story: ['An upgrade makes a new CA.', 'Secret and caBundle hold it.', 'The process serves the old one.'],
    parts: notReloaded('trusted', 'of-renewed-authority'),
  },
  {
    slug: 'expired-not-reloaded',
    story: ['The certificate was renewed in time.', 'The process did not read it again.', 'It has expired.'],
    parts: notReloaded('expired', 'trusted-renewed'),
  },
];
