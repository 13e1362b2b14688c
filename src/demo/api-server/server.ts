import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answer } from './answer.ts';
import type { ApiObject } from './api-object.ts';
import { type AccessRule, type DemoUser, everything } from './authorization.ts';
import { loopbackCertificate, type ServingCertificate } from './certificate.ts';
import { kubeconfig } from './kubeconfig.ts';
import { objectStore } from './object-store.ts';
import type { PodLogs } from './pod-log.ts';

/** What the cluster holds when it starts, and who may read what beside the administrator. */
export interface DemoClusterContent {
  readonly objects: readonly ApiObject[];
  readonly logs?: PodLogs;
  /** Rules by user name. */
  readonly users?: Readonly<Record<string, readonly AccessRule[]>>;
}

/** A running API server on loopback. It reads from memory, and nothing can be written to it. */
export interface DemoApiServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM, to trust. */
  readonly certificate: string;
  /** Bearer token of a user; `admin` may read everything. */
  token(user?: string): string;
  /** Kubeconfig text for a user. */
  kubeconfig(user?: string): string;
  /** Forgets old revisions: continue tokens given so far expire. */
  compact(): void;
  /** Ends open connections too. */
  stop(): Promise<void>;
}

/** Answers of at least this many bytes are compressed (endpoints/handlers/responsewriters/writers.go). */
const gzipThreshold = 128 * 1024;

function send(response: ServerResponse, incoming: IncomingMessage, given: ReturnType<typeof answer>): void {
  const body = Buffer.from(given.body);
  const headers = { 'content-type': given.contentType, 'cache-control': 'no-cache, private' };
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

const bearer = (incoming: IncomingMessage): string | undefined =>
  /^Bearer (.+)$/i.exec(incoming.headers.authorization ?? '')?.[1];

let identity: ServingCertificate | undefined;

/** Starts the server on a free port of 127.0.0.1; the certificate is made once per process. */
export async function startApiServer(content: DemoClusterContent): Promise<DemoApiServer> {
  identity ??= loopbackCertificate();
  const { certificate, key } = identity;
  const userOf = (name: string, rules: readonly AccessRule[]): DemoUser => ({
    name,
    rules,
    token: randomBytes(16).toString('hex'),
  });
  const users = [
    userOf('admin', [everything]),
    ...Object.entries(content.users ?? {}).map(([name, rules]) => userOf(name, rules)),
  ];
  const state = { store: objectStore(content.objects), logs: content.logs ?? new Map(), users };
  const server = createServer({ cert: certificate, key }, (incoming, response) => {
    incoming.resume();
    const request = {
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      accept: incoming.headers.accept ?? '',
      token: bearer(incoming),
      as: incoming.headers['impersonate-user']?.toString(),
      host: incoming.headers.host ?? '',
    };
    send(response, incoming, answer(request, state));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = (name: string): DemoUser => {
    const found = users.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the demo cluster has no user ${name}`);
    return found;
  };
  return {
    url,
    certificate,
    token: (name = 'admin') => user(name).token,
    kubeconfig: (name = 'admin') => kubeconfig(url, certificate, user(name)),
    compact: () => state.store.compact(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
