import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, fileWith, plugin } from '../support/plugin.ts';
import { webhook } from '../support/snapshot.ts';

const configuration = (name: string, backend: string, failurePolicy = 'Fail') => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: {
        caBundle: webhook().client.caBundle,
        service: { namespace: 'shop', name: backend, port: 443 },
      },
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
          scope: '*',
        },
      ],
      failurePolicy,
      timeoutSeconds: 10,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

/** Refused: exit code 2, nothing on stdout, one sentence, no stack trace. */
function refused({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  expect(stderr).to.match(sentence);
  expect(stderr).to.not.match(/\n\s+at |internal error/);
  expect(stdout).to.equal('');
  expect(code).to.equal(2);
}

describe('kubectl webhook doctor', () => {
  let server: DemoApiServer;
  let admin: string;
  before(async () => {
    server = await startApiServer({
      objects: [
        configuration('policy', 'gone'),
        configuration('\u001b[31mred', 'gone', 'Ignore'),
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } },
        },
      ],
      users: {
        reader: [
          {
            apiGroups: ['admissionregistration.k8s.io'],
            resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
            verbs: ['get', 'list'],
          },
        ],
        nobody: [],
      },
    });
    admin = fileWith(server.kubeconfig());
  });
  after(() => server.stop());

  it('prints the report to stdout, nothing to stderr, and ends with 1 if something is broken', async () => {
    const { code, stdout, stderr } = await plugin(['doctor', '--kubeconfig', admin]);
    expect(stdout.replace(/\s+/g, ' '))
      .to.match(/failing/i)
      .and.include('Service shop/gone does not exist');
    expect(stderr).to.equal('');
    expect(code).to.equal(1);
  });

  it('prints no control character of the cluster on a terminal', async () => {
    const { stdout } = await inProcess(['doctor', '--kubeconfig', admin, '--all']);
    expect(stdout).to.not.include('\u001b');
    expect(stdout).to.include('\\u{1b}[31mred');
  });

  it('prints one JSON document', async () => {
    const { stdout } = await inProcess(['doctor', '--kubeconfig', admin, '-o', 'json']);
    const report = JSON.parse(stdout);
    const [, policy] = report.callouts;
    expect(report).to.include({ apiVersion: 'kubectl-webhook/v1', kind: 'DoctorReport' });
    expect(policy.verdict).to.include({ state: 'failing', link: 'routing', effect: 'blocks' });
    expect(policy.verdict.because[0]).to.equal('service-missing');
    expect(policy.verdict.error).to.match(/service "gone" not found$/);
  });

  it('prints the same as YAML', async () => {
    const { stdout } = await inProcess(['doctor', '--kubeconfig', admin, '-o', 'yaml']);
    expect(parse(stdout)).to.have.property('kind', 'DoctorReport');
  });

  it('prints only the named callout', async () => {
    const { stdout } = await inProcess(['doctor', 'policy', '--kubeconfig', admin, '-o', 'json']);
    expect(JSON.parse(stdout).summary.callouts.total).to.equal(1);
  });

  it('does not count a skipped check, but keeps the state', async () => {
    const args = [
      'doctor',
      'policy',
      '--kubeconfig',
      admin,
      '-o',
      'json',
      '--severity',
      'error',
      '--skip',
      'service-missing',
    ];
    const { stdout, code } = await inProcess(args);
    expect(JSON.parse(stdout).callouts[0].verdict.state).to.equal('failing');
    expect(JSON.parse(stdout).findings.map(({ check }: { check: string }) => check)).to.deep.equal([]);
    expect(code).to.equal(0);
  });

  it('--fail-on never ends with 0, whatever the findings', async () => {
    expect((await inProcess(['doctor', '--kubeconfig', admin, '--fail-on', 'never'])).code).to.equal(0);
  });

  it('works with read access to webhook configurations only, reports what could not be read, and ends with 3', async () => {
    const { code, stdout } = await inProcess([
      'doctor',
      '--kubeconfig',
      fileWith(server.kubeconfig('reader')),
      '-o',
      'json',
    ]);
    const report = JSON.parse(stdout);
    expect(report.summary.callouts).to.include({ total: 2, unknown: 2 });
    expect(report.notLookedAt.map((one: { what: string }) => one.what)).to.include(
      'services in namespace shop',
    );
    expect(report.notLookedAt[0].allow.verbs).to.deep.equal(['list']);
    expect(code).to.equal(3);
  });

  it('ends with 3 if every read is forbidden', async () => {
    const { code, stdout } = await inProcess([
      'doctor',
      '--kubeconfig',
      fileWith(server.kubeconfig('nobody')),
    ]);
    expect(stdout).to.match(/forbidden/i);
    expect(code).to.equal(3);
  });

  it('-v 6 logs requests to stderr, without credentials', async () => {
    const { stderr } = await inProcess(['doctor', '--kubeconfig', admin, '-v', '6']);
    expect(stderr).to.match(/^GET \/version 200/m);
    expect(stderr).to.not.include(server.token());
  });

  describe('refuses, with exit code 2 and one sentence,', () => {
    const unreachable = (url: string) =>
      fileWith(server.kubeconfig().replace(/https:\/\/127\.0\.0\.1:\d+/, url));
    const listening = (start: (done: (port: number) => void) => { close(): void }) =>
      new Promise<{ port: number; close: () => void }>((resolve) => {
        const running = start((port) => resolve({ port, close: () => running.close() }));
      });

    it('an unknown context', async () =>
      refused(await inProcess(['doctor', '--kubeconfig', admin, '--context', 'nope']), /context.*"?nope"?/));
    it('a kubeconfig that does not exist', async () =>
      refused(await inProcess(['doctor', '--kubeconfig', '/nonexistent/config']), /nonexistent\/config/));
    it('a broken kubeconfig', async () =>
      refused(await inProcess(['doctor', '--kubeconfig', fileWith('clusters: [}')]), /kubeconfig/));
    it('no cluster', async () => refused(await inProcess(['doctor']), /no cluster|kubeconfig/i));
    it('a server that refuses connections', async () =>
      refused(await inProcess(['doctor', '--kubeconfig', unreachable('https://127.0.0.1:1')]), /refused/));
    it('a host name that does not resolve', async () =>
      refused(
        await inProcess(['doctor', '--kubeconfig', unreachable('https://nowhere.invalid')]),
        /nowhere\.invalid/,
      ));
    it('an expired token', async () =>
      refused(
        await inProcess(['doctor', '--kubeconfig', admin, '--token', 'expired']),
        /credentials|log in|unauthorized/i,
      ));
    it('a server with an unknown certificate', async () => {
      const untrusted = fileWith(
        server.kubeconfig().replace(/,?\s*"certificate-authority-data": "[^"]*"/, ''),
      );
      refused(await inProcess(['doctor', '--kubeconfig', untrusted]), /certificate/);
    });
    it('a server that returns HTML', async () => {
      const page = await listening((done) => {
        const http = createServer((_, response) =>
          response.setHeader('content-type', 'text/html').end('<html>login</html>'),
        );
        return http.listen(0, '127.0.0.1', () => done((http.address() as AddressInfo).port));
      });
      refused(await inProcess(['doctor', '--server', `http://127.0.0.1:${page.port}`]), /HTML|Kubernetes/i);
      page.close();
    });
    it('a server that returns 404 for everything', async () => {
      const http = createServer((_, response) => response.writeHead(404).end('404 page not found\n'));
      await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
      try {
        const server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
        for (const command of [['doctor'], ['list'], ['cert-check'], ['wait', 'x'], ['alerts']])
          refused(
            await inProcess([...command, '--server', server]),
            /does not serve \S+: 404 page not found/,
          );
      } finally {
        http.close();
      }
    });
    it('a server that never responds', async () => {
      const deaf = await listening((done) => {
        const sockets = createSocketServer();
        return sockets.listen(0, '127.0.0.1', () => done((sockets.address() as AddressInfo).port));
      });
      refused(
        await inProcess(['doctor', '--server', `http://127.0.0.1:${deaf.port}`, '--timeout', '500ms']),
        /answer|time/i,
      );
      deaf.close();
    });
    it('a callout that does not exist, and lists the existing ones', async () =>
      refused(
        await inProcess(['doctor', 'polcy', '--kubeconfig', admin]),
        /"polcy"[\s\S]*validating\/policy/,
      ));
    it('an unknown check', async () =>
      refused(
        await inProcess(['doctor', '--kubeconfig', admin, '--check', 'service-mising']),
        /service-mising[\s\S]*service-missing|no check/,
      ));
    it('an unknown flag', async () => refused(await inProcess(['doctor', '--al']), /--al/));
    it('a wrong output format', async () => refused(await inProcess(['doctor', '-o', 'xml']), /xml/));
    it('an unknown probe level', async () => refused(await inProcess(['doctor', '--probe', 'all']), /probe/));
    it('an invalid duration', async () => refused(await inProcess(['doctor', '--timeout', 'soon']), /soon/));
  });
});
