import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { storedObjectFailure } from '../../src/apiserver/call-sentence.ts';
import { judgeConversion } from '../../src/apiserver/connection/conversion-answer.ts';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import type { ConversionCallout } from '../../src/facts/callout.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import {
  type Asked,
  type ConversionCase,
  type Converted,
  conversionCases,
  type Sent,
} from './conversion-cases.ts';
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

/** A webhook at https://ADDRESS:PORT/NAME that converts as the case says, and keeps what it was asked. */
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
      const name = request.url?.slice(1).split('?')[0] ?? '';
      const found = conversionCases.find((one) => one.name === name);
      const body = Buffer.concat(chunks).toString();
      const before = exchanges.get(name)?.sent;
      const reply = ({ status, headers, body: text }: Sent) =>
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
      if (name === 'page') return void reply({ status: 200, headers: {}, body: '<html>welcome</html>' });
      if (body === '' && before !== undefined) return void reply(before);
      if (found === undefined || body === '') return void response.writeHead(404).end();
      const { uid, desiredAPIVersion, objects } = (
        JSON.parse(body) as { request: { uid: string; desiredAPIVersion: string; objects: Converted[] } }
      ).request;
      const [object] = objects as [Converted];
      const sent = found.answer({ uid, desiredAPIVersion, object, live: url, dead });
      // A redirect that was followed comes from another case's object.
      if (object.apiVersion.startsWith(`${name}.`)) exchanges.set(name, { asked: { uid, object }, sent });
      reply(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const url = `https://${address}:${(server.address() as AddressInfo).port}`;
  return { server, url, ca: ca.cert };
}

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const crd = ({ name }: ConversionCase, url: string, ca: string): KubeObject => ({
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

describe('what the API server says to a conversion', function () {
  needs('api-server');
  this.timeout(180_000);
  let version: string | undefined;
  countAgreement('conversions', () => version);
  const answered = new Map<string, Answered>();
  const callouts = new Map<string, ConversionCallout>();
  const reports = new Map<string, CalloutReport>();
  let scene: Scene;
  let server: Server;

  before(async () => {
    const { client, kubeconfig } = await apiServer();
    scene = await openScene(client);
    const exchanges = new Map<string, Exchange>();
    const webhook = await convertingWebhook(ownAddress(), exchanges);
    server = webhook.server;
    await Promise.all(conversionCases.map((one) => scene.create(crd(one, webhook.url, webhook.ca))));
    const ask = async ({ name }: ConversionCase) => {
      const at = (served: string) =>
        `/apis/${name}.example.com/${served}/namespaces/${scene.namespace}/widgets`;
      const widget = { apiVersion: `${name}.example.com/v1`, kind: 'Widget', metadata: { name: 'one' } };
      const revision = await waitFor(`${name} to be served`, async () => {
        const made = await client.request('POST', at('v1'), widget);
        if (made.status !== 201) return false;
        return (JSON.parse(made.body) as KubeObject).metadata.resourceVersion as string;
      });
      const { status, body } = await waitFor(`${name} to be served in the other version`, async () => {
        const answer = await client.request('GET', `${at('v1beta1')}/one`);
        return exchanges.has(name) && answer;
      });
      const exchange = exchanges.get(name) as Exchange;
      const message = status < 300 ? '' : (JSON.parse(body) as { message: string }).message;
      answered.set(name, { ...exchange, status, message, revision });
    };
    await Promise.all(conversionCases.map(ask));
    const snapshot = await factsOf(kubeconfig);
    version = snapshot.cluster.version;
    for (const callout of snapshot.facts.callouts) {
      if (callout.kind === 'conversion') callouts.set(callout.resource.group, callout);
    }
    const names = conversionCases.map(({ name }) => `crd/widgets.${name}.example.com`);
    const { stdout, stderr } = await plugin(['doctor', ...names, '--kubeconfig', kubeconfig, '-o', 'json']);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    for (const report of (JSON.parse(stdout) as DoctorReport).callouts)
      reports.set(report.configuration, report);
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
  });

  /** The API server's message about a sentence of the model. */
  const around = (name: string, sentence: string): string =>
    storedObjectFailure(
      sentence,
      `/${name}.example.com/widgets/${scene.namespace}/one`,
      answered.get(name)?.revision ?? '',
      version,
    );

  for (const { name, says, elsewhere } of conversionCases) {
    it(`${says}: the model`, () => {
      const real = answered.get(name) as Answered;
      const callout = callouts.get(`${name}.example.com`) as ConversionCallout;
      const { uid, object } = real.asked;
      const judged = judgeConversion(
        { ...real.sent, body: Buffer.from(real.sent.body) },
        { version: 'v1', uid, object, operation: 'CONVERT', resource: 'widgets', milliseconds: 1 },
        callout,
        version,
      );
      if (elsewhere) {
        // One answer does not tell, and a real call does.
        expect(['unknown', 'call-failure']).to.include(judged.outcome);
        return;
      }
      const text = judged.outcome === 'call-failure' ? around(name, judged.text) : judged.outcome;
      const said = real.status === 200 ? 'allowed' : real.message;
      expect(
        judged.outcome === 'call-failure' && !judged.complete ? said.slice(0, text.length) : said,
      ).to.equal(text);
    });

    it(`${says}: doctor`, () => {
      const real = answered.get(name) as Answered;
      const { verdict } = reports.get(`widgets.${name}.example.com`) as CalloutReport;
      const whole = JSON.stringify(verdict);
      if (real.status === 200) {
        expect(verdict.state, whole).to.equal('healthy');
        return;
      }
      expect(verdict, whole).to.include({ state: 'failing', link: 'response', confidence: 'observed' });
      expect(withoutUids(around(name, verdict.error ?? 'nothing'))).to.equal(withoutUids(real.message));
    });
  }
});
