import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import { authority, issue, type KeyPair } from '../../support/certificates.ts';
import { fileWith } from '../../support/plugin.ts';

/** Responds to one request instead of the API server; false: the normal response. */
export type Handler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Handles a connection of the program, inside TLS. */
export type Backend = (socket: TLSSocket) => void;

/** The hostile part of a cluster; everything else in it is normal. */
export interface Attack {
  readonly api?: Handler;
  readonly backend?: Backend;
  /** Instead of a TLS handshake with the backend: the raw connection. */
  readonly bare?: (socket: Socket) => void;
  /** Instead of a port-forward to the Pod: its WebSocket. */
  readonly forward?: (socket: WebSocket) => void;
  /** Replaces the backend's certificate. */
  readonly certificate?: (honest: Presented) => Presented;
  readonly maxVersion?: SecureVersion;
  /** Instead of the one webhook configuration that calls the backend. */
  readonly configurations?: (webhook: object) => readonly object[];
  readonly pod?: object;
  /** Changes a normal response, by path. */
  readonly rewrite?: (path: string, body: unknown) => unknown;
  readonly nodes?: readonly object[];
}

/** A chain and its key; `anchor` is in the caBundle. */
export interface Presented extends KeyPair {
  readonly anchor: string;
}

export interface HostileCluster {
  readonly kubeconfig: string;
  readonly url: string;
  /** The attack has started: `api` has handled a request, or the backend has a connection. */
  readonly attacked: Promise<void>;
  stop(): Promise<void>;
}

const at = '2026-11-01T00:00:00Z';
const list = (kind: string, apiVersion: string, items: readonly object[]) => ({
  kind: `${kind}List`,
  apiVersion,
  metadata: { resourceVersion: '1' },
  items,
});

const serverName = 'policy.shop.svc';
let honest: Promise<Presented> | undefined;

function honestCertificate(): Promise<Presented> {
  honest ??= authority({ cn: 'shop-ca' }).then(async (ca) => ({
    ...(await issue(ca, { dns: [serverName], eku: ['server'] })),
    anchor: ca.cert,
  }));
  return honest;
}

/** A webhook that is called for ConfigMaps, by the Service shop/policy. */
const webhookOf = (anchor: string) => ({
  name: 'policy.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  timeoutSeconds: 2,
  reinvocationPolicy: 'Never',
  namespaceSelector: {},
  objectSelector: {},
  clientConfig: {
    caBundle: Buffer.from(anchor).toString('base64'),
    service: { namespace: 'shop', name: 'policy', port: 443, path: '/mutate' },
  },
  rules: [
    { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: '*' },
  ],
});

export const configurationOf = (name: string, webhooks: readonly object[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: at },
  webhooks,
});

const ready = { type: 'Ready', status: 'True', lastTransitionTime: at };
const podOf = () => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'policy-0',
    namespace: 'shop',
    uid: 'p',
    resourceVersion: '1',
    creationTimestamp: at,
    labels: { app: 'policy' },
  },
  spec: {
    nodeName: 'node-0',
    containers: [{ name: 'webhook', image: 'policy:1', ports: [{ containerPort: 8443 }] }],
  },
  status: {
    phase: 'Running',
    podIP: '198.18.0.7',
    podIPs: [{ ip: '198.18.0.7' }],
    conditions: [ready, { type: 'ContainersReady', status: 'True' }],
    containerStatuses: [
      {
        name: 'webhook',
        ready: true,
        started: true,
        restartCount: 0,
        image: 'policy:1',
        imageID: '',
        state: { running: { startedAt: at } },
      },
    ],
  },
});

const core = [
  ['configmaps', 'ConfigMap', true],
  ['pods', 'Pod', true],
  ['services', 'Service', true],
  ['secrets', 'Secret', true],
  ['namespaces', 'Namespace', false],
  ['nodes', 'Node', false],
  ['events', 'Event', true],
] as const;
const discovered = ([resource, kind, namespaced]: (typeof core)[number]) => ({
  resource,
  responseKind: { group: '', version: 'v1', kind },
  scope: namespaced ? 'Namespaced' : 'Cluster',
  singularResource: kind.toLowerCase(),
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
});

/** The responses of a normal API server, by path without query. */
function objectsOf(anchor: string, attack: Attack): Readonly<Record<string, object>> {
  const webhook = webhookOf(anchor);
  const configurations = attack.configurations?.(webhook) ?? [configurationOf('policy', [webhook])];
  const service = {
    metadata: { name: 'policy', namespace: 'shop', uid: 's', creationTimestamp: at },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7'],
      selector: { app: 'policy' },
      ports: [{ port: 443, targetPort: 8443, protocol: 'TCP' }],
    },
  };
  const slice = {
    metadata: { name: 'policy-x', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'policy' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8443, protocol: 'TCP' }],
    endpoints: [
      {
        addresses: ['198.18.0.7'],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: 'node-0',
        targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-0', uid: 'p' },
      },
    ],
  };
  const namespace = (name: string) => ({
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    status: { phase: 'Active' },
  });
  const pod = attack.pod ?? podOf();
  const admission = '/apis/admissionregistration.k8s.io/v1';
  return {
    [`${admission}/mutatingwebhookconfigurations`]: list(
      'MutatingWebhookConfiguration',
      'admissionregistration.k8s.io/v1',
      configurations,
    ),
    [`${admission}/validatingwebhookconfigurations`]: list(
      'ValidatingWebhookConfiguration',
      'admissionregistration.k8s.io/v1',
      [],
    ),
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': list(
      'CustomResourceDefinition',
      'apiextensions.k8s.io/v1',
      [],
    ),
    '/apis/apiregistration.k8s.io/v1/apiservices': list('APIService', 'apiregistration.k8s.io/v1', []),
    '/api/v1/services': list('Service', 'v1', [service]),
    '/apis/discovery.k8s.io/v1/endpointslices': list('EndpointSlice', 'discovery.k8s.io/v1', [slice]),
    '/api/v1/namespaces': list('Namespace', 'v1', ['default', 'kube-system', 'shop'].map(namespace)),
    '/api/v1/namespaces/kube-system': namespace('kube-system'),
    '/api/v1/namespaces/shop': namespace('shop'),
    '/api/v1/namespaces/shop/pods': list('Pod', 'v1', [pod]),
    '/api/v1/namespaces/kube-system/pods': list('Pod', 'v1', []),
    '/api/v1/namespaces/shop/pods/policy-0': pod,
    '/api/v1/nodes': list('Node', 'v1', attack.nodes ?? []),
    '/version': { major: '1', minor: '35', gitVersion: 'v1.35.4' },
    '/api': {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [
        {
          metadata: {},
          versions: [{ version: 'v1', freshness: 'Current', resources: core.map(discovered) }],
        },
      ],
    },
    '/apis': { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items: [] },
  };
}

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const missing = (path: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
  details: { name: path.split('/').at(-1) },
  message: `${path} not found`,
});

/** The requested page of a list; no Pod is Pending. */
function paged(body: object | undefined, url: string): object | undefined {
  const { items, metadata } = (body ?? {}) as {
    readonly items?: readonly object[];
    readonly metadata?: object;
  };
  const query = new URL(url, 'http://x').searchParams;
  if (query.get('fieldSelector') === 'status.phase=Pending') return { ...body, items: [] };
  const [limit, from] = [Number(query.get('limit') ?? 0), Number(query.get('continue') ?? 0)];
  if (items === undefined || limit === 0 || items.length <= limit) return body;
  const left = items.length - from - limit;
  const next = left > 0 ? { continue: String(from + limit), remainingItemCount: left } : {};
  return { ...body, metadata: { ...metadata, ...next }, items: items.slice(from, from + limit) };
}

function answerHonestly(
  objects: Readonly<Record<string, object>>,
  rewrite: NonNullable<Attack['rewrite']>,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const body =
    request.method === 'GET'
      ? objects[path]
      : { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } };
  const listed =
    /^\/(api|apis)\/.*\/(v\d\w*)\/(namespaces\/[^/]+\/)?[a-z]+$/.test(path) ||
    /^\/api\/v1\/[a-z]+$/.test(path);
  const found = paged(body, request.url ?? '') ?? (listed ? list('Thing', 'v1', []) : undefined);
  const type = path === '/api' || path === '/apis' ? discoveryType : 'application/json';
  const text = JSON.stringify(found === undefined ? missing(path) : rewrite(path, found));
  const zipped = /gzip/.test(String(request.headers['accept-encoding'])) && text.length > 131_072;
  const status = found === undefined ? 404 : request.method === 'GET' ? 200 : 201;
  response.writeHead(status, { 'content-type': type, ...(zipped ? { 'content-encoding': 'gzip' } : {}) });
  response.end(zipped ? gzipSync(text, { level: 1 }) : text);
}

const framed = (channel: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), content]);

/** Sends the port on both channels, as a kubelet does at the start of a port-forward. */
export function nameThePort(opened: WebSocket): void {
  for (const channel of [0, 1]) opened.send(framed(channel, Buffer.from([0xfb, 0x20])));
}

/** Relays a port-forward to a port of this machine and back, with backpressure. */
function passOn(opened: WebSocket, port: number): void {
  nameThePort(opened);
  const target = connect(port, '127.0.0.1');
  target.on('data', (chunk) => {
    target.pause();
    opened.send(framed(0, chunk), () => target.resume());
  });
  target.on('error', () => opened.close(1000));
  target.on('close', () => opened.close(1000));
  opened.on('message', (message) => target.write((message as Buffer).subarray(1)));
  opened.on('close', () => target.destroy());
  opened.on('error', () => target.destroy());
}

/** An AdmissionReview that allows the request with this uid, with further fields in its response. */
export const allow = (uid: string, more: object = {}): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid, allowed: true, ...more },
});

/** Reads one POST of a review from a raw TLS connection, and passes on its uid. */
export function onReview(socket: TLSSocket, answer: (uid: string) => void): void {
  let seen = '';
  socket.on('data', (chunk) => {
    seen += chunk.toString('latin1');
    const uid = /"uid":"([^"]+)"/.exec(seen)?.[1];
    if (seen.startsWith('GET') && seen.includes('\r\n\r\n')) answer('');
    else if (uid !== undefined && seen.trimEnd().endsWith('}')) answer(uid);
    else return;
    seen = '';
  });
}

/** An HTTP backend with this response to each review: the body and headers. */
export const answering =
  (
    make: (uid: string) => {
      readonly body: Buffer;
      readonly headers?: Readonly<Record<string, string>>;
      readonly status?: number;
    },
  ): Backend =>
  (socket) =>
    onReview(socket, (uid) => {
      const { body, headers = {}, status = 200 } = make(uid);
      const lines = Object.entries({
        'content-type': 'application/json',
        'content-length': String(body.length),
        ...headers,
      });
      socket.write(
        `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      socket.write(body);
    });

const honestBackend = answering((uid) => ({ body: Buffer.from(JSON.stringify(allow(uid))) }));

/** A cluster on loopback with one webhook, its Service, its Pod, and the attack. */
export async function hostileCluster(attack: Attack): Promise<HostileCluster> {
  const honestly = await honestCertificate();
  const presented = attack.certificate?.(honestly) ?? honestly;
  const objects = objectsOf(presented.anchor, attack);
  let begun = (): void => undefined;
  const attacked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const secure = createTlsServer(
    { cert: presented.cert, key: presented.key, maxVersion: attack.maxVersion, ALPNProtocols: ['http/1.1'] },
    (socket) => {
      socket.on('error', () => undefined);
      if (attack.backend) begun();
      (attack.backend ?? honestBackend)(socket);
    },
  ).on('tlsClientError', () => undefined);
  const target = createServer().on('connection', () => undefined);
  const backend =
    attack.bare === undefined
      ? secure
      : target.removeAllListeners('connection').on('connection', attack.bare);
  backend.on('connection', keep);
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;

  const forwards = new WebSocketServer({ noServer: true, handleProtocols: () => 'v4.channel.k8s.io' });
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume();
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (attack.api?.(request, response, path) === true) begun();
    else answerHonestly(objects, attack.rewrite ?? ((_, body) => body), request, response, path);
  });
  server.on('connection', keep);
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined);
    forwards.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => undefined);
      if (attack.forward) attack.forward(opened);
      else passOn(opened, port);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = fileWith(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'hostile',
      contexts: [{ name: 'hostile', context: { cluster: 'hostile', user: 'me' } }],
      clusters: [{ name: 'hostile', cluster: { server: url } }],
      users: [{ name: 'me', user: { token: 'secret' } }],
    }),
  );
  return {
    kubeconfig,
    url,
    attacked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      backend.close();
    },
  };
}
