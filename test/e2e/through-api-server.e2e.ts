import { expect } from 'chai';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';

/** The API server's error for a new ConfigMap with this label. */
const errorFor = (scene: Scene, label: string): Promise<string> => {
  const metadata = { generateName: 'probe-', labels: { case: label } };
  return scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { dryRun: true }).then(
    () => 'admitted',
    (error: Error) => error.message,
  );
};

/** No caBundle makes the API server refuse its own certificate. */
describe('a webhook at the Service of the API server itself', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  before(async () => {
    scene = await openScene((await apiServer()).client);
  });
  after(() => scene?.leave());

  for (const [label, bundle] of [
    ['none', undefined],
    ['other', async () => (await authority({ cn: 'another-ca' })).cert],
    ['words', async () => 'words'],
  ] as const)
    it(`is called with this caBundle: ${label}`, async () => {
      const service = { namespace: 'default', name: 'kubernetes', path: '/apis/none.example.com/v1/reviews' };
      const caBundle = bundle && Buffer.from(await bundle()).toString('base64');
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: `through-api-server-${label}` },
        webhooks: [
          {
            name: `${label}.example.com`,
            clientConfig: { service, ...(caBundle && { caBundle }) },
            rules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
            objectSelector: { matchLabels: { case: label } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
      const error = await waitFor('the webhook is called', async () => {
        const message = await errorFor(scene, label);
        return message !== 'admitted' && message;
      });
      expect(error).to.include('could not find the requested resource');
    });
});
