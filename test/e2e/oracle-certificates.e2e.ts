import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { expect } from 'chai';
import { verifyServerCertificate } from '../../src/apiserver/certificate/verify/verify-server-certificate.ts';
import {
  admissionFailure,
  callSentence,
  internalError,
} from '../../src/apiserver/sentences/call-sentence.ts';
import { behaves } from '../../src/apiserver/server-version.ts';
import type { KubeObject } from '../cluster/client.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { pemOf } from '../oracle/certificate/make-certificate.ts';
import { type RepresentativeCase, representativeCases } from '../oracle/certificate/representative-cases.ts';
import { webhook } from '../support/snapshot.ts';
import { createBackend, service, slice } from './oracle-cases.ts';
import { ownAddress } from './oracle-facts.ts';

/** Any key and signature: OpenSSL's own limits are not tested. */
const anyStrength = 'DEFAULT@SECLEVEL=0';

const contextOf = ({ presented, key }: RepresentativeCase): SecureContext =>
  createSecureContext({
    cert: presented.map((der) => pemOf(der)).join(''),
    key: key.privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ciphers: anyStrength,
  });

/** A webhook that admits everything and presents, for each name, the chain of that case. */
async function webhookServer(cases: readonly RepresentativeCase[], address: string) {
  const contexts = new Map(cases.map((asked) => [asked.host, contextOf(asked)]));
  const asked = new Set<string>();
  const server = createServer(
    {
      ciphers: anyStrength,
      SNICallback: (name, done) => {
        const context = contexts.get(name);
        if (context === undefined) done(new Error(`no case ${name}`));
        else done(null, context);
      },
    },
    (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.add((request.headers.host ?? '').replace(/:\d+$/, ''));
        const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
        const answer = {
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid, allowed: true },
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return { server, port: (server.address() as AddressInfo).port, asked };
}

/** Called for ConfigMaps with the label `case: NAME`. */
const configurationOf = ({ name, caBundle }: RepresentativeCase, namespace: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: {
        service: { namespace, name, path: '/validate' },
        caBundle: caBundle.toString('base64'),
      },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { case: name } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 10,
    },
  ],
});

const ask = (scene: Scene, name: string): Promise<string> =>
  scene
    .create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'probe-', labels: { case: name } } },
      { dryRun: true },
    )
    .then(
      () => 'admitted',
      (error: Error) => error.message,
    );

/** The time in the API server's error, if it contains one. */
function clockIn(answer: string): Date {
  const said = /current time (\S+) is/.exec(answer)?.[1];
  const now = new Date(said ?? Date.now());
  expect(Math.abs(now.getTime() - Date.now())).to.be.below(60_000);
  return now;
}

/**
 * Certificates that a server with OpenSSL does not present, because the API server's ClientHello excludes
 * them: it ends the handshake itself. Go servers present them, which oracle-go-certificates.e2e.ts tests.
 */
const neverPresented: Readonly<Record<string, string>> = {
  'md5-rsa': 'remote error: tls: handshake failure',
};

/** The complete error that the model predicts. */
function foretold(asked: RepresentativeCase, namespace: string, now: Date, serverVersion: string): string {
  const verdict = verifyServerCertificate({ ...asked, now, serverVersion });
  if (verdict.outcome === 'accepted') return 'admitted';
  const told = verdict.error ?? 'no words';
  const words = neverPresented[asked.name] ?? told;
  const callout = webhook({
    webhook: `${asked.name}.example.com`,
    client: { service: { namespace, name: asked.name, port: 443, path: '/validate' } },
  });
  const isDialled = verdict.outcome !== 'rejected' || verdict.faults[0].kind !== 'ca-bundle-unreadable';
  return internalError(
    isDialled
      ? callSentence(callout, words, serverVersion)
      : admissionFailure(callout, `could not get REST client: ${words}`),
  );
}

const kubernetes = wantedVersion() ?? defaultVersion;
/** OpenSSL's handling of an MD5 signature is known for the ClientHello of a Go 1.24 module and later. */
const isPresented = (name: string): boolean => name !== 'md5-rsa' || behaves(kubernetes, 'small-rsa-refused');
const names = representativeCases((name) => name, new Date())
  .map(({ name }) => name)
  .filter(isPresented);

describe(`certificates, as the API server ${kubernetes} verifies them`, function () {
  needs('api-server');
  this.timeout(100_000);
  let scene: Scene;
  let cases: readonly RepresentativeCase[] = [];
  let server: Server;
  let hits: ReadonlySet<string>;
  let version: string | undefined;
  countAgreement('certificates', () => version);

  before(async () => {
    const { client } = await apiServer({ aggregatorRouting: true, version: kubernetes });
    scene = await openScene(client);
    version = `v${kubernetes}`;
    cases = representativeCases((name) => `${name}.${scene.namespace}.svc`, new Date());
    const address = ownAddress();
    const serving = await webhookServer(cases, address);
    server = serving.server;
    hits = serving.asked;
    for (const asked of cases) {
      const ports = [{ port: serving.port }];
      await createBackend(scene, [
        service(asked.name),
        slice(asked.name, [{ addresses: [address] }], { ports }),
      ]);
      await scene.create(configurationOf(asked, scene.namespace));
    }
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
  });

  for (const name of names) {
    it(name, async () => {
      const asked = cases.find((found) => found.name === name) as RepresentativeCase;
      let answer = '';
      let expected = '';
      await waitFor(
        name,
        async () => {
          answer = await ask(scene, name);
          expected = foretold(asked, scene.namespace, clockIn(answer), version ?? '');
          return answer === expected && (answer !== 'admitted' || hits.has(asked.host));
        },
        { timeout: 5_000 },
      ).catch(() => expect(answer).to.equal(expected));
    });
  }
});
