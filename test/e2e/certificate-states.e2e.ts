import { expect } from 'chai';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, issue, type Validity } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { host, signed } from './certificate-cases.ts';

const day = 24 * 60 * 60 * 1000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A validity period with that many days elapsed and remaining. */
const life = (over: number, left: number): Validity => ({
  notBefore: new Date(Date.now() - over * day),
  notAfter: new Date(Date.now() + left * day),
});

interface State {
  readonly caBundle: string;
  /** Data keys → PEM; absent: there is no Secret. */
  readonly secret?: Readonly<Record<string, string>>;
  /** Data keys → PEM, of a ConfigMap that is mounted instead. */
  readonly configMap?: Readonly<Record<string, string>>;
  /** Errors and warnings in order. */
  readonly checks: readonly string[];
  readonly state: string;
}

/** A Service with an unscheduled Pod: its certificates are in a Secret or ConfigMap, and not served. */
async function backend(scene: Scene, name: string, { secret, configMap }: State): Promise<void> {
  await scene.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 443, targetPort: 8443 }] },
  });
  const data = Object.fromEntries(Object.entries(secret ?? {}).map(([key, pem]) => [key, base64(pem)]));
  if (secret !== undefined)
    await scene.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data });
  if (configMap !== undefined)
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: configMap });
  await scene.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      nodeName: 'nowhere',
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'webhook',
          image: 'webhook',
          args: ['--tls-cert-file=/certs/tls.crt', '--tls-private-key-file=/certs/tls.key'],
          ports: [{ containerPort: 8443 }],
          volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
        },
      ],
      volumes: [
        { name: 'certs', ...(configMap ? { configMap: { name } } : { secret: { secretName: name } }) },
      ],
    },
  });
}

async function look(kubeconfig: string): Promise<CertificateReport> {
  const args = ['cert-check', '--probe', 'none', '--kubeconfig', kubeconfig, '-o', 'json'];
  const { stdout, stderr } = await plugin(args);
  if (stdout === '') throw new Error(`cert-check printed nothing: ${stderr}`);
  return JSON.parse(stdout) as CertificateReport;
}

/** A module that moves the clock of a process forward by that many milliseconds. */
const ahead = (by: number): string => {
  const clock = `
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...at) {
        if (at.length === 0) super(Real.now() + ${by});
        else super(...at);
      }
      static now() {
        return Real.now() + ${by};
      }
    };`;
  return `data:text/javascript;base64,${base64(clock)}`;
};

const alarms = ({ findings }: CertificateReport, callout: string): readonly string[] =>
  findings
    .filter((finding) => finding.callout === callout && finding.severity !== 'info')
    .map(({ check }) => check);

describe('certificates in a cluster', function () {
  this.timeout(60_000);
  needs('api-server');
  const scene = useScene(apiServer);

  async function states(): Promise<Readonly<Record<string, State>>> {
    const [sound, another, aging] = await Promise.all([
      authority({ cn: 'sound-ca', ...life(10, 300) }),
      authority({ cn: 'another-ca', ...life(10, 300) }),
      authority({ cn: 'aging-ca', ...life(350, 10) }),
    ]);
    const serving = async (ca: Authority, name: string, validity = life(10, 80)) => {
      const pair = await issue(ca, { dns: [`${name}.${scene.namespace}.svc`], ...validity });
      return { 'tls.crt': pair.cert, 'tls.key': pair.key, 'ca.crt': ca.cert };
    };
    const mapped = async (ca: Authority, name: string) => ({
      'tls.crt': (await serving(ca, name))['tls.crt'],
    });
    const { 'tls.key': _dropped, ...keyless } = await serving(sound, 'keyless');
    return {
      sound: { caBundle: sound.cert, secret: await serving(sound, 'sound'), state: 'accepted', checks: [] },
      expiring: {
        caBundle: sound.cert,
        secret: await serving(sound, 'expiring', life(90, 10)),
        state: 'accepted',
        checks: ['serving-certificate-expiring'],
      },
      aging: {
        caBundle: aging.cert,
        secret: await serving(aging, 'aging'),
        state: 'accepted',
        checks: ['ca-bundle-expiring'],
      },
      differing: {
        caBundle: sound.cert,
        secret: await serving(another, 'differing'),
        state: 'rejected',
        checks: ['stale-ca-bundle', 'secret-ca-differs-from-ca-bundle'],
      },
      missing: { caBundle: sound.cert, state: 'unknown', checks: ['serving-secret-missing'] },
      keyless: {
        caBundle: sound.cert,
        secret: keyless,
        state: 'accepted',
        checks: ['serving-secret-incomplete'],
      },
      // Its private key is stored elsewhere.
      mapped: {
        caBundle: sound.cert,
        configMap: await mapped(sound, 'mapped'),
        state: 'accepted',
        checks: [],
      },
      mismapped: {
        caBundle: sound.cert,
        configMap: await mapped(another, 'mismapped'),
        state: 'rejected',
        checks: ['stale-ca-bundle'],
      },
    };
  }

  it('reports each from its Secret or ConfigMap', async () => {
    const all = Object.entries(await states());
    await Promise.all(all.map(([name, state]) => backend(scene, name, state)));
    // Last: an existing webhook would refuse the ConfigMap of another.
    await Promise.all(
      all.map(([name, { caBundle }]) =>
        scene.create(validatingWebhook(scene.namespace, { service: name, caBundle })),
      ),
    );
    const report = await look(scene.kubeconfig);
    const idOf = (name: string): string => `validating/${name}-${scene.namespace}/${name}.example.com`;
    const told = all.map(([name]) => ({
      name,
      state: report.callouts.find(({ webhook }) => webhook === `${name}.example.com`)?.state,
      checks: alarms(report, idOf(name)),
    }));
    expect(told).to.deep.equal(all.map(([name, { state, checks }]) => ({ name, state, checks })));
  });

  it('reports conversion webhooks alike, and ignores what an APIService does not verify', async () => {
    const ca = await authority({ cn: 'sound-ca' });
    const pair = await issue(ca, { dns: [`old.${scene.namespace}.svc`], ...life(30, -1) });
    const secret = { 'tls.crt': pair.cert, 'tls.key': pair.key };
    await backend(scene, 'old', { caBundle: ca.cert, secret, state: '', checks: [] });
    const service = { namespace: scene.namespace, name: 'old' };
    const group = `${scene.namespace}.example.com`;
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object' } },
    });
    await scene.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: [version('v1', true), version('v2', false)],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service, caBundle: base64(ca.cert) },
          },
        },
      },
    });
    const apiService = (name: string, spec: object): KubeObject =>
      apiServiceOf(`${name}.${group}`, {
        service,
        ...spec,
      });
    await scene.create(apiService('careless', { insecureSkipTLSVerify: true }));
    await scene.create(apiService('careful', { caBundle: base64(ca.cert) }));
    const report = await look(scene.kubeconfig);
    const told = report.callouts
      .filter(({ configuration }) => configuration.includes(group))
      .map(({ kind, configuration, state, caBundle }) => [
        kind,
        configuration.split('.')[1],
        state,
        caBundle,
      ]);
    expect(told).to.have.deep.members([
      ['conversion', scene.namespace, 'rejected', 'sound-ca'],
      ['aggregated-api', 'careless', 'accepted', 'not used (insecureSkipTLSVerify)'],
      ['aggregated-api', 'careful', 'rejected', 'sound-ca'],
    ]);
    expect(alarms(report, `crd/things.${group}`)).to.include('serving-certificate-expired');
    expect(alarms(report, `apiservice/v1.careful.${group}`)).to.include('serving-certificate-expired');
    expect(alarms(report, `apiservice/v1.careless.${group}`)).to.deep.equal([]);
  });

  it('reports a wrong clock, and predicts by the clock of the API server', async () => {
    const tomorrow = { notBefore: new Date(Date.now() + day), notAfter: new Date(Date.now() + 9 * day) };
    const { caBundle, listen } = signed('serving-certificate-not-yet-valid', { server: tomorrow });
    const listener = await listen();
    try {
      const name = `early-${scene.namespace}`;
      const [template] = validatingWebhook(scene.namespace, { service: 'early', caBundle })
        .webhooks as Record<string, object>[];
      const url = `https://${host}:${listener.port}/validate`;
      const clientConfig = { url, caBundle: template?.clientConfig?.['caBundle' as never] };
      await scene.create({
        ...validatingWebhook(scene.namespace, { service: 'early', caBundle }),
        webhooks: [{ ...template, clientConfig }],
      });
      const ask = async (command: string) => {
        const args = [command, name, '--probe', 'connect', '--kubeconfig', scene.kubeconfig, '-o', 'json'];
        const { stdout, stderr } = await plugin(args, { NODE_OPTIONS: `--import=${ahead(2 * day)}` });
        if (stdout === '') throw new Error(`${command} printed nothing: ${stderr}`);
        return JSON.parse(stdout);
      };
      const report: CertificateReport = await ask('cert-check');
      expect(alarms(report, `validating/${name}/early.example.com`)).to.have.members([
        'serving-certificate-not-yet-valid',
        'clock-skew',
      ]);
      expect(report.findings.find(({ check }) => check === 'clock-skew')?.message).to.match(
        /^The clock of the API server is 48 hours behind that of this machine: the certificate is valid only by the clock of this machine$/,
      );
      const [callout] = ((await ask('doctor')) as DoctorReport).callouts;
      const timeless = (text: string | undefined) => text?.replace(/current time \S+/, 'current time NOW');
      const said = await waitFor('the API server to call it', async () => {
        const sentence = await tryConfigMap(scene);
        return sentence !== 'created' && sentence;
      });
      expect(timeless(said)).to.equal(timeless(`Internal error occurred: ${callout?.verdict.error}`));
    } finally {
      listener.close();
    }
  });

  it('reports two writers of one caBundle', async () => {
    const [right, wrong] = await Promise.all([authority({ cn: 'right' }), authority({ cn: 'wrong' })]);
    const write = async (manager: string, ca: Authority) => {
      const object = validatingWebhook(scene.namespace, { service: 'fought', caBundle: ca.cert });
      object.metadata.annotations = { 'cert-manager.io/inject-ca-from': `${scene.namespace}/fought` };
      const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${object.metadata.name}`;
      const query = `?fieldManager=${manager}&force=true`;
      const { status, body } = await scene.client.request(
        'PATCH',
        path + query,
        object,
        'application/apply-patch+yaml',
      );
      expect(status, body).to.be.within(200, 201);
    };
    const fought = async (): Promise<readonly string[]> =>
      (await look(scene.kubeconfig)).findings
        .filter(({ check }) => check === 'ca-bundle-fought-over')
        .map(({ message }) => message);
    await write('argocd-controller', wrong);
    await write('cert-manager-cainjector', right);
    expect(await fought()).to.deep.equal([]);
    await write('argocd-controller', wrong);
    const [overwritten = ''] = await fought();
    expect(overwritten).to.match(
      /^argocd-controller owns the caBundle, which cert-manager's cainjector must write/,
    );
    await write('cert-manager-cainjector', wrong);
    const [both = ''] = await fought();
    expect(both).to.match(/^argocd-controller and .* both own the caBundle/);
  });
});
