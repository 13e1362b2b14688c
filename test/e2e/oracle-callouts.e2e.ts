import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isNeverDialed, unavailableBecause } from '../../src/apiserver/aggregation/availability.ts';
import { closedApi } from '../../src/apiserver/aggregation/closed-api.ts';
import { trustOf } from '../../src/apiserver/certificate/anchors.ts';
import { pemCertificates } from '../../src/apiserver/certificate/pem.ts';
import { verifyServerCertificate } from '../../src/apiserver/certificate/verify-server-certificate.ts';
import { nextCall } from '../../src/apiserver/next-call/next-call.ts';
import { routeTo } from '../../src/apiserver/routing/route.ts';
import { callSentence, internalError } from '../../src/apiserver/sentences/call-sentence.ts';
import type { AggregatedApiCallout, Callout } from '../../src/facts/callout.ts';
import type { Condition } from '../../src/facts/objects/metadata.ts';
import { behaves } from '../../src/facts/server-version.ts';
import type { RoutingMode, Snapshot } from '../../src/facts/snapshot.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority, issue } from '../support/certificates.ts';
import { discoveryUrl, storedObjectFailure } from '../support/further-texts.ts';
import { createBackend, deadPort, service, slice } from './oracle-cases.ts';
import { factsOf, ownAddress } from './oracle-facts.ts';

interface Place {
  readonly namespace: string;
  readonly address: string;
  readonly livePort: number;
  /** PEM: what the live server shows, and an authority that did not sign it. */
  readonly certificate: string;
  readonly otherAuthority: string;
}
interface Case {
  readonly name: string;
  readonly objects?: (place: Place) => readonly KubeObject[];
  /** Merged over the client configuration (CRD) or the spec (APIService). */
  readonly client?: (place: Place) => object;
  /**
   * `predicted`: nextCall’s words. `refused`: a refused connection to the endpoint. `dialled`: a connection to where
   * nobody answers, whose last words are the machine’s. `answered`: the live server’s answer. `untrusted`: what the
   * verifier says of its certificate. `erring`: the live server answers with status 500.
   */
  readonly expected: Readonly<
    Record<RoutingMode, 'predicted' | 'refused' | 'dialled' | 'answered' | 'untrusted' | 'erring'>
  >;
}
const both = (expected: 'predicted' | 'refused' | 'dialled'): Case['expected'] => ({
  'cluster-ip': expected,
  endpoints: expected,
});
const dials = { 'cluster-ip': 'dialled', endpoints: 'refused' } as const;
const at = (address: string, conditions?: object): object => ({
  addresses: [address],
  ...(conditions && { conditions }),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const behind =
  (name: string, spec: object = {}, over: object = {}, conditions?: object) =>
  ({ address }: Place) => [service(name, spec), slice(name, [at(address, conditions)], over)];

const conversions: readonly Case[] = [
  { name: 'gone', expected: both('predicted') },
  {
    name: 'elsewhere',
    client: () => ({ service: { namespace: 'nowhere', name: 'policy' } }),
    expected: both('predicted'),
  },
  {
    name: 'other-port',
    objects: () => [service('other-port', { ports: [{ port: 8443 }] })],
    expected: both('predicted'),
  },
  {
    name: 'headless',
    objects: behind('headless', { clusterIP: 'None' }),
    expected: { 'cluster-ip': 'predicted', endpoints: 'refused' },
  },
  {
    name: 'unready',
    objects: behind('unready', {}, {}, { ready: false }),
    expected: { 'cluster-ip': 'dialled', endpoints: 'predicted' },
  },
  {
    name: 'no-path',
    client: ({ namespace }) => ({ service: { namespace, name: 'no-path' } }),
    expected: both('predicted'),
  },
  {
    name: 'slash',
    client: ({ namespace }) => ({ service: { namespace, name: 'slash', path: '/convert/' } }),
    expected: both('predicted'),
  },
  {
    name: 'url',
    client: ({ address }) => ({ service: null, url: `https://${address}:${deadPort}/convert` }),
    expected: both('refused'),
  },
  {
    name: 'bad-bundle',
    objects: behind('bad-bundle'),
    client: () => ({ caBundle: base64('words') }),
    expected: both('predicted'),
  },
  { name: 'blank-bundle', client: () => ({ caBundle: base64('\n') }), expected: both('predicted') },
];

const aggregated: readonly Case[] = [
  { name: 'gone', expected: both('predicted') },
  {
    name: 'other-port',
    objects: () => [service('other-port', { ports: [{ port: 8443 }] })],
    expected: both('predicted'),
  },
  { name: 'no-slice', objects: () => [service('no-slice')], expected: both('predicted') },
  { name: 'unready', objects: behind('unready', {}, {}, { ready: false }), expected: both('predicted') },
  {
    name: 'draining',
    objects: behind('draining', {}, {}, { ready: false, serving: true, terminating: true }),
    expected: both('predicted'),
  },
  {
    name: 'port-name',
    objects: behind('port-name', { ports: [{ name: 'https', port: 443 }] }),
    expected: both('predicted'),
  },
  {
    name: 'headless',
    objects: behind('headless', { clusterIP: 'None' }),
    expected: { 'cluster-ip': 'predicted', endpoints: 'refused' },
  },
  {
    name: 'external',
    objects: ({ address }) => [service('external', { type: 'ExternalName', externalName: address })],
    client: ({ namespace }) => ({ service: { namespace, name: 'external', port: deadPort } }),
    expected: { 'cluster-ip': 'refused', endpoints: 'predicted' },
  },
  {
    name: 'node-port',
    objects: () => [service('node-port', { type: 'NodePort' })],
    expected: { 'cluster-ip': 'dialled', endpoints: 'predicted' },
  },
  { name: 'dead', objects: behind('dead'), expected: dials },
  {
    name: 'live',
    objects: ({ address, livePort }) => [
      service('live'),
      slice('live', [at(address)], { ports: [{ port: livePort }] }),
    ],
    expected: { 'cluster-ip': 'dialled', endpoints: 'answered' },
  },
  {
    name: 'erring',
    objects: ({ address, livePort }) => [
      service('erring'),
      slice('erring', [at(address)], { ports: [{ port: livePort }] }),
    ],
    expected: { 'cluster-ip': 'dialled', endpoints: 'erring' },
  },
  {
    name: 'untrusted',
    objects: ({ address, livePort }) => [
      service('untrusted'),
      slice('untrusted', [at(address)], { ports: [{ port: livePort }] }),
    ],
    client: ({ otherAuthority }) => ({ caBundle: base64(otherAuthority), insecureSkipTLSVerify: false }),
    expected: { 'cluster-ip': 'dialled', endpoints: 'untrusted' },
  },
  // Last: by then the API server had the time to ask all the others.
  {
    name: 'untrusting',
    objects: ({ address, livePort }) => [
      service('untrusting'),
      slice('untrusting', [at(address)], { ports: [{ port: livePort }] }),
    ],
    client: () => ({ caBundle: base64('words'), insecureSkipTLSVerify: false }),
    expected: { 'cluster-ip': 'dialled', endpoints: 'predicted' },
  },
];

const crd = ({ name, client }: Case, place: Place): KubeObject => {
  const clientConfig: Record<string, unknown> = {
    service: { namespace: place.namespace, name, path: '/convert' },
    ...client?.(place),
  };
  if (clientConfig.service === null) delete clientConfig.service;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${name}.example.com` },
    spec: {
      group: `${name}.example.com`,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v1beta1', served: true, storage: false, schema },
      ],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  };
};

const apiService = ({ name, client }: Case, place: Place): KubeObject =>
  apiServiceOf(`${name}.aggregated.example.com`, {
    insecureSkipTLSVerify: true,
    service: { namespace: place.namespace, name },
    ...client?.(place),
  });

/** A server of an aggregated API that answers everything with an empty list, but for the group of the case `erring`. */
async function liveServer(address: string, namespace: string): Promise<{ server: Server; cert: string }> {
  const { cert, key } = await issue(await authority({ cn: 'aggregated' }), {
    dns: [`untrusted.${namespace}.svc`],
  });
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
/** An error that is no conversion's own comes in the envelope that a sentence leaves out. */
const said = (unmade: boolean, sentence: string | undefined): string =>
  unmade ? internalError(sentence ?? '') : (sentence ?? '');
const refusalAt = (place: Place): string =>
  `dial tcp ${place.address}:${deadPort}: connect: connection refused`;

describe('the API server’s own sentences about conversion and aggregated APIs', () => {
  let served: string | undefined;
  countAgreement('callouts', () => served);

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
        const made = new Set<string>();
        for (const oracleCase of [...conversions, ...aggregated]) {
          if (!made.has(oracleCase.name)) {
            await createBackend(scene, oracleCase.objects?.(place) ?? []);
            if (oracleCase.objects !== undefined) made.add(oracleCase.name);
          }
        }
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

      for (const { name, expected } of conversions) {
        it(`conversion: ${name}`, async () => {
          const callout = calloutOf(snapshot, `widgets.${name}.example.com`);
          const { sentence, fate } = nextCall(callout, { ...snapshot.facts, routing: { mode } });
          const { version } = snapshot.cluster;
          const unmade = trustOf(callout, version)?.kind === 'refused';
          if (expected[mode] === 'predicted') expect(fate).to.equal('fails');
          const words =
            expected[mode] === 'refused' ? callSentence(callout, refusalAt(place)) : said(unmade, sentence);
          const last = expected[mode] === 'dialled' ? callSentence(callout, '') : (words ?? name);
          const group = `/apis/${name}.example.com`;
          const widget = { apiVersion: `${name}.example.com/v1`, kind: 'Widget', metadata: { name: 'one' } };
          let answer = '';
          let wanted = last;
          await waitFor(
            last,
            async () => {
              const at = `namespaces/${scene.namespace}/widgets`;
              await scene.client.request('POST', `${group}/v1/${at}`, widget);
              const stored = await scene.client.request('GET', `${group}/v1/${at}/one`);
              const { metadata } = JSON.parse(stored.body) as KubeObject;
              if (!unmade) {
                const key = `/${name}.example.com/widgets/${scene.namespace}/one`;
                wanted = storedObjectFailure(last, key, String(metadata.resourceVersion), version);
              }
              const { body } = await scene.client.request('GET', `${group}/v1beta1/${at}/one`);
              answer = body.startsWith('{') ? (JSON.parse(body) as { message: string }).message : body.trim();
              return expected[mode] === 'dialled' ? answer.startsWith(wanted) : answer === wanted;
            },
            { timeout: expected[mode] === 'dialled' ? 40_000 : 10_000 },
          ).catch(() => expect(answer).to.equal(wanted));
        });
      }

      for (const { name, expected } of aggregated) {
        it(`APIService: ${name}`, async () => {
          const object = {
            apiVersion: 'apiregistration.k8s.io/v1',
            kind: 'APIService',
            metadata: { name: `v1.${name}.aggregated.example.com` },
          };
          const callout = calloutOf(snapshot, object.metadata.name) as AggregatedApiCallout;
          const { version } = snapshot.cluster;
          const { facts } = snapshot;
          const reference = callout.client.service;
          if (reference === undefined) throw new Error('no Service');
          const key = `${reference.namespace}/${reference.name}`;
          const found = facts.services.get(key);
          const slices = facts.endpointSlices.get(key) ?? [];
          const referenced = { reference, service: found, slices };
          const route = routeTo(referenced, mode, version);
          const url = discoveryUrl(callout, route.kind === 'dials' ? route.address : '');
          const because = unavailableBecause(referenced, route, version);
          const verdict = verifyServerCertificate({
            presented: pemCertificates(place.certificate),
            caBundle: callout.client.caBundle,
            host: `${reference.name}.${reference.namespace}.svc`,
            now: new Date(),
            serverVersion: version,
          });
          const untrusted = (verdict.outcome === 'rejected' && verdict.error) || 'trusted';
          const never = because === undefined && isNeverDialed(callout, version);
          const passes = 'Passed: all checks passed';
          const failed = `FailedDiscoveryCheck: failing or missing response from ${url}: `;
          const asked = because
            ? `${because.reason}: ${because.message}`
            : {
                predicted: passes,
                answered: passes,
                refused: `${failed}Get "${url}": ${refusalAt(place)}`,
                dialled: failed,
                untrusted: behaves(version, 'aggregated-trust')
                  ? `${failed}Get "${url}": ${untrusted}`
                  : passes,
                erring: `${failed}bad status from ${url}: 500`,
              }[expected[mode]];
          const condition = never ? 'none' : asked;
          const body = {
            predicted: nextCall(callout, { ...facts, routing: { mode } }).sentence ?? 'no sentence',
            answered: '{"kind":"APIResourceList","resources":[]}',
            refused: 'service unavailable',
            dialled: 'service unavailable',
            untrusted: behaves(version, 'aggregated-trust')
              ? 'service unavailable'
              : callSentence(callout, untrusted),
            erring: 'service unavailable',
          }[expected[mode]];

          let seen = '';
          let conditions: readonly Condition[] = [];
          await waitFor(
            condition,
            async () => {
              conditions = (await scene.client.get(object))?.status?.conditions ?? [];
              const available = conditions.find(({ type }) => type === 'Available');
              seen = available === undefined ? 'none' : `${available.reason}: ${available.message}`;
              return condition === failed ? seen.startsWith(condition) : seen === condition;
            },
            { timeout: 30_000, interval: 200 },
          ).catch(() => expect(seen).to.equal(condition));
          let answer = '';
          await waitFor(
            body,
            async () => {
              answer = (await scene.client.request('GET', `/apis/${callout.group}/v1/widgets`)).body.trim();
              return answer === body;
            },
            { timeout: 10_000 },
          ).catch(() => expect(answer).to.equal(body));
          if (closedApi({ conditions }) === undefined) return;
          expect(nextCall({ ...callout, conditions }, facts).sentence).to.equal(answer);
        });
      }
    });
  }
});
