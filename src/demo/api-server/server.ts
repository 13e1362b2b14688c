import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type IssuedKeyPair, issueCertificate } from '../../basics/issue-certificate.ts';
import { type PodNetwork, podNetwork, type RunningProcess } from '../network/pod-network.ts';
import { answer } from './answer.ts';
import type { ApiRequest, ApiState } from './api-request.ts';
import { type AccessRule, type DemoUser, everything } from './authorization.ts';
import { type ApiObject, objectStore } from './object-store.ts';
import type { PodLogs } from './pod-log.ts';
import { serveChannels } from './port-forward.ts';
import { type ApiAnswer, failureAnswer } from './status.ts';

/** Responses of at least this many bytes are compressed (endpoints/handlers/responsewriters/writers.go). */
const gzipThreshold = 128 * 1024;

const headersOf = ({ contentType, headers }: ApiAnswer): Record<string, string> => ({
  ...(contentType === '' ? {} : { 'content-type': contentType }),
  'cache-control': 'no-cache, private',
  ...headers,
});

const requestFrom = (
  { headers, method = 'GET', url = '/' }: IncomingMessage,
  body: string,
  signal: AbortSignal,
): ApiRequest => ({
  ...{ method, url, body, signal },
  accept: headers.accept ?? '',
  contentType: headers['content-type'] ?? '',
  upgrade: headers.upgrade?.toLowerCase() === 'websocket',
  token: /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1],
  as: headers['impersonate-user']?.toString(),
  host: headers.host ?? '',
});

/** Writes a response: compressed if the client accepts gzip, or as a stream until `gone` aborts. */
async function send(
  response: ServerResponse,
  incoming: IncomingMessage,
  given: ApiAnswer,
  gone: AbortSignal,
): Promise<void> {
  if (given.stream !== undefined) {
    response.writeHead(given.status, headersOf(given)).flushHeaders();
    await given.stream((text) => response.write(text), gone);
    response.end();
    return;
  }
  const body = Buffer.from(given.body);
  const headers = headersOf(given);
  const accepts = /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''));
  if (!accepts || body.length < gzipThreshold || given.status !== 200) {
    response.writeHead(given.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  const packed = gzipSync(body, { level: 1 });
  response
    .writeHead(given.status, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    .end(packed);
}

/** Responds to a rejected WebSocket upgrade. */
function refuseUpgrade(connection: Duplex, given: ApiAnswer): void {
  const headers = { ...headersOf(given), 'content-length': String(Buffer.byteLength(given.body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const first = `HTTP/1.1 ${given.status} ${STATUS_CODES[given.status]}\r\nconnection: close\r\n`;
  connection.end(`${first}${lines.join('')}\r\n${given.body}`);
}

const kubeconfig = (server: string, certificate: string, user: DemoUser): string =>
  `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'demo',
          cluster: {
            server,
            'certificate-authority-data': Buffer.from(certificate).toString('base64'),
          },
        },
      ],
      users: [{ name: user.name, user: { token: user.token } }],
      contexts: [{ name: 'demo', context: { cluster: 'demo', user: user.name } }],
      'current-context': 'demo',
    },
    undefined,
    2,
  )}\n`;

const day = 24 * 60 * 60 * 1000;

/** A self-signed P-256 certificate for 127.0.0.1 and localhost, valid from a day ago to a day from now. */
const loopbackCertificate = (): IssuedKeyPair =>
  issueCertificate({
    name: 'kubectl-webhook demo cluster',
    key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    dns: ['localhost'],
    addresses: ['127.0.0.1'],
    from: new Date(Date.now() - day),
    until: new Date(Date.now() + day),
    authority: true,
  });

/** The content of a cluster at one time. */
export interface ClusterState {
  readonly objects: readonly ApiObject[];
  readonly logs?: PodLogs;
  /** The processes in Pods, by `namespace/name`. A process starts with the first connection to it. */
  readonly processes?: ReadonlyMap<string, RunningProcess>;
}

/** The content of a cluster at its start, its controllers, and its users besides the administrator. */
export interface DemoClusterContent extends ClusterState {
  /** The cluster after controllers, scheduler and kubelets have reacted; undefined: it does not change. */
  readonly controllers?: (objects: readonly ApiObject[], at: Date) => ClusterState;
  /** The current time of the cluster, for certificates; default: the real time. */
  readonly now?: Date;
  /** Rules by user name. */
  readonly users?: Readonly<Record<string, readonly AccessRule[]>>;
}

/** A running API server on loopback. All data is in memory. */
export interface DemoApiServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM, for clients to trust. */
  readonly certificate: string;
  /** Bearer token of a user; `admin` has read permission for everything. */
  token(user?: string): string;
  kubeconfig(user?: string): string;
  /** Drops old revisions, so that continue tokens expire. */
  compact(): void;
  /** Runs the controllers at the given time; default: the time of the cluster. */
  settle(at?: Date): void;
  /** Handles a request without a connection; what is not given is as in a GET of JSON by the administrator. */
  handle(request: Partial<ApiRequest> & Pick<ApiRequest, 'url'>): Promise<ApiAnswer>;
  /** Connects to the Pods as the kubelet of a port-forward does. */
  readonly network: PodNetwork;
  /** Sends a merge patch as the administrator. Throws if it is rejected. */
  patch(path: string, body: object): Promise<void>;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

let identity: IssuedKeyPair | undefined;

/** Starts the server on a free port of 127.0.0.1; its certificate is created once per process. */
export async function startApiServer(content: DemoClusterContent): Promise<DemoApiServer> {
  identity ??= loopbackCertificate();
  const { certificate } = identity;
  const users = [
    userOf('admin', [everything]),
    ...Object.entries(content.users ?? {}).map(([name, rules]) => userOf(name, rules)),
  ];
  const user = (name: string): DemoUser => {
    const found = users.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the demo cluster has no user ${name}`);
    return found;
  };
  const state = startCluster(content, users);
  const ticking = setInterval(state.settle, 5000).unref();
  const { port, stop } = await listen(state, identity);
  const url = `https://127.0.0.1:${port}`;
  const handle: DemoApiServer['handle'] = (request) =>
    answer(
      {
        ...{ method: 'GET', accept: 'application/json', contentType: '', body: '', upgrade: false },
        ...{ signal: new AbortController().signal, token: user('admin').token, as: undefined, host: '' },
        ...request,
      },
      state,
    );
  return {
    url,
    certificate,
    token: (name = 'admin') => user(name).token,
    kubeconfig: (name = 'admin') => kubeconfig(url, certificate, user(name)),
    compact: () => state.store.compact(),
    settle: state.settle,
    network: state.network,
    handle,
    async patch(url, body) {
      const contentType = 'application/merge-patch+json';
      const given = await handle({ method: 'PATCH', url, contentType, body: JSON.stringify(body) });
      if (given.status !== 200) throw new Error(given.body);
    },
    async stop() {
      clearInterval(ticking);
      await stop();
    },
  };
}

const userOf = (name: string, rules: readonly AccessRule[]): DemoUser => ({
  name,
  rules,
  token: randomBytes(16).toString('hex'),
});

/** The state that requests read and write, with its controllers and its network of Pods. */
function startCluster(content: DemoClusterContent, users: readonly DemoUser[]) {
  const { processes = new Map(), now = new Date() } = content;
  let { logs = new Map() } = content;
  const network = podNetwork(processes, now);
  const started = Date.now();
  const clock = (): Date => new Date(now.getTime() + Date.now() - started);
  const store = objectStore(content.objects);
  const settle = (at = clock()): void => {
    // A controller may react to the writes of another one.
    for (let round = 0, revision = -1; round < 5 && revision !== store.revision(); round += 1) {
      revision = store.revision();
      const made = content.controllers?.(store.all(), at);
      if (made === undefined) return;
      store.replace(made.objects);
      logs = made.logs ?? new Map();
      network.run(made.processes ?? new Map());
    }
  };
  return { store, users, network, settle, logs: () => logs, now: clock } satisfies ApiState;
}

/** Serves the state over HTTPS. `stop` also closes open connections and the network of Pods. */
async function listen(state: ReturnType<typeof startCluster>, { certificate, key }: IssuedKeyPair) {
  const broken = (error: unknown) => failureAnswer(500, 'InternalError', `the demo cluster failed: ${error}`);
  // The same idle timeout as kube-apiserver (IdleTimeout in its secure_serving.go).
  const server = createServer(
    { cert: certificate, key, keepAliveTimeout: 90_000 },
    async (incoming, response) => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      try {
        const request = requestFrom(incoming, await text(incoming), gone.signal);
        await send(response, incoming, await answer(request, state), gone.signal);
      } catch (error) {
        if (!gone.signal.aborted) await send(response, incoming, broken(error), gone.signal);
      }
    },
  );
  const upgraded = new Set<Duplex>();
  server.on('upgrade', async (incoming, connection: Duplex) => {
    upgraded.add(connection);
    connection.on('error', () => {});
    connection.once('close', () => upgraded.delete(connection));
    const given = await answer(requestFrom(incoming, '', new AbortController().signal), state);
    if (given.forward === undefined) refuseUpgrade(connection, given);
    else await serveChannels(incoming, connection, given.forward, state.network);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const connection of upgraded) connection.destroy();
      await state.network.close();
      await closed;
    },
  };
}
