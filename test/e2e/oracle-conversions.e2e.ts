import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { evaluateConversion } from '../../src/apiserver/conversion/conversion-answer.ts';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import type { ConversionCallout } from '../../src/facts/callout.ts';
import type { Answer, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority, issue } from '../support/certificates.ts';
import { storedObjectFailure } from '../support/further-texts.ts';
import { plugin } from '../support/plugin.ts';
import { messageOfAnyRun, recordAnswers } from '../support/recordings.ts';
import { type Asked, type Converted, conversionCases, type Sent } from './conversion-cases.ts';
import { deadPort } from './oracle-cases.ts';
import { factsOf, ownAddress } from './oracle-facts.ts';

interface Exchange {
  readonly asked: Pick<Asked, 'uid' | 'object'>;
  readonly sent: Sent;
}
interface Answered extends Exchange {
  readonly status: number;
  readonly message: string;
  readonly revision: string;
}

/** The one CRD whose objects have different conversions. */
const shared = 'shared';
/** The CRD with many objects, of which the webhook does not convert two. */
const many = 'many';
const manyNames = Array.from({ length: 30 }, (_, index) => `widget-${String(index).padStart(2, '0')}`);
const notConverted = ['widget-13', 'widget-21'];

/** The response of the webhook of {@link many}: a review with one of {@link notConverted} fails. */
function convertMany(uid: string, desiredAPIVersion: string, objects: readonly Converted[]): string {
  const refused = objects.find(({ metadata }) => notConverted.includes(String(metadata.name)));
  const response =
    refused === undefined
      ? {
          result: { status: 'Success' },
          convertedObjects: objects.map((one) => ({ ...one, apiVersion: desiredAPIVersion })),
        }
      : { result: { status: 'Failure', message: 'spec.size: unknown unit' } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, ...response },
  });
}

/**
 * A webhook at https://ADDRESS:PORT/NAME that converts as the case of that name, or of the object's, defines.
 */
async function convertingWebhook(
  address: string,
  exchanges: Map<string, Exchange>,
): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'converter-ca' });
  const { cert, key } = await issue(ca, { ips: [address] });
  const dead = `https://${address}:${deadPort}`;
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url?.slice(1).split('?')[0] ?? '';
      const body = Buffer.concat(chunks).toString();
      const reply = ({ status, headers, body: text }: Sent) =>
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
      if (body === '') return void reply({ status: 200, headers: {}, body: '<html>welcome</html>' });
      const { uid, desiredAPIVersion, objects } = (
        JSON.parse(body) as { request: { uid: string; desiredAPIVersion: string; objects: Converted[] } }
      ).request;
      if (path === many) {
        const converted = convertMany(uid, desiredAPIVersion, objects);
        return void reply({ status: 200, headers: { 'content-type': 'application/json' }, body: converted });
      }
      const [object] = objects as [Converted];
      const name = path === shared ? String(object.metadata.name) : path;
      const [converts] = conversionCases;
      const found = path === 'converts' ? converts : conversionCases.find((one) => one.name === name);
      if (path === 'page' || found === undefined) return void response.writeHead(404).end();
      const sent = found.answer({ uid, desiredAPIVersion, object, live: url, dead });
      if (path === shared) exchanges.set(name, { asked: { uid, object }, sent });
      reply(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const url = `https://${address}:${(server.address() as AddressInfo).port}`;
  return { server, url, ca: ca.cert };
}

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const crd = (name: string, url: string, ca: string): KubeObject => ({
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
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(ca).toString('base64') },
        conversionReviewVersions: ['v1'],
      },
    },
  },
});

const withoutUids = (text: string): string =>
  text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID');

describe('the API server’s errors for conversion responses', function () {
  needs('api-server');
  this.timeout(180_000);
  let version: string | undefined;
  countAgreement('conversions', () => version);
  const answered = new Map<string, Answered>();
  const told = new Map<string, { readonly message: string; readonly revision: string }>();
  let callout: ConversionCallout;
  const reports = new Map<string, CalloutReport>();
  let messages: readonly string[] = [];
  let scene: Scene;
  let server: Server;

  before(async () => {
    const { client, kubeconfig } = await apiServer();
    scene = await openScene(client);
    const exchanges = new Map<string, Exchange>();
    const webhook = await convertingWebhook(ownAddress(), exchanges);
    server = webhook.server;
    const withDoctor = conversionCases.filter(({ doctor }) => doctor).map(({ name }) => name);
    const groups = [shared, many, ...withDoctor];
    await Promise.all(groups.map((group) => scene.create(crd(group, webhook.url, webhook.ca))));
    const at = (group: string, served: string) =>
      `/apis/${group}.example.com/${served}/namespaces/${scene.namespace}/widgets`;
    const store = (group: string, name: string) =>
      waitFor(`widgets of ${group} to be served`, async () => {
        const widget = { apiVersion: `${group}.example.com/v1`, kind: 'Widget', metadata: { name } };
        const made = await client.request('POST', at(group, 'v1'), widget);
        return (
          made.status === 201 && ((JSON.parse(made.body) as KubeObject).metadata.resourceVersion as string)
        );
      });
    const read = (group: string, name: string) =>
      waitFor(`widgets of ${group} to be served in the other version`, async () => {
        const answer = await client.request('GET', `${at(group, 'v1beta1')}/${name}`);
        const missing = answer.status === 404 && !answer.body.includes('conversion webhook');
        return !missing && answer;
      });
    const messageIn = ({ status, body }: Answer): string =>
      status < 300 ? '' : (JSON.parse(body) as { message: string }).message;
    await Promise.all([
      ...conversionCases.map(async ({ name }) => {
        const revision = await store(shared, name);
        const answer = await read(shared, name);
        const exchange = exchanges.get(name) as Exchange;
        answered.set(name, { ...exchange, status: answer.status, message: messageIn(answer), revision });
      }),
      ...withDoctor.map(async (name) => {
        const revision = await store(name, 'one');
        told.set(name, { revision, message: messageIn(await read(name, 'one')) });
      }),
      // The keys in etcd have another order than the creation.
      ...manyNames.toReversed().map((name) => store(many, name)),
    ]);
    await read(many, 'widget-00');
    const snapshot = await factsOf(kubeconfig);
    version = snapshot.cluster.version;
    callout = snapshot.facts.callouts.find(
      (one) => one.configuration === `widgets.${shared}.example.com`,
    ) as ConversionCallout;
    const names = [many, ...withDoctor].map((name) => `crd/widgets.${name}.example.com`);
    const { stdout, stderr } = await plugin(['doctor', ...names, '--kubeconfig', kubeconfig, '-o', 'json']);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    for (const report of callouts) reports.set(report.configuration, report);
    messages = findings.map(({ message }) => message);
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
    const said = conversionCases.flatMap(({ name }) => {
      const { status, message } = answered.get(name) ?? {};
      return message === undefined
        ? []
        : [[name, status === 200 ? 'allowed' : messageOfAnyRun(message)] as const];
    });
    if (version !== undefined) recordAnswers('conversions', version, new Map(said));
  });

  it('a caBundle that is not a certificate: no version is served, also without a conversion', async () => {
    const { client } = await apiServer();
    await scene.create(crd('unreadable', 'https://127.0.0.1:1', 'INVALID'));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const { status, body } = await client.request(
      'GET',
      `/apis/unreadable.example.com/v1/namespaces/${scene.namespace}/widgets`,
    );
    expect(status, body).to.be.oneOf([404, 500]);
  });

  it('one stored object of many that is not converted fails every list, and doctor names it', () => {
    const { verdict } = reports.get(`widgets.${many}.example.com`) as CalloutReport;
    expect(verdict, JSON.stringify(verdict)).to.include({ state: 'failing', link: 'response' });
    expect(messages.filter((one) => one.includes('widget-'))).to.deep.equal([
      `The webhook does not convert Widget ${scene.namespace}/widget-13, and every list that contains it fails`,
    ]);
  });

  /** The API server's message around an error of the model, for the object with that name. */
  const around = (group: string, name: string, sentence: string, revision: string): string =>
    storedObjectFailure(
      sentence,
      `/${group}.example.com/widgets/${scene.namespace}/${name}`,
      revision,
      version,
    );

  for (const { name, says, elsewhere, doctor } of conversionCases) {
    it(says, () => {
      const real = answered.get(name) as Answered;
      const { uid, object } = real.asked;
      const evaluated = evaluateConversion(
        { ...real.sent, body: Buffer.from(real.sent.body) },
        { version: 'v1', uid, object, operation: 'CONVERT', resource: 'widgets', milliseconds: 1 },
        callout,
        version,
      );
      if (elsewhere) {
        expect(evaluated.outcome).to.equal('unknown');
        return;
      }
      // The API server's own caches read the object as well: another review, with another uid.
      const said = real.status === 200 ? 'allowed' : withoutUids(real.message);
      if (evaluated.outcome !== 'call-failure') {
        expect(said).to.equal(evaluated.outcome);
        return;
      }
      const text = withoutUids(around(shared, name, evaluated.text, real.revision));
      expect(evaluated.complete ? said : said.slice(0, text.length)).to.equal(text);
    });

    if (!doctor) continue;
    it(`${says}: doctor`, () => {
      const { message, revision } = told.get(name) ?? expect.fail();
      const { verdict } = reports.get(`widgets.${name}.example.com`) as CalloutReport;
      const whole = JSON.stringify(verdict);
      if (message === '') {
        expect(verdict.state, whole).to.equal('healthy');
        return;
      }
      expect(verdict, whole).to.include({ state: 'failing', link: 'response', confidence: 'observed' });
      const sentence = around(name, 'one', verdict.error ?? 'nothing', revision);
      expect(withoutUids(sentence)).to.equal(withoutUids(message));
    });
  }
});
