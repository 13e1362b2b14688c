import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import { certCheck as workflow } from '../../src/workflows/cert-check.ts';
import {
  backendObjects,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import { defineKinds, startCertManager, stopCertManager } from '../cluster/cert-manager.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, authorityFrom, issue } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { doctorSays, expectBroken } from './doctor-says.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const prefix = 'cert-manager.io';

const ofCertManager = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: `${prefix}/v1`,
  kind,
  metadata: { name },
  spec,
});

const orders = (name: string, issuer: string, spec: object): KubeObject =>
  ofCertManager('Certificate', name, { secretName: name, issuerRef: { name: issuer }, ...spec });

/** An Issuer `ca` with the CA of a self-signed Issuer. */
const issuers: readonly KubeObject[] = [
  ofCertManager('Issuer', 'seed', { selfSigned: {} }),
  orders('ca', 'seed', { isCA: true, commonName: 'ca' }),
  ofCertManager('Issuer', 'ca', { ca: { secretName: 'ca' } }),
];

/** A webhook of a Service of that name, with an empty caBundle and the annotation of an injector. */
function asking(
  namespace: string,
  service: string,
  annotation: string,
  value: string,
): KubeObject & { readonly webhooks: readonly { readonly clientConfig: object }[] } {
  const configuration = validatingWebhook(namespace, {
    service,
    caBundle: '',
    webhook: { objectSelector: { matchLabels: { case: service } } },
  });
  const annotations = { [`${prefix}/${annotation}`]: value };
  return { ...configuration, metadata: { ...configuration.metadata, annotations } } as never;
}

const bundleOf = (configuration: KubeObject | undefined): string =>
  Buffer.from(configuration?.webhooks[0].clientConfig.caBundle ?? '', 'base64').toString();

/** A Service and a Pod that no scheduler schedules: its certificate is in a Secret and not served. */
async function mounting(scene: Scene, name: string): Promise<void> {
  const { namespace } = scene;
  const labels = { app: name };
  const volumeMounts = [{ name: 'certs', mountPath: '/tmp/k8s-webhook-server/serving-certs' }];
  await scene.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
  });
  await scene.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      schedulerName: 'nobody',
      containers: [{ name: 'webhook', image: 'webhook', ports: [{ containerPort: 8443 }], volumeMounts }],
      volumes: [{ name: 'certs', secret: { secretName: name } }],
    },
  });
}

/** A kubeconfig of an injector without the permission to write configurations. */
async function lesserInjector(scene: Scene, kubeconfig: string): Promise<string> {
  const name = `lesser-injector-${scene.namespace}`;
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name };
  const all = { apiGroups: ['*'], resources: ['*'] };
  await scene.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata,
    rules: [
      { ...all, verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['coordination.k8s.io', '', 'events.k8s.io'],
        resources: ['leases', 'events'],
        verbs: ['*'],
      },
    ],
  });
  await scene.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name }],
  });
  const config = parse(readFileSync(kubeconfig, 'utf8'));
  for (const { user } of config.users) user.as = name;
  return fileWith(JSON.stringify(config));
}

async function certCheck(kubeconfig: string, ...args: readonly string[]): Promise<CertificateReport> {
  const { stdout, stderr } = await plugin(['cert-check', ...args, '--kubeconfig', kubeconfig, '-o', 'json']);
  if (stdout === '') throw new Error(`cert-check printed nothing: ${stderr}`);
  return JSON.parse(stdout) as CertificateReport;
}

/**
 * The result of cert-check when the Secret `guard` is old enough that the injector should have processed it.
 */
async function inAMinute(scene: Scene, kubeconfig: string, name: string): Promise<CertificateReport> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'guard', namespace: scene.namespace },
  };
  const written = ((await scene.client.get(secret))?.metadata.managedFields ?? []) as { time: string }[];
  const latest = Math.max(...written.map(({ time }) => Date.parse(time)));
  const { reader } = await openConnection({ kubeconfig }, {}, undefined, {});
  try {
    return await workflow(reader, {
      callouts: [name],
      now: new Date(Math.max(Date.now(), latest + 61_000)),
    });
  } finally {
    reader.close();
  }
}

const alarms = ({ findings }: CertificateReport) => findings.filter(({ severity }) => severity !== 'info');

describe('cert-manager: its injector, its issuers', function () {
  this.timeout(120_000);
  needs('own-node');
  const scene = useScene(nodeCluster);
  let folder = '';
  let kinds: readonly KubeObject[] = [];

  before(async () => {
    const { client, kubeconfig, ...cluster } = await nodeCluster();
    folder = cluster.folder ?? '';
    kinds = await defineKinds(client);
    await startCertManager(folder, 'controller', kubeconfig);
    await startCertManager(folder, 'cainjector', kubeconfig);
  });

  after(async () => {
    if (folder === '') return;
    await Promise.all([stopCertManager(folder, 'cainjector'), stopCertManager(folder, 'controller')]);
    const { client } = await nodeCluster();
    for (const kind of kinds) await client.delete(kind);
    for (const kind of kinds)
      await waitFor(`${kind.metadata.name} to be gone`, async () => (await client.get(kind)) === undefined);
  });

  const injected = (configuration: KubeObject): Promise<string> =>
    waitFor(`the caBundle of ${configuration.metadata.name}`, async () =>
      bundleOf(await scene.client.get(configuration)),
    );

  it('is explained from the pending order to the injector that does not run', async () => {
    const { namespace, kubeconfig } = scene;
    const name = `guard-${namespace}`;
    const inNamespace = (kind: string, apiVersion: string) => ({
      apiVersion,
      kind,
      metadata: { name: 'guard', namespace },
    });
    const certificate = inNamespace('Certificate', `${prefix}/v1`);
    const isReady = async (status: string): Promise<boolean> =>
      ((await scene.client.get(certificate))?.status?.conditions ?? []).some(
        (one: { type: string; status: string }) => one.type === 'Ready' && one.status === status,
      );
    const configuration = asking(namespace, 'guard', 'inject-ca-from', `${namespace}/guard`);
    for (const webhook of configuration.webhooks) Object.assign(webhook, { objectSelector: {} });

    await scene.create(orders('guard', 'ca', { dnsNames: [`guard.${namespace}.svc`] }));
    const objects = await backendObjects(namespace, {
      ...{ name: 'guard', replicas: 1 },
      ca: await authority({ cn: 'nobody' }),
    });
    for (const object of objects.filter(({ kind }) => kind !== 'Secret')) await scene.create(object);
    await scene.create(configuration);
    await waitFor('the order to wait', () => isReady('False'));
    await waitFor('the kubelet to look for the Secret', async () =>
      (await scene.client.list('v1', 'Event', namespace)).some(({ reason }) => reason === 'FailedMount'),
    );
    await expectBroken(scene, kubeconfig, name, { because: 'certificate-not-issued', link: 'tls' });
    const waiting = (await doctorSays(kubeconfig, name)).findings;
    expect(waiting.find(({ check }) => check === 'certificate-not-issued')?.message).to.match(
      /: Issuer [\w-]+\/ca does not exist$/,
    );

    for (const object of issuers) await scene.create(object);
    await waitFor('the certificate', () => isReady('True'));
    await injected(configuration);
    // The kubelet retries with growing delays; a new Pod mounts at once.
    for (const pod of await scene.client.list('v1', 'Pod', namespace, 'app=guard'))
      await scene.client.delete(pod, 0);
    await waitForEndpoints(scene, 'guard', 1);
    await waitFor('a call that succeeds', async () => (await tryConfigMap(scene)) === 'created');
    const issued = await certCheck(kubeconfig, name);
    const [callout] = issued.callouts;
    expect(alarms(issued)).to.deep.equal([]);
    expect(callout).to.include({ state: 'accepted', caBundle: 'ca', keptIn: 'guard' });
    expect(callout?.renewedBy).to.equal(`cert-manager (Certificate ${namespace}/guard)`);
    expect(callout?.replicas).to.deep.equal({ total: 1, served: 1, accepted: 1 });

    const issuer = { ...inNamespace('Issuer', `${prefix}/v1`), metadata: { name: 'ca', namespace } };
    await scene.client.delete(issuer);
    const [unsigned, ...others] = alarms(await certCheck(kubeconfig, name));
    expect(others).to.deep.equal([]);
    expect(unsigned?.message).to.match(/is issued, but cannot be renewed: Issuer [\w-]+\/ca does not exist/);

    await stopCertManager(folder, 'cainjector');
    const stopped = await certCheck(kubeconfig, name);
    expect(stopped.callouts[0]?.state).to.equal('accepted');
    expect(
      alarms(stopped)
        .map(({ message }) => message)
        .join(),
    ).to.include(
      "cert-manager's cainjector must write the caBundle (annotation cert-manager.io/inject-ca-from), but does not run",
    );
    const { cert } = await authority({ cn: 'declared' });
    const [webhook] = configuration.webhooks;
    const declared = { ...webhook, clientConfig: { ...webhook?.clientConfig, caBundle: base64(cert) } };
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
    const applied = await scene.client.request(
      'PATCH',
      `${path}?fieldManager=argocd-controller&force=true`,
      { ...configuration, webhooks: [declared] },
      'application/apply-patch+yaml',
    );
    expect(applied.status, applied.body).to.equal(200);
    await expectBroken(scene, kubeconfig, name, { because: 'ca-injection-broken', link: 'tls' });

    // One that runs, reads everything, and may not write configurations.
    await startCertManager(folder, 'cainjector', await lesserInjector(scene, kubeconfig));
    await waitFor('the injector to be refused', async () =>
      /cannot patch resource \\?"validatingwebhookconfigurations/.test(
        readFileSync(join(folder, 'log', 'cainjector.log'), 'utf8'),
      ),
    );
    const why = /cert-manager's cainjector has not copied ca\.crt of Secret \S+ into the caBundle/;
    const forbidden = alarms(await inAMinute(scene, kubeconfig, name));
    expect(forbidden.find(({ check }) => check === 'ca-injection-broken')?.message).to.match(why);
    await stopCertManager(folder, 'cainjector');

    await startCertManager(folder, 'cainjector', kubeconfig);
    await waitFor(
      'the injector to put the caBundle right',
      async () => (await tryConfigMap(scene)) === 'created',
    );

    // The declared state in Git, restored after each write of the injector.
    const annotations = {
      'argocd.argoproj.io/tracking-id': `shop:admissionregistration.k8s.io/ValidatingWebhookConfiguration:${name}`,
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
        ...configuration,
        webhooks: [declared],
      }),
    };
    let rounds = 0;
    let over = false;
    const gitOps = (async () => {
      while (!over) {
        const live = await scene.client.get(configuration);
        if (bundleOf(live) !== cert) {
          const body = { metadata: { annotations }, webhooks: [declared] };
          const url = `${path}?fieldManager=argocd-controller`;
          await scene.client.request('PATCH', url, body, 'application/merge-patch+json');
          rounds += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    try {
      await waitFor('both to have written by turns', async () => rounds > 2);
      const fought = alarms(await certCheck(kubeconfig, name, '--probe', 'none'));
      expect(fought.map(({ check }) => check)).to.include('ca-bundle-fought-over');
      const told = fought.find(({ check }) => check === 'ca-bundle-fought-over')?.message;
      expect(told).to.match(/(Argo CD|argocd).*cainjector/);
    } finally {
      over = true;
      await gitOps;
    }
  });

  it('is distinguished from a Secret, from the API server’s CA, and from sources it does not use', async () => {
    const { namespace, kubeconfig } = scene;
    const given = await authority({ cn: 'given' });
    const cluster = await authorityFrom({
      cert: readFileSync(join(folder, 'pki', 'ca.crt'), 'utf8'),
      key: readFileSync(join(folder, 'pki', 'ca.key'), 'utf8'),
    });
    const secret = async (name: string, ca: Authority, over: object = {}, annotations = {}) => {
      const pair = await issue(ca, { dns: [`${name}.${namespace}.svc`], days: 90 });
      const stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key, ...over };
      await scene.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, annotations }, stringData });
    };
    const allowed = { [`${prefix}/allow-direct-injection`]: 'true' };
    const fromSecret = 'inject-ca-from-secret';
    await secret('direct', given, { 'ca.crt': given.cert }, allowed);
    await secret('unasked', given, { 'ca.crt': given.cert });
    await secret('bare', given, {}, allowed);
    await secret('cluster', cluster);
    await scene.create(orders('waiting', 'nowhere', { dnsNames: [`waiting.${namespace}.svc`] }));
    for (const name of ['direct', 'cluster']) await mounting(scene, name);
    const all: Readonly<Record<string, readonly [string, string, string | undefined]>> = {
      direct: [fromSecret, `${namespace}/direct`, undefined],
      cluster: ['inject-apiserver-ca', 'true', undefined],
      slashless: ['inject-ca-from', 'guard', 'must be NAMESPACE/NAME, and is "guard"'],
      nowhere: ['inject-ca-from', `${namespace}/nowhere`, 'which does not exist'],
      waiting: ['inject-ca-from', `${namespace}/waiting`, `; Issuer ${namespace}/nowhere does not exist`],
      gone: [fromSecret, `${namespace}/gone`, 'which does not exist'],
      unasked: [
        fromSecret,
        `${namespace}/unasked`,
        'lacks the annotation cert-manager.io/allow-direct-injection',
      ],
      bare: [fromSecret, `${namespace}/bare`, 'which has no ca.crt'],
    };
    const broken = Object.entries(all).filter(([, [, , because]]) => because !== undefined);
    // Those with a caBundle come last: then the others have been processed.
    for (const [name, [annotation, value]] of Object.entries(all).toReversed())
      await scene.create(asking(namespace, name, annotation, value));
    for (const name of ['direct', 'cluster']) await injected(asking(namespace, name, '', ''));
    // Lists may come from a watch cache that is a moment behind.
    const report = await waitFor('both caBundles to be read', async () => {
      const one = await certCheck(kubeconfig, '--probe', 'none');
      const isAccepted = (name: string) =>
        one.callouts.some(({ webhook, state }) => webhook === `${name}.example.com` && state === 'accepted');
      return ['direct', 'cluster'].every(isAccepted) && one;
    });
    const told = (name: string) =>
      alarms(report).filter(({ callout }) => callout?.endsWith(`/${name}.example.com`) === true);
    for (const [name, [, , because]] of broken) {
      const configuration = await scene.client.get(asking(namespace, name, '', ''));
      expect(bundleOf(configuration), name).to.equal('');
      expect(
        told(name).map(({ check }) => check),
        name,
      ).to.include('ca-bundle-empty');
      expect(told(name).find(({ check }) => check === 'ca-injection-broken')?.message, name).to.include(
        because,
      );
    }
    for (const name of ['direct', 'cluster']) {
      const { state } = report.callouts.find(({ webhook }) => webhook === `${name}.example.com`) ?? {};
      expect({ name, state, told: told(name) }).to.deep.equal({ name, state: 'accepted', told: [] });
    }
  });
});
