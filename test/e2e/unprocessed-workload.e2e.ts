import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';

/** An API server alone is a cluster whose kube-controller-manager is down. */
describe('a webhook whose workload no controller processes', function () {
  needs('api-server');
  this.timeout(180_000);
  let scene: Scene;
  let kubeconfig: string;
  const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
  const nameOf = (kind: string): string => `idle-${kind.toLowerCase()}`;

  async function create(kind: string): Promise<void> {
    const name = nameOf(kind);
    const labels = { app: name };
    const container = { name: 'webhook', image: 'example.com/webhook', ports: [{ containerPort: 8443 }] };
    await scene.create({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name },
      spec: {
        selector: { matchLabels: labels },
        ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
    });
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { service: { namespace: scene.namespace, name } },
          rules: [
            {
              apiGroups: ['none.example.com'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['none'],
            },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
  }

  before(async () => {
    const cluster = await apiServer();
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    for (const kind of kinds) await create(kind);
  });
  after(() => scene?.leave());

  async function because(name: string): Promise<readonly string[]> {
    const { stdout } = await plugin(['doctor', name, '-o', 'json', '--kubeconfig', kubeconfig]);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    return findings
      .filter(({ check }) => callouts[0]?.verdict.because[0] === check)
      .map(({ message }) => message);
  }

  it('is not reported while its controller may still process it', async () => {
    expect((await because(nameOf('Deployment'))).join()).not.to.match(/has not processed it/);
  });

  for (const kind of kinds)
    it(`is reported, for a ${kind}`, async () => {
      const [message] = await waitFor(
        'a minute has passed',
        async () => {
          const messages = await because(nameOf(kind));
          return messages.some((one) => one.includes('has not processed it')) && messages;
        },
        { timeout: 120_000, interval: 5_000 },
      );
      expect(message).to.match(
        new RegExp(
          `^${kind} ${nameOf(kind)} has no Pods: kube-controller-manager has not processed it since `,
        ),
      );
    });
});
