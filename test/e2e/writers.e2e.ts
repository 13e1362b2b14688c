import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

describe('writers of webhook configurations', function () {
  needs('api-server');
  this.timeout(120_000);
  const scene = useScene(() => apiServer());

  const configuration = (name: string, webhook: string, over: object = {}): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: webhook,
        clientConfig: { service: { namespace: scene.namespace, name: 'policy', path: '/' } },
        rules: [
          {
            apiGroups: ['writers.example.com'],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['things'],
          },
        ],
        timeoutSeconds: 5,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...over,
      },
    ],
  });
  const send = async (object: KubeObject, query: string, type: string): Promise<KubeObject> => {
    const path = await scene.client.path(object.apiVersion, object.kind, undefined, object.metadata.name);
    const { status, body } = await scene.client.request('PATCH', `${path}?${query}`, object, type);
    expect(status, body).to.be.oneOf([200, 201]);
    return JSON.parse(body) as KubeObject;
  };
  /** Restores the declared state, as GitOps tools do. */
  const restore = (manager: string, object: KubeObject): Promise<KubeObject> =>
    send(object, `fieldManager=${manager}&force=true`, 'application/apply-patch+yaml');
  const update = (manager: string, object: KubeObject): Promise<KubeObject> =>
    send(object, `fieldManager=${manager}`, 'application/merge-patch+json');
  const doctor = async (check: string): Promise<readonly FindingReport[]> => {
    const args = [
      'doctor',
      '--probe',
      'none',
      '--check',
      check,
      '--kubeconfig',
      scene.kubeconfig,
      '-o',
      'json',
    ];
    const { stdout, stderr } = await plugin(args);
    expect(stdout, stderr).to.not.equal('');
    return (JSON.parse(stdout) as DoctorReport).findings;
  };

  it('reports two that revert each other, and not two that share the work', async () => {
    const caBundle = Buffer.from((await authority({ cn: 'writers' })).cert).toString('base64');
    const fought = (over: object) => configuration('writers-fought', 'fought.example.com', over);
    const shared = configuration('writers-shared', 'shared.example.com');
    const client = { ...shared.webhooks[0].clientConfig, caBundle };
    await restore('helm', shared);
    await update('cainjector', {
      ...shared,
      webhooks: [{ ...shared.webhooks[0], clientConfig: client }],
    });
    for (let turn = 0; turn < 16; turn += 1) {
      await restore('argocd-controller', fought({ timeoutSeconds: 10 }));
      await update('policy-operator', fought({ timeoutSeconds: 3 }));
    }
    // The API server counts changes of the configuration.
    const { metadata } = (await scene.client.get(fought({}))) ?? expect.fail('it does not exist');
    expect(metadata.generation).to.equal(16 + 16);
    const findings = await doctor('configuration-fought-over');
    const said = findings.map(({ subject, message }) => `${subject.name}: ${message}`);
    expect(said.map((one) => one.replace(/ in \d+ seconds?$/, ''))).to.deep.equal([
      'writers-fought: Field managers policy-operator and argocd-controller alternately write this configuration: its webhooks have changed 31 times',
    ]);
  });

  it('reports a product that is installed and has registered nothing', async () => {
    await scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kyverno-svc' },
      spec: { selector: { app: 'kyverno' }, ports: [{ port: 443 }] },
    });
    // Namespaces of other suites may still be in deletion.
    const [finding, ...others] = (await doctor('product-without-webhooks')).filter(
      ({ subject }) => subject.namespace === scene.namespace,
    );
    expect(others).to.deep.equal([]);
    expect(finding?.message).to.equal(
      `Kyverno is installed, its Service ${scene.namespace}/kyverno-svc has no endpoints, and no webhook is registered: none of its policies is enforced`,
    );
    await scene.create(configuration('kyverno-resource-validating-webhook-cfg', 'validate.kyverno.svc-fail'));
    expect(await doctor('product-without-webhooks')).to.deep.equal([]);
  });
});
