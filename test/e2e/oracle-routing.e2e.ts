import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { CallResult } from '../../src/apiserver/connection/call-result.ts';
import { routingModeOf } from '../../src/apiserver/routing/routing-mode.ts';
import { parseCallError } from '../../src/apiserver/sentences/call-error/parse-call-error.ts';
import { internalError } from '../../src/apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout } from '../../src/facts/callout.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { brokenConfiguration, probeBroken } from '../oracle/broken-server.ts';
import { authority, issue } from '../support/certificates.ts';
import { messageOfAnyRun, recordAnswers } from '../support/recordings.ts';
import { brokenServers, rootOfBrokenServers } from './broken-servers.ts';
import {
  answerOfAnyRun,
  createBackend,
  foretoldAnswer,
  oracleCases,
  routedConfiguration,
  type Stage,
} from './oracle-cases.ts';
import { factsOf, ownAddress } from './oracle-facts.ts';

/** Admits everything. */
async function admittingWebhook(
  names: readonly string[],
  address: string,
): Promise<{ server: Server; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { dns: names });
  const server = createServer({ cert, key }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid, allowed: true },
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(review));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return { server, ca: ca.cert };
}

const ask = (scene: Scene, name: string, characters = 0): Promise<string> =>
  scene
    .create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'probe-', labels: { case: name } },
        data: { text: 'x'.repeat(characters) },
      },
      { dryRun: true },
    )
    .then(
      () => 'admitted',
      (error: Error) => error.message,
    );

describe('the API server’s own sentences', () => {
  const understood = 'are all understood, and prove no other mode';
  let version: string | undefined;
  countAgreement(
    'routing',
    () => version,
    (title) => title !== understood,
  );
  const recorded = new Map<string, string>();
  after(() => {
    if (version !== undefined && recorded.size === 2 * oracleCases.length)
      recordAnswers('routing', version, recorded);
  });

  for (const mode of ['cluster-ip', 'endpoints'] as const) {
    describe(mode === 'endpoints' ? 'with aggregator routing' : 'by ClusterIP', function () {
      needs('api-server');
      this.timeout(120_000);
      const answers: string[] = [];
      let scene: Scene;
      let stage: Stage;
      let server: Server;
      let snapshot: Snapshot;

      before(async () => {
        const { client, kubeconfig } = await apiServer({ aggregatorRouting: mode === 'endpoints' });
        scene = await openScene(client);
        const address = ownAddress();
        const names = oracleCases.map(({ name }) => `${name}.${scene.namespace}.svc`);
        const admitting = await admittingWebhook(names, address);
        server = admitting.server;
        const { port: livePort } = server.address() as AddressInfo;
        stage = { namespace: scene.namespace, address, livePort, ca: admitting.ca };
        for (const oracleCase of oracleCases) {
          await createBackend(scene, oracleCase.objects?.(stage) ?? []);
          await scene.create(routedConfiguration(oracleCase, stage));
        }
        snapshot = await factsOf(kubeconfig);
        version = snapshot.cluster.version;
      });
      after(async () => {
        server?.closeAllConnections();
        server?.close();
        await scene?.leave();
      });

      for (const { name, expected } of oracleCases) {
        it(name, async () => {
          const callout = snapshot.facts.callouts.find(({ configuration }) => configuration === name);
          const { facts } = snapshot;
          const sentence = foretoldAnswer(expected[mode], callout as AdmissionCallout, facts, mode, stage);
          let answer = '';
          const agrees = () =>
            expected[mode] === 'sent' ? answer.startsWith(sentence) : answer === sentence;
          await waitFor(
            name,
            async () => {
              answer = await ask(scene, name);
              return agrees();
            },
            { timeout: 8_000 },
          ).catch(() => undefined);
          const cut = expected[mode] === 'sent' ? sentence : answer;
          recorded.set(`${mode}: ${name}`, answerOfAnyRun(answer, cut, stage));
          if (!agrees()) expect(answer).to.equal(sentence);
          if (answer !== 'admitted') answers.push(answer);
        });
      }

      it(understood, () => {
        for (const answer of answers) {
          const parsed = parseCallError(answer);
          expect(parsed, answer).to.include({ kind: 'call-failure' });
          expect(parsed?.cause?.kind, answer).to.be.a('string').and.not.equal('other');
        }
        const { services, endpointSlices } = snapshot.facts;
        const texts = answers.map((text) => ({ text, where: 'a dry run' }));
        expect(routingModeOf(texts, services, endpointSlices).mode).to.equal(mode);
      });
    });
  }
});

describe('a connection that fails, for a probe and for the API server', function () {
  needs('api-server');
  this.timeout(120_000);
  const met = new Map<string, { readonly callResult: CallResult; readonly answer: string }>();
  const servers: Server[] = [];
  let scene: Scene;
  let version: string | undefined;
  countAgreement('connections', () => version);

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    const address = ownAddress();
    const ca = await authority({ cn: 'policy-ca' });
    const identity = await issue(ca, { ips: [address] });
    for (const [index, { serve, timeoutSeconds = 8 }] of brokenServers.entries()) {
      const server = serve({ address, ca: ca.cert, ...identity }) as Server;
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, address, resolve));
      const { port } = server.address() as AddressInfo;
      const caBundle = Buffer.from(`${ca.cert}${rootOfBrokenServers}`).toString('base64');
      await scene.create(brokenConfiguration(index, { address, port, caBundle, timeoutSeconds }));
    }
    const snapshot = await factsOf(kubeconfig);
    ({ version } = snapshot.cluster);
    await Promise.all(
      brokenServers.map(async ({ name, data }, index) => {
        const callout = snapshot.facts.callouts.find(
          ({ configuration }) => configuration === `broken-${index}`,
        );
        const [answer, callResult] = await Promise.all([
          waitFor(`an answer about a server that ${name}`, async () => {
            const said = await ask(scene, `broken-${index}`, data);
            return said === 'admitted' ? undefined : said;
          }),
          probeBroken(callout as AdmissionCallout, snapshot.facts, version).then((meet) => meet(version)),
        ]);
        met.set(name, { callResult, answer });
      }),
    );
  });
  after(async () => {
    for (const server of servers) server.close();
    await scene?.leave();
    const answers = brokenServers.flatMap(({ name }) => {
      const { answer } = met.get(name) ?? {};
      return answer === undefined ? [] : [[name, messageOfAnyRun(answer)] as const];
    });
    if (version !== undefined) recordAnswers('connections', version, new Map(answers));
  });

  for (const { name, uncertain } of brokenServers) {
    it(name, () => {
      const { callResult, answer } = met.get(name) ?? {};
      if (callResult?.outcome !== 'fails') throw new Error(`${answer}; ${JSON.stringify(callResult)}`);
      expect(callResult.sentence === undefined ? undefined : internalError(callResult.sentence)).to.equal(
        uncertain ? undefined : answer,
      );
      const cause = parseCallError(answer ?? '')?.cause?.kind;
      expect(cause, answer).to.be.a('string').and.not.equal('other');
    });
  }
});
