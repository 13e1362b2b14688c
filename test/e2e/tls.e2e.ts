import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { backendObjects, deployBackend, tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { expectBroken } from './doctor-says.ts';
import { leases } from './fix-cases.ts';

describe('doctor on a real node: the caBundle', () => {
  needs('node');
  const scene = useScene(nodeCluster);

  /** Expects the cause that doctor reports with probes, and returns its finding. */
  const expectCause = async (name: string, cause: string): Promise<FindingReport | undefined> => {
    const { stdout } = await plugin(['doctor', name, '--kubeconfig', scene.kubeconfig, '-o', 'json']);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    expect(callouts[0]?.verdict.because[0], stdout).to.equal(cause);
    return findings.find(({ check }) => check === cause);
  };

  it('is reported, and its error predicted, if it is emptied or contains no certificate', async () => {
    const ca = await authority({ cn: 'webhook-ca', days: 3650 });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    const configuration = validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert });
    await scene.create(configuration);
    await waitFor('a call that succeeds', async () => (await tryConfigMap(scene)) === 'created');

    const give = async (caBundle: string): Promise<void> => {
      const [webhook] = configuration.webhooks as readonly { clientConfig: { service: object } }[];
      const clientConfig = { service: webhook?.clientConfig.service, caBundle };
      const changed: KubeObject = { ...configuration, webhooks: [{ ...webhook, clientConfig }] };
      await scene.client.patch(configuration, { webhooks: changed.webhooks });
    };
    const name = `guard-${scene.namespace}`;
    await give('');
    await expectBroken(scene, scene.kubeconfig, name, { because: 'ca-bundle-empty', link: 'tls' });
    await give(Buffer.from('not a certificate').toString('base64'));
    await expectBroken(scene, scene.kubeconfig, name, { because: 'ca-bundle-invalid', link: 'tls' });
  });

  it('is empty because the Job that should write it failed, which is reported', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    const name = `guard-${scene.namespace}`;
    const args = ['patch', `--webhook-name=${name}`, '--patch-mutating=false'];
    const job: KubeObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'guard-admission-patch' },
      spec: {
        backoffLimit: 0,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'patch', image: backendImage, args }] },
        },
      },
    };
    await scene.create(job);
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: '' }));
    await waitFor('the Job to have failed', async () => {
      const [found] = await scene.client.list('batch/v1', 'Job', scene.namespace);
      return found?.status?.conditions?.some(({ type }: { type: string }) => type === 'Failed');
    });
    await expectCause(name, 'certificate-job-failed');
  }).timeout(120_000);

  it('is empty because its writer has no permission to write it, which the log of the writer shows', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    const name = `guard-${scene.namespace}`;
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: '' }));
    const operator = (path: string) => {
      const { readFileSync } = process.getBuiltinModule('node:fs');
      const { request } = process.getBuiltinModule('node:https');
      const account = '/var/run/secrets/kubernetes.io/serviceaccount';
      const headers = {
        authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`,
        'content-type': 'application/merge-patch+json',
      };
      const { KUBERNETES_SERVICE_HOST: host } = process.env;
      const ca = readFileSync(`${account}/ca.crt`);
      setInterval(() => {
        const sent = request({ host, port: 443, path, method: 'PATCH', headers, ca }, (answer) =>
          answer.on('data', (data) => console.error(JSON.parse(String(data)).message)),
        );
        sent.on('error', console.error).end('{}');
      }, 500);
    };
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
    await scene.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'guard-operator' },
      spec: {
        containers: [
          {
            name: 'operator',
            image: backendImage,
            imagePullPolicy: 'Never',
            command: ['/usr/bin/node', '-e', `(${operator})(${JSON.stringify(path)})`],
          },
        ],
      },
    });
    await waitFor('the operator to have tried', async () => {
      const log = `/api/v1/namespaces/${scene.namespace}/pods/guard-operator/log`;
      return (await scene.client.text(log).catch(() => '')).includes('is forbidden');
    });
    await expectCause(name, 'service-account-lacks-rights');
  }).timeout(120_000);

  /** Writes a certificate of another CA to the Secret that the Pods mount. */
  const renew = async (after: Awaited<ReturnType<typeof authority>>): Promise<void> => {
    const { cert, key } = await issue(after, { dns: [`guard.${scene.namespace}.svc`] });
    const [secret] = (await scene.client.list('v1', 'Secret', scene.namespace)).filter(
      ({ type }) => type === 'kubernetes.io/tls',
    );
    const data = { 'tls.crt': cert, 'tls.key': key };
    const encoded = Object.entries(data).map(([k, text]) => [k, Buffer.from(text).toString('base64')]);
    await scene.client.patch(
      { apiVersion: 'v1', kind: 'Secret', metadata: secret?.metadata ?? { name: 'guard' } },
      { data: Object.fromEntries(encoded) },
    );
  };

  it('matches a Secret that only the leader has reloaded, which is reported', async () => {
    const [before, after] = [await authority({ cn: 'old-ca' }), await authority({ cn: 'new-ca' })];
    for (const object of leases) await scene.create(object);
    const args = ['--leader-gated', 'reload', '--lease', `${scene.namespace}/guard`];
    await deployBackend(scene, { name: 'guard', ca: before, replicas: 2, args });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'guard' } };
    const leader = async () => {
      const metadata = { ...lease.metadata, namespace: scene.namespace };
      return (await scene.client.get({ ...lease, metadata }))?.spec?.holderIdentity as string | undefined;
    };
    await waitFor('a leader', async () => (await leader()) !== undefined);
    await renew(after);
    const caBundle = `${before.cert}\n${after.cert}`;
    const configuration = validatingWebhook(scene.namespace, { service: 'guard', caBundle });
    await scene.create(configuration);
    const findings = async () => {
      const args = ['doctor', `guard-${scene.namespace}`, '--kubeconfig', scene.kubeconfig, '-o', 'json'];
      return (JSON.parse((await plugin(args)).stdout) as DoctorReport).findings;
    };
    await waitFor(
      'the leader to serve the new one',
      async () =>
        (await findings()).some(
          ({ check, message }) =>
            check === 'replicas-serve-different-certificates' &&
            /^Only the leader, Pod guard-\S+, serves the certificate in Secret \S+/.test(message),
        ),
      { timeout: 150_000 },
    );
    const [webhook] = configuration.webhooks as readonly { clientConfig: { service: object } }[];
    const clientConfig = {
      service: webhook?.clientConfig.service,
      caBundle: Buffer.from(after.cert).toString('base64'),
    };
    await scene.client.patch(configuration, { webhooks: [{ ...webhook, clientConfig }] });
    const cause = (await findings()).find(({ check }) => check === 'served-certificate-differs-from-secret');
    expect(cause?.message).to.match(
      /only the leader, Pod guard-\S+, has loaded the renewed one from Secret \S+$/,
    );
  }).timeout(240_000);

  it('matches a Secret that the process has not reloaded, which is reported', async () => {
    const [before, after] = [await authority({ cn: 'old-ca' }), await authority({ cn: 'new-ca' })];
    await deployBackend(scene, { name: 'guard', ca: before, replicas: 1, args: ['--no-reload'] });
    await renew(after);
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: after.cert }));
    await expectCause(`guard-${scene.namespace}`, 'served-certificate-differs-from-secret');
  }).timeout(120_000);

  it('matches a Secret whose files are mounted with subPath, which the kubelet never updates', async () => {
    const [before, after] = [await authority({ cn: 'old-ca' }), await authority({ cn: 'new-ca' })];
    const volumeMounts = ['tls.crt', 'tls.key'].map((subPath) => ({
      name: 'certs',
      mountPath: `/certs/${subPath}`,
      subPath,
    }));
    await deployBackend(scene, { name: 'guard', ca: before, replicas: 1, container: { volumeMounts } });
    await renew(after);
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: after.cert }));
    const found = await expectCause(`guard-${scene.namespace}`, 'served-certificate-differs-from-secret');
    expect(found?.message).to.match(/is mounted with `subPath`, so the kubelet never updates the file$/);
  }).timeout(120_000);

  it('is not the cause if the key belongs to another certificate: the process logs it and exits', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    const { key } = await issue(ca, { dns: ['another'] });
    const objects = await backendObjects(scene.namespace, { name: 'guard', ca, replicas: 1 });
    for (const object of objects) {
      const stringData = { ...object.stringData, 'tls.key': key };
      await scene.create(object.kind === 'Secret' ? { ...object, stringData } : object);
    }
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
    await waitFor('the process to have ended twice', async () => {
      const [pod] = await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard');
      const [status] = pod?.status?.containerStatuses ?? [];
      return status?.restartCount > 0 && status?.lastState?.terminated && status?.state?.waiting;
    });
    const broken = { because: 'serving-secret-mismatched-key', link: 'tls' };
    await expectBroken(scene, scene.kubeconfig, `guard-${scene.namespace}`, broken);
  });
});

describe('doctor on a real node: an aggregated API that requires the client certificate of the front proxy', () => {
  needs('node');
  const scene = useScene(nodeCluster);

  it('refuses a probe but not the API server: healthy, at connect too', async () => {
    const ca = await authority({ cn: 'api-ca' });
    const group = `${scene.namespace}.example.com`;
    const volumes = [
      { name: 'certs', secret: { secretName: 'api' } },
      // The test's control plane has one CA for everything.
      { name: 'callers', configMap: { name: 'kube-root-ca.crt' } },
    ];
    const volumeMounts = [
      { name: 'certs', mountPath: '/certs' },
      { name: 'callers', mountPath: '/callers' },
    ];
    await deployBackend(scene, {
      name: 'api',
      ca,
      args: ['--client-ca', '/callers/ca.crt', '--api', `${group}/v1`],
      container: { volumeMounts, readinessProbe: null },
      podSpec: { volumes },
    });
    const api = apiServiceOf(group, {
      service: { namespace: scene.namespace, name: 'api' },
      caBundle: Buffer.from(ca.cert).toString('base64'),
    });
    await scene.create(api);
    await waitFor('the API to answer', async () => {
      const { status } = await scene.client.request('GET', `/apis/${group}/v1`);
      return status === 200;
    });
    for (const level of ['connect', 'review']) {
      const flags = ['--probe', level, '--kubeconfig', scene.kubeconfig, '-o', 'json'];
      const { stdout } = await plugin(['doctor', `apiservice/v1.${group}`, ...flags]);
      const { callouts } = JSON.parse(stdout) as DoctorReport;
      expect(callouts[0]?.verdict, stdout).to.deep.include({ state: 'healthy', confidence: 'observed' });
      expect(stdout).to.include('certificate required');
    }
  });
});
