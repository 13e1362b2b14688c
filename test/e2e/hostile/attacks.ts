import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { fileWith } from '../../support/plugin.ts';
import {
  type Attack,
  allow,
  answering,
  type Backend,
  configurationOf,
  type Handler,
  nameThePort,
  onReview,
  type Presented,
} from './hostile-cluster.ts';

/** One row of the table: the attack, the arguments of the program, and the expected end. */
export interface Row extends Attack {
  readonly what: string;
  /** Default: `doctor`. */
  readonly args?: readonly string[];
  readonly codes: readonly number[];
  /** Expected in its output, on either stream. */
  readonly says: RegExp;
  /** MiB; default 512. */
  readonly within?: number;
  /** Seconds of `--timeout`, default 10; the run may take two more. */
  readonly seconds?: number;
  /** It uses nearly all processors: no other attack runs at the same time. */
  readonly alone?: boolean;
}

const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
let bomb: Buffer | undefined;
/** A GiB of spaces in a few MB. */
const spaces = (): Buffer => {
  bomb ??= gzipSync(Buffer.alloc(2 ** 30, ' '), { level: 1 });
  return bomb;
};

const isList = ({ url = '', method }: IncomingMessage): boolean => method === 'GET' && url.includes('limit=');
const isProxied = ({ url = '' }: IncomingMessage): boolean => url.includes('/proxy/');

/** Writes the same data repeatedly, as fast as it is read, until the connection closes. */
function withoutEnd(
  to: { write(chunk: Buffer): boolean; once(event: 'drain', more: () => void): unknown; destroyed: boolean },
  chunk: Buffer,
): void {
  const more = (): void => {
    while (!to.destroyed) if (!to.write(chunk)) return void to.once('drain', more);
  };
  more();
}

/** Answers some requests in this way. */
const only =
  (
    which: (request: IncomingMessage) => boolean,
    answer: (response: ServerResponse, request: IncomingMessage) => void,
  ): Handler =>
  (request, response) => {
    if (!which(request)) return false;
    answer(response, request);
    return true;
  };

const always = (): boolean => true;
const named =
  (part: string) =>
  ({ url = '' }: IncomingMessage): boolean =>
    url.includes(part);

const sendBomb = (response: ServerResponse): void => {
  response.writeHead(200, zipped).end(spaces());
};
const sendJson =
  (text: string) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
/** Pages of one list without an end. */
const endlessPages =
  (items: string) =>
  (response: ServerResponse): void =>
    sendJson(`{"kind":"List","metadata":{"continue":"more"},"items":[${items}]}`)(response);
const itemsOf = (count: number, letters: number): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      metadata: { name: `n${index}`, namespace: 'shop', labels: { a: 'x'.repeat(letters) } },
    }),
  ).join(',');
const largeItems = itemsOf(500, 10_000);

const patchOf = (operations: readonly object[]) => (uid: string) => ({
  body: Buffer.from(
    JSON.stringify(
      allow(uid, {
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
      }),
    ),
  ),
});

/** The honest certificate followed by that many others. */
const presenting = (many: number) => (honest: Presented) => ({
  ...honest,
  cert: honest.cert + honest.anchor.repeat(many),
});

const aliases = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghijk'
  .split('')
  .map((name, index) => `${name}: &${name} [${`*${'abcdefghij'[index]},`.repeat(9)}x]\n`)
  .join('')}`;

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Each step copies everything that was copied before. */
const doubling: readonly object[] = [
  { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1000) } },
  ...Array.from({ length: 40 }, (_, index) => ({
    op: 'copy',
    from: '/metadata',
    path: `/metadata/b${index}`,
  })),
];

const largeDefinitions = JSON.stringify({
  metadata: {},
  items: Array.from({ length: 40 }, (_, index) => ({
    metadata: { name: `things${index}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: `things${index}`, kind: `Thing${index}` },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', description: 'x'.repeat(1_400_000) } },
        },
      ],
    },
  })),
});

/** A condition with nested comprehensions over nine items. */
const all = (variables: string, inner: string): string =>
  [...variables].reduceRight((text, name) => `[1,2,3,4,5,6,7,8,9].all(${name}, ${text})`, inner);

const withConditions = (...expressions: readonly string[]) => ({
  configurations: (webhook: object) => [
    configurationOf('policy', [
      {
        ...webhook,
        matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
      },
    ]),
  ],
});

const many = (count: number) => (webhook: object) => {
  const { clientConfig } = webhook as { readonly clientConfig: { readonly service: object } };
  return Array.from({ length: count / 10 }, (_, index) =>
    configurationOf(
      `policy-${index}`,
      Array.from({ length: 10 }, (_, at) => ({
        ...webhook,
        name: `w${at}.c${index}.example.com`,
        clientConfig: { ...clientConfig, service: { ...clientConfig.service, name: `gone-${index}` } },
      })),
    ),
  );
};

/** A webhook with a timeout of one second, so that a hanging backend costs no more. */
const impatient = {
  configurations: (webhook: object) => [configurationOf('policy', [{ ...webhook, timeoutSeconds: 1 }])],
};

const raw =
  (write: (socket: TLSSocket, uid: string) => void): Backend =>
  (socket) =>
    onReview(socket, (uid) => write(socket, uid));

/** Attacks by an API server, or by a server in its place. */
const ofApiServers: readonly Row[] = [
  {
    what: 'every answer is a gzip bomb',
    api: only(always, sendBomb),
    codes: [2, 3],
    says: /larger than 64 MiB/,
  },
  {
    what: 'one list is a gzip bomb',
    api: only(named('/services?'), sendBomb),
    codes: [3],
    says: /services.*larger than 64 MiB/s,
  },
  {
    what: 'every answer is an error with a body of 20 MB',
    api: only(always, (response) => response.writeHead(500).end('no '.repeat(7_000_000))),
    codes: [2, 3],
    says: /the API server failed/,
  },
  {
    what: 'a list is nested deeply',
    api: only(named('/services?'), sendJson(`{"items":${'['.repeat(5_000_000)}`)),
    codes: [3],
    says: /nested deeper than 1000 levels/,
  },
  {
    what: 'an object is nested deeply, below 4 MiB',
    api: only(
      named('/services?'),
      sendJson(`{"items":[{"metadata":{"name":"policy","namespace":"shop"},"spec":${nested(300_000)}}]}`),
    ),
    codes: [1],
    says: /Service shop\/policy has no port 443: it has no ports/,
  },
  {
    what: 'a list has two million items',
    api: only(named('/services?'), sendJson(`{"items":[${'{},'.repeat(2_000_000)}{}]}`)),
    codes: [3],
    says: /services/,
  },
  {
    what: 'every list has pages without end',
    api: only(isList, endlessPages(largeItems)),
    codes: [2, 3],
    says: /list .* (holds more than|is larger than|has more than)|time for the whole run/,
  },
  {
    what: 'a list has pages without end, of small objects',
    api: only(named('/services?'), endlessPages(itemsOf(5000, 20))),
    codes: [3],
    says: /services.* holds more than 200000 objects|time limit of the run/,
  },
  {
    what: 'a list has empty pages without end',
    api: only(named('/services?'), endlessPages('')),
    codes: [3],
    says: /services.* has more than 5000 pages|time limit of the run/,
  },
  {
    what: 'informational answers without end',
    api: only(named('/services?'), (response) =>
      withoutEnd(
        response.socket as never,
        Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100)),
      ),
    ),
    codes: [3],
    says: /services/,
    seconds: 3,
  },
  {
    what: 'trailers without end',
    api: only(named('/services?'), (response) => {
      response.socket?.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n2\r\n{}\r\n0\r\n',
      );
      withoutEnd(
        response.socket as never,
        Buffer.from('x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100)),
      );
    }),
    codes: [3],
    says: /the response for \/api\/v1\/services has headers whose size is larger than 1 MiB/,
  },
  {
    what: 'headers without end',
    api: only(named('/services?'), (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      withoutEnd(
        response.socket as never,
        Buffer.from('x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100)),
      );
    }),
    codes: [3],
    says: /the response for \/api\/v1\/services has headers whose size is larger than 1 MiB/,
  },
  {
    what: 'chunks of one byte',
    api: only(named('/services?'), (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      withoutEnd(response.socket as never, Buffer.from('1\r\n \r\n'.repeat(1000)));
    }),
    codes: [2, 3],
    says: /services/,
    seconds: 3,
  },
  {
    what: 'it never answers',
    api: only(named('/services?'), () => undefined),
    codes: [3],
    says: /services.*time for the whole run|time for the whole run.*services/s,
    seconds: 3,
  },
  {
    what: 'it answers one byte a second',
    api: only(named('/services?'), (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 1000);
      response.on('close', () => clearInterval(timer));
    }),
    codes: [3],
    says: /services.*time for the whole run|time for the whole run.*services/s,
    seconds: 3,
  },
  {
    what: 'redirects without end',
    api: only(named('/services?'), (response, request) =>
      response.writeHead(302, { location: request.url }).end(),
    ),
    codes: [2, 3],
    says: /services|elsewhere/,
  },
  {
    what: 'CRDs with megabytes of schema',
    api: only(named('/customresourcedefinitions?'), sendJson(largeDefinitions)),
    codes: [0],
    says: /1 healthy/,
  },
  {
    what: 'Events by the hundred thousand',
    args: ['doctor', '--deep'],
    api: only(
      named('/events'),
      sendJson(
        JSON.stringify({
          metadata: {},
          items: Array.from({ length: 100_000 }, (_, index) => ({
            metadata: { name: `e${index}`, namespace: 'shop' },
            involvedObject: { kind: 'Pod', name: 'policy-0', namespace: 'shop' },
            type: 'Warning',
            reason: 'FailedCreate',
            message:
              'Error creating: Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: x',
            count: 1,
            lastTimestamp: '2026-11-01T00:00:00Z',
          })),
        }),
      ),
    ),
    codes: [0, 1, 3],
    says: /webhook/,
  },
];

/** Attacks by a backend. */
const ofBackends: readonly Row[] = [
  {
    what: 'a gzip bomb',
    backend: answering(() => ({ body: spaces(), headers: { 'content-encoding': 'gzip' } })),
    codes: [3],
    says: /its response is larger\s+than 4 MiB/,
  },
  {
    what: 'a gzip bomb with an error',
    backend: answering(() => ({ status: 500, body: spaces(), headers: { 'content-encoding': 'gzip' } })),
    codes: [1, 3],
    says: /HTTP 500/,
  },
  {
    what: 'a body without end',
    backend: raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
      withoutEnd(socket, Buffer.alloc(65_536, ' '));
    }),
    codes: [3],
    says: /its response is larger\s+than 4 MiB/,
  },
  {
    what: 'a body without end, in chunks of one byte',
    ...impatient,
    backend: raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      withoutEnd(socket, Buffer.from('1\r\n \r\n'.repeat(1000)));
    }),
    codes: [1, 3],
    says: /Pod policy-0 accepted\s+connections\s+to\s+port\s+8443\s+and\s+sent\s+(?:no|an\s+incomplete)\s+response|its response is larger than 4 MiB/,
  },
  {
    what: 'headers without end',
    backend: raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      withoutEnd(socket, Buffer.from('x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100)));
    }),
    codes: [3],
    says: /by port-forward to Pod shop\/policy-0: unreachable \(its header or trailer section is larger than 1 MiB/,
  },
  {
    what: 'informational answers without end',
    ...impatient,
    backend: raw((socket) =>
      withoutEnd(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100))),
    ),
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'trailers without end',
    backend: raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\n{}\r\n0\r\n');
      withoutEnd(socket, Buffer.from('x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100)));
    }),
    codes: [3],
    says: /by port-forward to Pod shop\/policy-0: unreachable \(its header or trailer section is larger than 1 MiB/,
  },
  {
    what: 'another protocol, without end (101)',
    backend: raw((socket) => {
      socket.write('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
      withoutEnd(socket, Buffer.alloc(65_536, ' '));
    }),
    codes: [3],
    says: /a review by port-forward to Pod shop\/policy-0: too-large \(its response is larger than 4 MiB/,
  },
  {
    what: 'no TLS, but bytes without end',
    bare: (socket) => {
      socket.on('error', () => undefined);
      withoutEnd(socket, Buffer.alloc(65_536, 'x'));
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'TLS records of one byte, without end',
    alone: true,
    ...impatient,
    bare: (socket) => {
      socket.on('error', () => undefined);
      withoutEnd(socket, Buffer.from([0x16, 3, 3, 0, 1, 2]));
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'TLS records without content, without end',
    alone: true,
    ...impatient,
    bare: (socket) => {
      socket.on('error', () => undefined);
      withoutEnd(socket, Buffer.from([0x16, 3, 3, 0, 0]));
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'a chain of 3 000 certificates',
    certificate: presenting(3000),
    codes: [3],
    says: /a TLS handshake by port-forward to Pod shop\/policy-0: unreachable \(its certificates, or another message of its handshake, are larger than the limit of OpenSSL/,
  },
  {
    what: 'a chain of 60 certificates',
    certificate: presenting(60),
    codes: [0, 3],
    says: /1 healthy.*1 Pod probed/,
  },
  {
    what: 'TLS renegotiation without end',
    ...impatient,
    maxVersion: 'TLSv1.2',
    backend: (socket) => {
      const again = (): void => void (socket.destroyed || socket.renegotiate({}, () => setImmediate(again)));
      again();
    },
    codes: [0, 1, 3],
    says: /Pod policy-0 accepted\s+connections\s+to\s+port\s+8443\s+and\s+sent\s+(?:no|an\s+incomplete)\s+response|by port-forward to Pod shop\/policy-0|1 not probed/,
  },
  {
    what: 'port-forward frames without end',
    forward: (socket) => {
      nameThePort(socket);
      const flood = (): void => {
        if (socket.readyState === 1)
          socket.send(Buffer.concat([Buffer.of(0), Buffer.alloc(60_000, 'x')]), flood);
      };
      flood();
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'empty port-forward frames without end',
    ...impatient,
    forward: (socket) => {
      nameThePort(socket);
      const flood = (): void => {
        if (socket.readyState === 1) {
          for (let i = 0; i < 1000; i += 1) socket.send(Buffer.of(0));
          setImmediate(flood);
        }
      };
      flood();
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'port-forward frames of channels that do not exist',
    ...impatient,
    forward: (socket) => {
      const flood = (): void => {
        if (socket.readyState === 1) {
          for (let i = 2; i < 256; i += 1) socket.send(Buffer.of(i, 1, 2, 3));
          setImmediate(flood);
        }
      };
      flood();
    },
    codes: [1, 3],
    says: /policy\.example\.com|1 not probed/,
  },
  {
    what: 'a port-forward frame of 64 MiB',
    forward: (socket) => {
      nameThePort(socket);
      socket.send(Buffer.alloc(64 * 1024 * 1024));
    },
    codes: [3],
    says: /port-forward to Pod shop\/policy-0: unreachable \(a message of the port-forward is larger than 4 MiB/,
  },
  {
    what: 'a patch that doubles the object',
    backend: answering(patchOf(doubling)),
    codes: [1],
    says: /Unable to complete the copy,\s+the accumulated size increase of copy is \d+,\s+exceeding\s+the\s+limit\s+3145728/,
  },
  {
    what: 'a patch of 50 000 operations',
    backend: answering(
      patchOf(
        Array.from({ length: 50_000 }, (_, index) => ({
          op: 'add',
          path: `/data`,
          value: { a: `${index}` },
        })),
      ),
    ),
    codes: [3],
    says: /Pod shop\/policy-0: too-large \(its patch has more than 10000 operations/,
  },
  {
    what: 'a patch that moves a long list',
    backend: answering(
      patchOf([
        { op: 'add', path: '/data', value: Array(500_000).fill(0) },
        ...Array.from({ length: 9000 }, () => ({ op: 'add', path: '/data/0', value: 0 })),
      ]),
    ),
    codes: [3],
    says: /Pod shop\/policy-0: too-large \(its patch moves too many list items/,
  },
  {
    what: 'a patch nested deeply',
    backend: answering((uid) => ({
      body: Buffer.from(
        JSON.stringify(
          allow(uid, {
            patchType: 'JSONPatch',
            patch: Buffer.from(`[{"op":"add","path":"/data","value":${nested(400_000)}}]`).toString('base64'),
          }),
        ),
      ),
    })),
    codes: [3],
    says: /Pod shop\/policy-0: too-large \(its patch is nested deeper than 500 levels/,
  },
  {
    what: 'a response nested deeply',
    backend: answering(() => ({
      body: Buffer.from(
        `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":${nested(500_000)}}`,
      ),
    })),
    codes: [3],
    says: /Pod shop\/policy-0: too-large \(its response is nested deeper than 500 levels/,
  },
  {
    what: 'YAML with aliases of aliases',
    backend: answering(() => ({
      body: Buffer.from(`${aliases}response: {}\n`),
    })),
    codes: [3],
    says: /Pod shop\/policy-0: too-large \(its response is neither JSON nor simple YAML/,
  },
  {
    what: '100 000 warnings',
    backend: answering((uid) => ({
      body: Buffer.from(
        JSON.stringify(
          allow(uid, { warnings: Array.from({ length: 100_000 }, (_, index) => `warning ${index}`) }),
        ),
      ),
    })),
    codes: [0],
    says: /1 healthy/,
  },
  {
    what: '100 000 audit annotations',
    backend: answering((uid) => ({
      body: Buffer.from(
        JSON.stringify(
          allow(uid, {
            auditAnnotations: Object.fromEntries(
              Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 'v']),
            ),
          }),
        ),
      ),
    })),
    codes: [0, 1],
    says: /1 healthy|Pod policy-0 accepted\s+connections\s+to\s+port\s+8443\s+and\s+sent\s+(?:no|an\s+incomplete)\s+response/,
  },
  {
    what: 'a denial of 3 MB',
    backend: answering((uid) => ({
      body: Buffer.from(
        JSON.stringify({
          ...allow(uid),
          response: { uid, allowed: false, status: { message: 'no '.repeat(1_000_000) } },
        }),
      ),
    })),
    codes: [0, 3],
    says: /1 healthy.*1 Pod probed/,
  },
  {
    what: 'a body without end through the proxy of the API server',
    api: only(isProxied, (response) => {
      response.writeHead(200);
      withoutEnd(response as never, Buffer.alloc(65_536, ' '));
    }),
    codes: [0, 3],
    says: /1 healthy.*1 Pod probed/,
  },
  {
    what: 'a gzip bomb through the proxy of the API server',
    api: only(isProxied, sendBomb),
    codes: [0, 3],
    says: /1 healthy.*1 Pod probed/,
  },
  {
    what: 'a gzip bomb with an error through the proxy of the API server',
    api: only(isProxied, (response) => {
      response.writeHead(503, zipped).end(spaces());
    }),
    codes: [0],
    says: /1 healthy.*1 Pod probed/,
  },
];

/** Attacks by objects. */
const ofObjects: readonly Row[] = [
  {
    what: 'a matchCondition whose regular expression backtracks',
    ...withConditions(`'${'a'.repeat(40)}!'.matches('^(a|a|aa)+$')`, `request.name.matches('(x+x+)+y')`),
    codes: [0],
    says: /1 healthy/,
  },
  {
    what: 'a matchCondition with nested comprehensions',
    alone: true,
    ...withConditions(all('abcdefghi', 'a+b+c+d+e+f+g+h+i > 0')),
    codes: [1],
    says: /operation cancelled: actual cost limit exceeded/,
  },
  {
    what: '15 000 matchConditions that each cost nearly what they may',
    alone: true,
    configurations: (webhook) =>
      Array.from({ length: 100 }, (_, c) =>
        configurationOf(
          `policy-${c}`,
          Array.from({ length: 5 }, (_, at) => ({
            ...webhook,
            name: `w${at}.c${c}.example.com`,
            matchConditions: Array.from({ length: 30 }, (_, index) => ({
              name: `c${index}`,
              expression: `${all('abcd', `[1,2,3,4,5].all(e, a+b+c+d+e+${index + at * 30 + c * 150} > 0)`)}`,
            })),
          })),
        ),
      ),
    codes: [3],
    says: /the matchConditions of this run take more than 600000000 steps together|the time limit was reached/,
    seconds: 4,
  },
  {
    what: 'a matchCondition of 100 000 terms',
    ...withConditions(
      Array.from({ length: 100_000 }, (_, index) => `request.name != 'n${index}'`).join(' && '),
    ),
    codes: [0],
    says: /1 healthy/,
  },
  {
    what: 'a matchCondition of 20 000 brackets',
    ...withConditions(`${'('.repeat(20_000)}true${')'.repeat(20_000)}`),
    codes: [0],
    says: /1 healthy/,
  },
  {
    what: 'a caBundle of 1 000 certificates, in 50 webhooks',
    configurations: (webhook) => {
      const { clientConfig } = webhook as { readonly clientConfig: { readonly caBundle: string } };
      const anchor = Buffer.from(clientConfig.caBundle, 'base64').toString();
      const caBundle = Buffer.from(anchor.repeat(1000)).toString('base64');
      return Array.from({ length: 50 }, (_, at) =>
        configurationOf(`policy-${at}`, [
          { ...webhook, name: `w${at}.example.com`, clientConfig: { ...clientConfig, caBundle } },
        ]),
      );
    },
    codes: [0, 1, 3],
    says: /50 webhooks: /,
  },
  {
    what: '10 000 webhooks with a finding each',
    args: ['doctor', '--probe', 'none'],
    configurations: many(10_000),
    codes: [1],
    says: /10000 failing/,
    within: 300,
    seconds: 40,
  },
  {
    what: '100 000 webhooks with a finding each',
    args: ['doctor', '--probe', 'none'],
    configurations: many(100_000),
    codes: [1],
    says: /failing.*7500 of 10000 configurations are not examined: the limit is 25000 webhooks/,
    alone: true,
  },
  {
    what: '60 webhooks whose backend responds with 4 MB each',
    configurations: (webhook) => [
      configurationOf(
        'policy',
        Array.from({ length: 60 }, (_, at) => ({ ...webhook, name: `w${at}.example.com` })),
      ),
    ],
    backend: answering((uid) => ({
      body: Buffer.from(JSON.stringify(allow(uid, { auditAnnotations: { a: 'x'.repeat(4_000_000) } }))),
    })),
    codes: [3],
    says: /its\s+response together with\s+those of the other webhooks is larger than 16 MiB/,
  },
  {
    what: 'a list of something else',
    rewrite: (path, body) =>
      path === '/api/v1/services' ? { items: [{ metadata: { name: 'x' }, spec: 1 }] } : body,
    codes: [3],
    says: /services.* holds an object whose `spec` is not what the API has there/,
  },
  {
    what: 'lists of nothing',
    rewrite: (_path, body) => ({ ...(body as object), items: [null] }),
    codes: [3],
    says: /holds a value that is not an object/,
  },
  {
    what: 'a Node without status',
    nodes: [{ metadata: { name: 'node-0' } }],
    args: ['doctor', '--deep'],
    codes: [0, 1, 3],
    says: /webhook/,
  },
];

/** Two attacks at once, which share the limits. */
const pairs: readonly Row[] = [
  {
    what: 'a gzip bomb through the proxy, and another in response',
    api: only(isProxied, sendBomb),
    backend: answering(() => ({ body: spaces(), headers: { 'content-encoding': 'gzip' } })),
    codes: [3],
    says: /its response is larger\s+than 4 MiB/,
  },
  {
    what: 'lists without end, and a gzip bomb among them',
    api: (request, response, path) =>
      path.endsWith('/namespaces')
        ? only(isList, sendBomb)(request, response, path)
        : only(isList, endlessPages(largeItems))(request, response, path),
    codes: [2, 3],
    says: /webhookconfigurations: .*(larger than|holds more than|time limit of the run)/,
  },
  {
    what: '10 000 webhooks, and CRDs with megabytes of schema',
    args: ['doctor', '--probe', 'none'],
    configurations: many(10_000),
    api: only(named('/customresourcedefinitions?'), sendJson(largeDefinitions)),
    codes: [1],
    says: /10000 failing/,
    seconds: 40,
  },
  {
    what: 'a matchCondition that backtracks, and a patch that doubles the object',
    ...withConditions(`'${'a'.repeat(40)}!'.matches('^(a|a|aa)+$') || true`),
    backend: answering(patchOf(doubling)),
    codes: [1],
    says: /Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728/,
  },
];

export const attacks: Readonly<Record<string, readonly Row[]>> = {
  'an API server': ofApiServers,
  'a backend': ofBackends,
  'an object': ofObjects,
  'two at once': pairs,
};

/** One attack of each kind, on lists and connections that others can still use. */
const elements: Readonly<Record<string, Attack>> = {
  'a response that is a gzip bomb': {
    backend: answering(() => ({ body: spaces(), headers: { 'content-encoding': 'gzip' } })),
  },
  'a patch that doubles the object': { backend: answering(patchOf(doubling)) },
  '100 000 warnings': {
    backend: answering((uid) => {
      const warnings = Array.from({ length: 100_000 }, (_, index) => `warning ${index}`);
      return { body: Buffer.from(JSON.stringify(allow(uid, { warnings }))) };
    }),
  },
  'a matchCondition that backtracks': withConditions(`'${'a'.repeat(40)}!'.matches('^(a|a|aa)+$') || true`),
  'a list that is a gzip bomb': { api: only(named('/customresourcedefinitions?'), sendBomb) },
  'an error with a body of 20 MB': {
    api: only(named('/apiservices?'), (response) => response.writeHead(500).end('no '.repeat(7_000_000))),
  },
  'a list nested deeply': { api: only(named('/nodes?'), sendJson(`{"items":${'['.repeat(5_000_000)}`)) },
  'a list of two million items': {
    api: only(
      named('/validatingwebhookconfigurations?'),
      sendJson(`{"items":[${'{},'.repeat(2_000_000)}{}]}`),
    ),
  },
  'pages without end': { api: only(named('/namespaces?'), endlessPages(largeItems)) },
  '1 000 webhooks': { configurations: many(1000) },
};

/** Both at once: of two backends, every other connection gets the second attack. */
function combined(one: Attack, other: Attack): Attack {
  const { api, backend, configurations } = one;
  let connections = 0;
  return {
    ...one,
    ...other,
    ...(api && other.api && { api: (...asked) => api(...asked) || other.api?.(...asked) === true }),
    ...(backend &&
      other.backend && {
        backend: (socket) => {
          connections += 1;
          (connections % 2 === 1 ? backend : other.backend)?.(socket);
        },
      }),
    ...(configurations &&
      other.configurations && {
        configurations: (webhook) => [...configurations(webhook), ...(other.configurations?.(webhook) ?? [])],
      }),
  };
}

/** Every pair of attacks, by the first one: checks time, memory and the error. */
export const everyTwo: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries(elements)
    .map(([what, attack], at, all): readonly [string, readonly Row[]] => [
      what,
      all.slice(at + 1).map(([other, second]) => ({
        what: `${what}, and ${other}`,
        ...combined(attack, second),
        args: ['doctor', '--deep'],
        codes: [0, 1, 2, 3],
        says: /webhook|list/,
      })),
    ])
    .filter(([, rows]) => rows.length > 0),
);

/** A small manifest. */
export const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\n`;
/** The hostile input is read before this file. */
const noSnapshot = '/no/such/snapshot';

/** A hostile file: its name is the last argument. */
export const files: readonly (Pick<Row, 'what' | 'codes' | 'says' | 'seconds'> & {
  readonly args: readonly string[];
  readonly content: () => string | Buffer;
})[] = [
  {
    what: 'a log line of 300 MB',
    args: ['scan', '--no-cluster'],
    content: () => Buffer.alloc(300_000_000, 'x'),
    codes: [3],
    says: /300 MB/,
  },
  {
    what: 'a log that is a gzip bomb',
    args: ['scan', '--no-cluster'],
    content: spaces,
    codes: [3],
    says: /1074 MB/,
  },
  {
    what: 'a text of 300 MB to explain',
    args: ['explain', '--no-cluster', '-f'],
    content: () => Buffer.alloc(300_000_000, 'x'),
    codes: [2],
    says: /is larger than 4 MiB/,
  },
  {
    what: 'a snapshot that is a gzip bomb',
    args: ['doctor', '--from-snapshot'],
    content: spaces,
    codes: [2],
    says: /the snapshot is larger than 128 MiB/,
  },
  {
    what: 'a snapshot of 20 million values',
    args: ['doctor', '--from-snapshot'],
    content: () => `{"kind":"Snapshot","a":[${'{},'.repeat(20_000_000)}{}]}`,
    codes: [2],
    says: /the snapshot holds more than 4000000 values/,
  },
  {
    what: 'a snapshot nested deeply',
    args: ['doctor', '--from-snapshot'],
    content: () => `{"kind":"Snapshot","a":${'['.repeat(20_000_000)}`,
    codes: [2],
    says: /the snapshot is nested deeper than 1000 levels/,
  },
  {
    what: 'a manifest with aliases of aliases',
    args: ['lint', '-f'],
    content: () => aliases,
    codes: [2],
    says: /line 1: its YAML has more than 100 aliases of one anchor/,
  },
  {
    what: 'a manifest nested deeply',
    args: ['lint', '-f'],
    content: () => `a: ${'['.repeat(50_000)}`,
    codes: [2],
    says: /line 1: the YAML is nested too deeply/,
  },
  {
    what: 'a manifest of two million values',
    args: ['lint', '-f'],
    content: () => `a:\n${'- 0\n'.repeat(2_000_000)}`,
    codes: [2],
    says: /line 1: one document of it has more than 1000000 parts/,
  },
  {
    what: 'a manifest of 100 000 documents',
    args: ['lint', '--timeout', '3s', '-f'],
    content: () => `${configMap('x')}---\n`.repeat(100_000),
    codes: [0, 3],
    says: /100000 objects in 1 file|time limit/,
  },
  {
    what: 'an object of two million values to trace',
    args: ['trace', '--from-snapshot', noSnapshot, '-f'],
    content: () => `${configMap('x')}a: [${'0,'.repeat(2_000_000)}0]`,
    codes: [2],
    says: /line 1: one document of it has more than 1000000 parts/,
  },
  {
    what: 'an object of 100 MB to call a webhook with',
    args: ['doctor', 'policy', '--from-snapshot', noSnapshot, '-f'],
    content: () => `${configMap('x'.repeat(100_000_000))}`,
    codes: [2],
    says: /is larger than 8 MiB/,
  },
  {
    what: 'an object of 100 000 keys to call a webhook with',
    args: ['doctor', 'policy', '--from-snapshot', noSnapshot, '-f'],
    content: () =>
      `${configMap('x')}data:\n${Array.from({ length: 100_000 }, (_, at) => ` k${at}: v\n`).join('')}`,
    codes: [2],
    says: /no such file/,
  },
  {
    what: 'a manifest of 100 MB',
    args: ['lint', '-f'],
    content: () => `a: ${'x'.repeat(100_000_000)}`,
    codes: [2],
    says: /is larger than 8 MiB/,
  },
];

/** A hostile kubeconfig. */
export const kubeconfigs: readonly (readonly [what: string, file: () => string, says: RegExp])[] = [
  [
    'aliases of aliases',
    () => fileWith(`${aliases}clusters: *k\n`),
    /too many of them|not a kubeconfig|kubeconfig/,
  ],
  ['levels', () => fileWith(`clusters: ${'['.repeat(100_000)}`), /kubeconfig/],
  [
    'values',
    () => fileWith(`clusters: [${'0,'.repeat(2_000_000)}0]`),
    /is larger than 1000000 parts of YAML/,
  ],
  ['bytes', () => fileWith(`a: ${'x'.repeat(17 * 1024 * 1024)}\n`), /larger than 16 MiB/],
];
