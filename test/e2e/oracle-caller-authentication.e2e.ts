import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { openScene } from '../cluster/scene.ts';
import { apiServer, needs, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address, configurationOf, rule, within } from './dry-writes.ts';

const ca = await authority({ cn: 'webhook-ca' });
const callers = await authority({ cn: 'callers-ca' });
const serving = await issue(ca, { ips: [address] });
const token = 'token-of-the-api-server';

/** An AdmissionConfiguration with credentials for every webhook. */
async function withCredentials(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-callers-'));
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const client = await issue(callers, { cn: 'kube-apiserver', eku: ['client'] });
  const kubeConfigFile = file(
    'webhooks.kubeconfig',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      users: [
        {
          name: '*',
          user: {
            'client-certificate': file('client.crt', client.cert),
            'client-key': file('client.key', client.key),
            token,
          },
        },
      ],
    }),
  );
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile,
  };
  const admission = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
  };
  const path = file('admission.json', JSON.stringify(admission));
  return apiServer({ arguments: [`--admission-control-config-file=${path}`] });
}

/** A server that requires a bearer token. */
async function tokenServer() {
  const server = createServer(serving, (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('who are you');
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const { apiVersion, kind, request: asked } = JSON.parse(body) as Record<string, { uid?: string }>;
      const answer = { apiVersion, kind, response: { uid: asked?.uid, allowed: true } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return { port: (server.address() as AddressInfo).port, close: async () => server.close() };
}

const demanding = {
  certificates: {
    check: 'client-certificate-demanded',
    start: () => startBackend({ certificate: serving, bind: address, clientCa: callers.cert }),
    says: /remote error: tls: certificate required/,
  },
  tokens: {
    check: 'response-unauthorized',
    start: tokenServer,
    says: /the server has asked for the client to provide credentials|who are you/,
  },
};

const clusters: Readonly<Record<string, () => Promise<TestCluster>>> = {
  'an API server with credentials for webhooks': withCredentials,
  'an API server without': () => apiServer(),
};

/** The credentials that the API server presents to the webhook `name` in one call. */
async function shownBy(cluster: TestCluster): Promise<string | undefined> {
  const scene = await openScene(cluster.client);
  let shown: string | undefined;
  let calls = 0;
  const server = createServer(serving, ({ headers }, response) => {
    calls++;
    shown = headers.authorization;
    response.writeHead(401).end('who are you');
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const name = `shown-${scene.namespace}`;
    await scene.create(
      configurationOf(name, {
        clientConfig: {
          url: `https://${address}:${port}/check`,
          caBundle: Buffer.from(ca.cert).toString('base64'),
        },
        rules: [rule('core', 'CREATE', 'configmaps')],
        namespaceSelector: within(scene.namespace),
      }),
    );
    const attempt = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'trial-' } };
    await waitFor('a call', async () => {
      await scene.create(attempt, { dryRun: true }).catch(() => undefined);
      return calls > 0;
    });
    return shown;
  } finally {
    await scene.leave();
    server.close();
  }
}

describe('a webhook that authenticates the API server', function () {
  needs('api-server');
  this.timeout(120_000);

  // KEP-6060 is implemented in parts: kube-apiserver 1.37 does not send the tokens yet.
  if (wantedVersion()?.startsWith('1.37.'))
    it('gets no token from an API server that can issue one', async () => {
      const gate = '--feature-gates=APIServerWebhookAuthenticationToken=true';
      expect(await shownBy(await apiServer({ arguments: [gate] }))).to.equal(undefined);
    });

  for (const [whose, start] of Object.entries(clusters)) {
    for (const [what, { check, start: serve, says }] of Object.entries(demanding)) {
      const knows = start === withCredentials;
      it(`${what}, and ${whose}: ${knows ? 'healthy' : 'failing'}; without its own call, unknown`, async () => {
        const cluster = await start();
        const scene = await openScene(cluster.client);
        const server = await serve();
        try {
          const url = `https://${address}:${server.port}/check`;
          const register = (name: string, failurePolicy: string) =>
            scene.create(
              configurationOf(name, {
                clientConfig: { url, caBundle: Buffer.from(ca.cert).toString('base64') },
                rules: [rule('core', 'CREATE', 'configmaps')],
                namespaceSelector: within(scene.namespace),
                failurePolicy,
              }),
            );
          const attempt = () =>
            scene
              .create(
                { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'trial-' } },
                { dryRun: true },
              )
              .then(
                () => 'created',
                (error: Error) => error.message,
              );
          const name = `callers-${scene.namespace}`;
          const created = await register(name, 'Fail');
          if (knows) {
            await new Promise((resolve) => setTimeout(resolve, 1000));
            expect(await attempt()).to.equal('created');
          } else await waitFor('the refusal', async () => says.test(await attempt()), { timeout: 20_000 });
          const doctor = async (...args: string[]) => {
            const flags = ['--kubeconfig', cluster.kubeconfig, '-o', 'json', ...args];
            const { stdout, stderr, code } = await plugin(['doctor', name, ...flags]);
            expect(stdout, stderr).to.match(/^\{/);
            const { callouts } = JSON.parse(stdout) as DoctorReport;
            return { code, verdict: callouts[0]?.verdict };
          };
          const { code, verdict } = await doctor();
          if (knows) expect({ code, state: verdict?.state }).to.deep.equal({ code: 0, state: 'healthy' });
          else {
            expect(verdict).to.deep.include({ state: 'failing', because: [check], confidence: 'observed' });
            expect(verdict?.error).to.match(says);
          }
          // Without a dry run it is unknown whether the API server would be refused as well.
          if (what === 'certificates') {
            expect((await doctor('--probe', 'connect')).verdict?.state).to.equal('unknown');
          }
          await scene.client.delete(created);
          await register(name, 'Ignore');
          const open = await doctor();
          expect(open.verdict).to.include({ state: 'unknown' });
        } finally {
          await scene.leave();
          await server.close();
        }
      });
    }
  }
});
