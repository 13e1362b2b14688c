import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, fileWith, plugin } from '../support/plugin.ts';
import { waitSchemaErrors } from '../support/schema.ts';
import { webhook } from '../support/snapshot.ts';

const rule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  scope: '*',
};
const broken = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'policy' },
  webhooks: [
    {
      name: 'policy.example.com',
      clientConfig: {
        caBundle: webhook().client.caBundle,
        service: { namespace: 'shop', name: 'gone', port: 443 },
      },
      rules: [rule],
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

describe('kubectl webhook wait', () => {
  let server: DemoApiServer;
  let admin: string;
  const line = (...args: readonly string[]) => [
    ...['wait', '--kubeconfig', admin, '--interval', '100ms', '--probe', 'none'],
    ...(args.includes('--timeout') ? args : ['--timeout', '6s', ...args]),
  ];
  const wait = (...args: readonly string[]) => inProcess(line(...args));
  /** The runs that end after their timeout: all of them wait at the same time, each in its own process. */
  let ended: Readonly<Record<'text' | 'json' | 'later' | 'forbidden', Promise<Ended>>>;
  before(async () => {
    const url = { ...broken, metadata: { name: 'hosted' } };
    const client = { url: 'https://192.0.2.1/validate' };
    server = await startApiServer({
      objects: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        broken,
        {
          ...url,
          webhooks: url.webhooks.map((one) => ({ ...one, name: 'hosted.example.com', clientConfig: client })),
        },
      ],
    });
    admin = fileWith(server.kubeconfig());
    ended = {
      text: plugin(line('policy')),
      json: plugin(line('policy', '-o', 'json')),
      later: plugin(line('later', '-o', 'json')),
      forbidden: plugin(line('later', '--as', 'nobody', '-o', 'json')),
    };
  });
  after(() => server.stop());

  it('ends with 0 as soon as the next call succeeds', async () => {
    const { code, stdout } = await wait('hosted', '--timeout', '60s');
    expect(stdout).to.match(/^The next call succeeds \(waited \d+\.\d s\)\.\n$/);
    expect(code).to.equal(0);
  });
  it('ends with 1 after the timeout, with the state that doctor reports', async () => {
    const { code, stdout } = await ended.text;
    expect(stdout)
      .to.include('FAILING')
      .and.include('Service shop/gone does not exist')
      .and.match(/\nTimed out: no successful call is expected yet \(waited \d+\.\d s\)\.\n$/);
    expect(code).to.equal(1);
  });
  it('waits for a webhook that does not exist yet', async () => {
    const { code, stdout } = await ended.later;
    const report = JSON.parse(stdout);
    expect(waitSchemaErrors(report)).to.deep.equal([]);
    expect(report).to.deep.include({ succeeded: false, callouts: [] });
    expect(report.waitsFor).to.include('"later"');
    expect(report.waitedMs).to.be.at.least(100);
    expect(code).to.equal(1);
  });
  it('does not report a webhook as absent if it cannot list webhooks', async () => {
    const { code, stdout } = await ended.forbidden;
    expect(JSON.parse(stdout).waitsFor).to.match(
      /^apiservices.* and validatingwebhookconfigurations cannot be read \(forbidden\)$/,
    );
    expect(code).to.equal(1);
  });
  it('prints one document', async () => {
    const { stdout } = await ended.json;
    const report = JSON.parse(stdout);
    expect(waitSchemaErrors(report)).to.deep.equal([]);
    expect(report.callouts[0].verdict).to.deep.include({ state: 'failing', because: ['service-missing'] });
  });
  it('ends with 2 without a name, and without a cluster', async () => {
    const nothing = await plugin(line());
    expect(nothing.stderr).to.include('no webhook is named');
    expect(nothing.code).to.equal(2);
    expect((await wait('policy', '--server', 'https://127.0.0.1:1')).code).to.equal(2);
  });
});
