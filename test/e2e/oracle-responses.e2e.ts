import { isUtf8 } from 'node:buffer';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  brokenOff,
  changeable,
  compared,
  type RecordedResponse,
  type Said,
} from '../apiserver/response/recorded-response.ts';
import type { Answer, Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority, issue } from '../support/certificates.ts';
import { alike, recordAnswers } from '../support/recordings.ts';
import { type ResponseCase, responseCases } from './response-cases.ts';

/** Maximum concurrent calls. */
const atOnce = 8;

type Exchange = Pick<RecordedResponse, 'asked' | 'sent' | 'call'>;

const webhookName = (index: number): string => `c${index}.example.com`;
const label = (index: number): Readonly<Record<string, string>> => ({ case: `c${index}` });

/** A webhook at https://127.0.0.1:PORT/INDEX that responds as the case defines, and records the requests. */
async function answeringWebhook(
  exchanges: Map<number, Exchange>,
): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { ips: ['127.0.0.1'] });
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const index = Number(request.url?.slice(1).split('?')[0]);
      const responseCase = responseCases[index];
      if (responseCase === undefined) return void response.writeHead(404).end();
      const asked = Buffer.concat(chunks).toString();
      const before = exchanges.get(index)?.sent;
      if (asked === '' && before !== undefined) {
        response.writeHead(before.status, before.headers).end(before.body);
        return;
      }
      const { request: reviewed } = JSON.parse(asked) as { request: { uid: string; object: unknown } };
      const { uid, object } = reviewed;
      const { kind, version, timeoutSeconds = 10, answer } = responseCase;
      const { status = 200, headers = {}, body, cutShort } = answer({ uid, object, request: reviewed });
      const text = typeof body === 'string' || isUtf8(body);
      const patches = kind === 'mutating' && body.includes('"patch');
      const repeats = headers.location !== undefined || headers['retry-after'] !== undefined;
      const url = `https://${request.headers.host}/${index}`;
      exchanges.set(index, {
        asked: { webhook: webhookName(index), kind, version, uid, ...(patches && object ? { object } : {}) },
        ...(repeats ? { call: { url, timeoutSeconds } } : {}),
        sent: {
          status,
          headers,
          body: typeof body === 'string' ? body : body.toString(text ? 'utf8' : 'base64'),
          ...(text ? {} : { base64: true }),
          ...(cutShort ? { cutShort } : {}),
        },
      });
      if (cutShort) {
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + 10 });
        response.write(body, () => setTimeout(() => response.destroy(), 50));
        return;
      }
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}`, ca: ca.cert };
}

/** One configuration with a webhook for each case of its kind. */
const configuration = (kind: ResponseCase['kind'], url: string, ca: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
  metadata: { name: 'oracle-responses' },
  webhooks: responseCases.flatMap((responseCase, index) =>
    responseCase.kind !== kind
      ? []
      : [
          {
            name: webhookName(index),
            clientConfig: { url: `${url}/${index}`, caBundle: Buffer.from(ca).toString('base64') },
            rules: [
              {
                apiGroups: [''],
                apiVersions: ['v1'],
                operations: [responseCase.operation ?? 'CREATE'],
                resources: ['configmaps'],
              },
            ],
            objectSelector: { matchLabels: label(index) },
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: [responseCase.version],
            timeoutSeconds: responseCase.timeoutSeconds ?? 10,
          },
        ],
  ),
});

const configMap = (index: number, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { ...label(index) } },
  data: { a: 'b', n: '1', h: '<b>' },
});

/** The texts of `299 - "text"` headers. */
function warningsOf({ headers }: Answer): string[] {
  const sent = headers.warning;
  const lines = sent === undefined ? [] : Array.isArray(sent) ? sent : [sent];
  return lines.flatMap((line) =>
    [...line.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) =>
      Buffer.from(quoted.slice(1, -1).replace(/\\(.)/g, '$1'), 'latin1').toString('utf8'),
    ),
  );
}

function saidIn(answer: Answer): Said {
  const body = JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
  const refused = answer.status >= 400;
  return {
    code: answer.status,
    message: refused ? String(body.message ?? '') : '',
    reason: refused ? String(body.reason ?? '') : '',
    warnings: warningsOf(answer),
    ...(refused || body.kind !== 'ConfigMap' ? {} : { object: changeable(body) }),
  };
}

function ask(client: Client, namespace: string, index: number, operation: string): Promise<Answer> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return operation === 'DELETE'
    ? client.request('DELETE', `${path}/c${index}?dryRun=All`)
    : client.request('POST', `${path}?dryRun=All`, configMap(index, 'probe'));
}

describe('the API server’s errors for responses', function () {
  needs('api-server');
  this.timeout(120_000);
  let version: string | undefined;
  countAgreement('responses', () => version);
  const recorded = new Map<number, RecordedResponse>();
  const exchanges = new Map<number, Exchange>();
  let scene: Scene;
  let server: Server;

  before(async () => {
    const { client } = await apiServer();
    scene = await openScene(client);
    const webhook = await answeringWebhook(exchanges);
    server = webhook.server;
    for (const [index, { operation }] of responseCases.entries()) {
      if (operation === 'DELETE') await scene.create(configMap(index, `c${index}`));
    }
    await scene.create(configuration('validating', webhook.url, webhook.ca));
    await scene.create(configuration('mutating', webhook.url, webhook.ca));
    for (const kind of ['validating', 'mutating'] as const) {
      const first = responseCases.findIndex((one) => one.kind === kind);
      await waitFor(`the ${kind} webhooks to be called`, async () => {
        await ask(client, scene.namespace, first, 'CREATE');
        return exchanges.has(first);
      });
    }
    const waiting = [...responseCases.entries()];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, { name, kind, operation = 'CREATE' }] = next;
        const said = await ask(client, scene.namespace, index, operation).then(saidIn, (error: Error) => {
          if (error.message === 'socket hang up') return brokenOff;
          throw error;
        });
        const exchange = exchanges.get(index);
        if (exchange !== undefined) recorded.set(index, { name: `${kind}, ${name}`, ...exchange, said });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    version = (JSON.parse(await client.text('/version')) as { gitVersion: string }).gitVersion;
    // A compressed body contains the uid of the request.
    const all = [...recorded.values()].map((one) => (one.sent.base64 ? one : alike(one)));
    recordAnswers('responses', version, new Map(all.map((one) => [one.name, one])));
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
  });

  for (const [index, { name, kind }] of responseCases.entries()) {
    it(`${kind}, ${name}`, () => {
      const one = recorded.get(index);
      if (one === undefined) throw new Error('The webhook was not called');
      const { model, real } = compared(one, version ?? '');
      expect(real).to.deep.equal(model);
    });
  }
});
