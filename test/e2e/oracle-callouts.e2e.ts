import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { expect } from 'chai';
import { closedApi } from '../../src/apiserver/aggregation/closed-api.ts';
import { nextCall } from '../../src/apiserver/next-call/next-call.ts';
import { parseCallError } from '../../src/apiserver/sentences/call-error/parse-call-error.ts';
import type { AggregatedApiCallout, Callout } from '../../src/facts/callout.ts';
import type { Condition } from '../../src/facts/objects/metadata.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority } from '../support/certificates.ts';
import { recordAnswers } from '../support/recordings.ts';
import {
  aggregated,
  apiService,
  backendsOf,
  type Case,
  conversions,
  crd,
  foretoldResults,
  liveIdentity,
  type Place,
} from './callout-cases.ts';
import { answerOfAnyRun, createBackend, service, slice } from './oracle-cases.ts';
import { factsOf, ownAddress } from './oracle-facts.ts';

/**
 * A server of an aggregated API that responds with an empty list, except for the group of the case `erring`.
 */
async function liveServer(address: string, namespace: string): Promise<{ server: Server; cert: string }> {
  const { cert, key } = await liveIdentity(namespace);
  const server = createServer({ cert, key }, ({ url = '' }, response) => {
    response.statusCode = url.startsWith('/apis/erring.') ? 500 : 200;
    response.setHeader('content-type', 'application/json').end('{"kind":"APIResourceList","resources":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return { server, cert };
}

const calloutOf = (snapshot: Snapshot, configuration: string): Callout => {
  const found = snapshot.facts.callouts.find((callout) => callout.configuration === configuration);
  if (found === undefined) throw new Error(`No callout of ${configuration}`);
  return found;
};
/** Agrees to HTTP/2 and responds with something else. */
async function wordyServer(address: string, namespace: string, answer: string): Promise<TlsServer> {
  const server = createTlsServer({ ...(await liveIdentity(namespace)), ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(answer, () => socket.destroy()));
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return server;
}

const words = 'instead of HTTP/2, the server of an APIService sends ';

describe('the API server’s own sentences about conversion and aggregated APIs', () => {
  let served: string | undefined;
  countAgreement(
    'callouts',
    () => served,
    (title) => !title.startsWith(words),
  );
  const recorded = new Map<string, string>();
  after(() => {
    const all = 2 * (conversions.length + 2 * aggregated.length);
    if (served !== undefined && recorded.size === all) recordAnswers('callouts', served, recorded);
  });

  for (const mode of ['cluster-ip', 'endpoints'] as const) {
    describe(mode === 'endpoints' ? 'with aggregator routing' : 'by ClusterIP', function () {
      needs('api-server');
      this.timeout(120_000);
      let scene: Scene;
      let place: Place;
      let server: Server;
      let snapshot: Snapshot;

      before(async () => {
        const { client, kubeconfig } = await apiServer({ aggregatorRouting: mode === 'endpoints' });
        scene = await openScene(client);
        const address = ownAddress();
        const { namespace } = scene;
        const live = await liveServer(address, namespace);
        server = live.server;
        const { port: livePort } = server.address() as AddressInfo;
        const { cert: otherAuthority } = await authority({ cn: 'another' });
        place = { namespace, address, livePort, certificate: live.cert, otherAuthority };
        await createBackend(scene, backendsOf(place));
        for (const oracleCase of conversions) await scene.create(crd(oracleCase, place));
        for (const oracleCase of aggregated) await scene.create(apiService(oracleCase, place));
        snapshot = await factsOf(kubeconfig);
        served = snapshot.cluster.version;
      });
      after(async () => {
        server?.closeAllConnections();
        server?.close();
        await scene?.leave();
      });

      const foretold = (what: string, revision?: string): string => {
        const asking = { place, mode, facts: snapshot.facts };
        return foretoldResults(asking, revision).get(`${mode}: ${what}`) ?? '';
      };

      for (const { name, expected } of conversions) {
        const isCut = expected[mode] === 'dialled';
        it(`conversion: ${name}`, async () => {
          const group = `/apis/${name}.example.com`;
          const widget = { apiVersion: `${name}.example.com/v1`, kind: 'Widget', metadata: { name: 'one' } };
          let answer = '';
          let wanted = '';
          const agrees = () => (isCut ? answer.startsWith(wanted) : answer === wanted);
          await waitFor(
            name,
            async () => {
              const at = `namespaces/${scene.namespace}/widgets`;
              await scene.client.request('POST', `${group}/v1/${at}`, widget);
              const stored = await scene.client.request('GET', `${group}/v1/${at}/one`);
              const { metadata } = JSON.parse(stored.body) as KubeObject;
              wanted = foretold(`conversion ${name}`, String(metadata.resourceVersion));
              const { body } = await scene.client.request('GET', `${group}/v1beta1/${at}/one`);
              answer = body.startsWith('{') ? (JSON.parse(body) as { message: string }).message : body.trim();
              return agrees();
            },
            { timeout: isCut ? 40_000 : 10_000 },
          ).catch(() => undefined);
          note(`conversion ${name}`, answer, isCut ? wanted : answer);
          if (!agrees()) expect(answer).to.equal(wanted);
        });
      }

      for (const { name } of aggregated) {
        it(`APIService: ${name}`, async () => {
          const object = {
            apiVersion: 'apiregistration.k8s.io/v1',
            kind: 'APIService',
            metadata: { name: `v1.${name}.aggregated.example.com` },
          };
          const callout = calloutOf(snapshot, object.metadata.name) as AggregatedApiCallout;
          const { facts } = snapshot;
          const [condition, body] = [foretold(`condition ${name}`), foretold(`body ${name}`)];
          // The end depends on the machine.
          const isCut = condition.startsWith('FailedDiscoveryCheck') && condition.endsWith(': ');
          const agrees = () => (isCut ? seen.startsWith(condition) : seen === condition);

          let seen = '';
          let conditions: readonly Condition[] = [];
          await waitFor(
            condition,
            async () => {
              conditions = (await scene.client.get(object))?.status?.conditions ?? [];
              const available = conditions.find(({ type }) => type === 'Available');
              seen = available === undefined ? 'none' : `${available.reason}: ${available.message}`;
              return agrees();
            },
            { timeout: 30_000, interval: 200 },
          ).catch(() => undefined);
          note(`condition ${name}`, seen, isCut ? condition : seen);
          if (!agrees()) expect(seen).to.equal(condition);
          let answer = '';
          await waitFor(
            body,
            async () => {
              answer = (await scene.client.request('GET', `/apis/${callout.group}/v1/widgets`)).body.trim();
              return answer === body;
            },
            { timeout: 10_000 },
          ).catch(() => undefined);
          note(`body ${name}`, answer, answer);
          expect(answer).to.equal(body);
          if (closedApi({ conditions }) === undefined) return;
          expect(nextCall({ ...callout, conditions }, facts).sentence).to.equal(answer);
        });
      }

      if (mode === 'endpoints')
        for (const [name, answer] of [
          ['wordy', 'no such thing, sorry\r\n\r\n'],
          ['older', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
        ] as const)
          it(`${words}${answer.trim()}`, async () => {
            const wordy = await wordyServer(place.address, place.namespace, answer);
            const { port } = wordy.address() as AddressInfo;
            const one: Case = { name, expected: { 'cluster-ip': 'dialled', endpoints: 'dialled' } };
            const addresses = slice(name, [{ addresses: [place.address] }], { ports: [{ port }] });
            await createBackend(scene, [service(name), addresses]);
            const object = await scene.create(apiService(one, place));
            const message = await waitFor(`the condition of ${name}`, async () => {
              const conditions: readonly Condition[] =
                (await scene.client.get(object))?.status?.conditions ?? [];
              return conditions.find(({ reason }) => reason === 'FailedDiscoveryCheck')?.message;
            });
            wordy.close();
            // Older clients read the rest of a frame of this length first.
            const kind = /: unexpected EOF$/.test(message) ? 'connection-closed' : 'not-http';
            expect(parseCallError(message)?.cause?.kind, message).to.equal(kind);
          });

      const note = (what: string, answer: string, cut: string): void => {
        recorded.set(`${mode}: ${what}`, answerOfAnyRun(answer, cut, place));
      };
    });
  }
});
