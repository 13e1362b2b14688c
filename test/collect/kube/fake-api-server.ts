import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Authority, authority, issue, type KeyPair } from '../../support/certificates.ts';

/** One request as it was received. */
export interface Received {
  readonly path: string;
  /** Names and values in the order sent, repeated headers separately, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  /** CN of the client certificate. */
  readonly client: string | undefined;
}

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** A server that sends the responses of a test and records the requests. */
export interface FakeApiServer {
  /** `https://127.0.0.1:PORT`, or http. */
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** TCP connections so far. */
  readonly connections: () => number;
  answer: Handler;
  reset(): void;
  close(): void;
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** A Status, as the API server sends it with an error. */
export const status = (
  code: number,
  reason: string,
  message: string,
  details: object = {},
  headers: Record<string, string> = {},
): Handler => json({ kind: 'Status', apiVersion: 'v1', code, reason, message, details }, code, headers);

/** TLS with `pair` if it is given; client certificates are requested, not required. */
export async function fakeApiServer(pair?: KeyPair, clientAuthority?: Authority): Promise<FakeApiServer> {
  let connections = 0;
  const received: Received[] = [];
  const handle: Handler = (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate?.() ?? {};
    received.push({
      path: request.url ?? '',
      headers: pairs(request.rawHeaders),
      client: typeof subject?.CN === 'string' ? subject.CN : undefined,
    });
    fake.answer(request, response);
  };
  const server = pair
    ? https.createServer(
        {
          ...pair,
          ...(clientAuthority
            ? { ca: clientAuthority.cert, requestCert: true, rejectUnauthorized: false }
            : {}),
        },
        handle,
      )
    : http.createServer(handle);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeApiServer = {
    url: `${pair ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    answer: json({}),
    reset() {
      received.length = 0;
      connections = 0;
      fake.answer = json({});
      server.closeAllConnections();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : [],
  );
}

/** Values of one header, in order. */
export function valuesOf(received: Received | undefined, name: string): readonly string[] {
  return (received?.headers ?? []).filter(([key]) => key === name).map(([, value]) => value);
}

export interface Pki {
  readonly ca: Authority;
  readonly server: KeyPair;
  /** CN=alice, accepted by a server with `ca` for clients. */
  readonly alice: KeyPair;
}

let pki: Promise<Pki> | undefined;

/** One CA for all tests, a server certificate for 127.0.0.1 and api.example, a client certificate. */
export function testPki(): Promise<Pki> {
  pki ??= authority({ cn: 'test-ca' }).then(async (ca) => ({
    ca,
    server: await issue(ca, { dns: ['api.example'], ips: ['127.0.0.1'], eku: ['server'] }),
    alice: await issue(ca, { cn: 'alice', eku: ['client'] }),
  }));
  return pki;
}
