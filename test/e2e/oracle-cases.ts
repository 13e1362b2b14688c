import type { CallFacts } from '../../src/apiserver/next-call/call-facts.ts';
import { nextCall } from '../../src/apiserver/next-call/next-call.ts';
import { callSentence, internalError } from '../../src/apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout } from '../../src/facts/callout.ts';
import type { ConfigurationObject } from '../../src/facts/callout-of.ts';
import { complete } from '../../src/facts/lookup.ts';
import { keyOf } from '../../src/facts/object-ref.ts';
import { type EndpointSlice, serviceNameLabel } from '../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../src/facts/objects/service.ts';
import type { Facts, RoutingMode } from '../../src/facts/snapshot.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';

/** The environment of a case: its namespace, an address of this machine, and a port with a webhook. */
export interface Stage {
  readonly namespace: string;
  readonly address: string;
  readonly livePort: number;
  /** PEM, the CA of the webhook that responds. */
  readonly ca: string;
}

/** A closed port (tcpmux). */
export const deadPort = 1;

/** The expected response to the dry run. */
export type Expected =
  /** Exactly the prediction of `nextCall`. */
  | 'predicted'
  /** A connection to this address is refused; the model knows the address, the machine refuses. */
  | { readonly refusedAt: (stage: Stage) => string }
  /** The address is a ClusterIP, and there is no kube-proxy: only the sentence up to the last words. */
  | 'sent'
  | 'admitted';

export interface OracleCase {
  readonly name: string;
  /** Objects named `name`, in the stage's namespace. */
  readonly objects?: (stage: Stage) => readonly KubeObject[];
  /** Merged over `clientConfig`. */
  readonly client?: (stage: Stage) => object;
  /** Merged over the webhook. */
  readonly webhook?: object;
  readonly mutating?: true;
  readonly expected: Readonly<Record<RoutingMode, Expected>>;
}

const named = (name: string, over: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  ...over,
});
export const service = (name: string, spec: object = {}): KubeObject =>
  named(name, { spec: { ports: [{ port: 443 }], ...spec } });

export const slice = (name: string, addresses: readonly object[], over: object = {}): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { generateName: `${name}-`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ port: deadPort }],
  endpoints: addresses,
  ...over,
});

interface SliceShape {
  readonly addressType: string;
  readonly ports: readonly { readonly port?: number }[];
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean; readonly terminating?: boolean };
  }[];
}

/** The Endpoints object that API servers before 1.34 read, as the controller would write it. */
function endpointsObject(name: string, slices: readonly SliceShape[]): KubeObject {
  const subsets = slices.flatMap(({ addressType, ports, endpoints: found }) => {
    const those = (ready: boolean) =>
      found.flatMap(({ addresses: [ip], conditions = {} }) =>
        (conditions.ready ?? true) === ready && (ready || conditions.terminating !== true) ? [{ ip }] : [],
      );
    const [addresses, notReadyAddresses] = [those(true), those(false)];
    const numbered = ports.filter(({ port }) => port !== undefined);
    if (addressType !== 'IPv4' || addresses.length + notReadyAddresses.length === 0) return [];
    if (ports.length > 0 && numbered.length === 0) return [];
    return [{ addresses, notReadyAddresses, ports: numbered }];
  });
  return { apiVersion: 'v1', kind: 'Endpoints', metadata: { name }, subsets };
}

/** Creates a case's objects, and those that a controller would create. */
export async function createBackend(scene: Scene, objects: readonly KubeObject[]): Promise<void> {
  const serviceOf = ({ metadata }: KubeObject): string | undefined =>
    metadata.labels?.['kubernetes.io/service-name'];
  const added = [...new Set(objects.map(serviceOf))].flatMap((name) => {
    const slices = objects.filter((object) => serviceOf(object) === name) as unknown as SliceShape[];
    return name === undefined ? [] : [endpointsObject(name, slices)];
  });
  for (const object of [...objects, ...added]) await scene.create(object);
}

const at = (address: string, conditions?: object): object => ({
  addresses: [address],
  ...(conditions && { conditions }),
});

const both = (expected: Expected): OracleCase['expected'] => ({
  'cluster-ip': expected,
  endpoints: expected,
});
const dead: Expected = { refusedAt: ({ address }) => `${address}:${deadPort}` };
/** Endpoint mode connects to the endpoint that refuses, ClusterIP mode to an address without a server. */
const dials = { 'cluster-ip': 'sent', endpoints: dead } as const;
/** Only endpoint mode reads EndpointSlices. */
const noEndpoint = { 'cluster-ip': 'sent', endpoints: 'predicted' } as const;

const routed = (
  name: string,
  spec: object,
  expected: OracleCase['expected'],
  over: object = {},
): OracleCase => ({
  name,
  objects: ({ address }) => [service(name, spec), slice(name, [at(address)], over)],
  expected,
});
const withConditions = (name: string, conditions: object, expected: OracleCase['expected']): OracleCase => ({
  name,
  objects: ({ address }) => [service(name), slice(name, [at(address, conditions)])],
  expected,
});

const routing: readonly OracleCase[] = [
  { name: 'service-missing', expected: both('predicted') },
  {
    name: 'namespace-missing',
    client: () => ({ service: { namespace: 'nowhere', name: 'policy' } }),
    expected: both('predicted'),
  },
  {
    name: 'port-missing',
    objects: () => [service('port-missing', { ports: [{ port: 8443 }] })],
    expected: both('predicted'),
  },
  routed('headless', { clusterIP: 'None' }, { 'cluster-ip': 'predicted', endpoints: dead }),
  {
    name: 'headless-without-the-port',
    objects: () => [service('headless-without-the-port', { clusterIP: 'None', ports: [{ port: 8443 }] })],
    expected: both('predicted'),
  },
  {
    name: 'external-name',
    objects: ({ address }) => [
      service('external-name', { type: 'ExternalName', externalName: address, ports: [] }),
    ],
    client: ({ namespace }) => ({ service: { namespace, name: 'external-name', port: deadPort } }),
    expected: { 'cluster-ip': dead, endpoints: 'predicted' },
  },
  routed('node-port', { type: 'NodePort' }, dials),
  routed('load-balancer', { type: 'LoadBalancer' }, dials),
  routed('udp', { ports: [{ port: 443, protocol: 'UDP' }] }, dials),
  routed(
    'two-protocols',
    {
      ports: [
        { name: 'udp', port: 443, protocol: 'UDP' },
        { name: 'tcp', port: 443 },
      ],
    },
    noEndpoint,
    {
      ports: [{ name: 'tcp', port: deadPort }],
    },
  ),
  routed('other-proxy', {}, dials),
];

const endpoints: readonly OracleCase[] = [
  { name: 'no-slice', objects: () => [service('no-slice')], expected: noEndpoint },
  {
    name: 'empty-slice',
    objects: () => [service('empty-slice'), slice('empty-slice', [])],
    expected: noEndpoint,
  },
  withConditions('conditions-absent', {}, dials),
  withConditions('not-ready', { ready: false }, noEndpoint),
  withConditions('terminating', { ready: false, serving: true, terminating: true }, noEndpoint),
  withConditions('ready-and-terminating', { ready: true, terminating: true }, dials),
  routed('port-by-name', { ports: [{ name: 'https', port: 443 }] }, dials, {
    ports: [
      { name: 'metrics', port: 9 },
      { name: 'https', port: deadPort },
    ],
  }),
  routed('port-name-missing', { ports: [{ name: 'https', port: 443 }] }, noEndpoint),
  routed('port-without-number', {}, noEndpoint, { ports: [{ name: '' }] }),
  routed('no-ports', {}, noEndpoint, { ports: [] }),
  {
    name: 'two-slices-one-ready',
    objects: ({ address }) => [
      service('two-slices-one-ready'),
      slice('two-slices-one-ready', [at('198.51.100.9', { ready: false })]),
      slice('two-slices-one-ready', [at(address)]),
    ],
    expected: dials,
  },
  {
    name: 'first-family-first',
    objects: ({ address }) => [
      service('first-family-first'),
      slice('first-family-first', [at('2001:db8::7')], { addressType: 'IPv6' }),
      slice('first-family-first', [at(address)]),
    ],
    expected: dials,
  },
  {
    name: 'other-service',
    objects: ({ address }) => [service('other-service'), slice('elsewhere', [at(address)])],
    expected: noEndpoint,
  },
];

const live = (
  name: string,
  caBundle: (stage: Stage) => string,
  expected: OracleCase['expected'],
): OracleCase => ({
  name,
  objects: ({ address, livePort }) => [
    service(name),
    slice(name, [at(address)], { ports: [{ port: livePort }] }),
  ],
  client: (stage) => ({ caBundle: Buffer.from(caBundle(stage)).toString('base64') }),
  expected,
});
const block = (type: string, body: string): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const answers = { 'cluster-ip': 'sent', endpoints: 'admitted' } as const;

const trust: readonly OracleCase[] = [
  live('ca-bundle', ({ ca }) => ca, answers),
  live('ca-bundle-among-words', ({ ca }) => `policy CA\n${ca}\nend`, answers),
  live('ca-bundle-after-a-broken-one', ({ ca }) => `${block('CERTIFICATE', 'AAAA')}${ca}`, answers),
  live('ca-bundle-words', () => 'no certificate', both('predicted')),
  live('ca-bundle-line-feed', () => '\n', both('predicted')),
  live('ca-bundle-base64-twice', ({ ca }) => Buffer.from(ca).toString('base64'), both('predicted')),
  live('ca-bundle-indented', ({ ca }) => ca.replaceAll(/^/gm, '  '), both('predicted')),
  live('ca-bundle-cut', ({ ca }) => ca.trim().slice(0, -20), both('predicted')),
  live('ca-bundle-key', () => block('EC PRIVATE KEY', 'AAAA'), both('predicted')),
  live('ca-bundle-key-and-words', () => `${block('EC PRIVATE KEY', 'AAAA')}words`, both('predicted')),
  live(
    'ca-bundle-trusted',
    ({ ca }) => ca.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
    both('predicted'),
  ),
  live('ca-bundle-headers', ({ ca }) => ca.replace('-----\n', '-----\nA: b\n\n'), both('predicted')),
  live('ca-bundle-malformed', () => block('CERTIFICATE', 'AAAA'), both('predicted')),
  live(
    'ca-bundle-empty-block',
    () => '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    both('predicted'),
  ),
  live(
    'ca-bundle-words-behind-the-dashes',
    ({ ca }) => ca.replace('-----\n', '----- x\n'),
    both('predicted'),
  ),
  live('ca-bundle-carriage-returns', ({ ca }) => ca.replaceAll('\n', '\r\n'), answers),
  live('ca-bundle-blanks-at-line-ends', ({ ca }) => ca.replaceAll('\n', ' \t\n'), answers),
];

const path = (name: string, path: string | undefined): OracleCase => ({
  name,
  client: ({ namespace }) => ({ service: { namespace, name, ...(path !== undefined && { path }) } }),
  expected: both('predicted'),
});
const url = (name: string, of: (stage: Stage) => string): OracleCase => ({
  name,
  client: (stage) => ({ url: of(stage), service: null }),
  expected: both(dead),
});

const urls: readonly OracleCase[] = [
  path('path-absent', undefined),
  path('path-root', '/'),
  path('path-trailing-slash', '/mutate/'),
  path('path-deep', '/v1/x.y/z-0/'),
  {
    name: 'port-in-the-url',
    client: ({ namespace }) => ({ service: { namespace, name: 'port-in-the-url', port: 8443 } }),
    expected: both('predicted'),
  },
  { name: 'timeout-30', webhook: { timeoutSeconds: 30 }, expected: both('predicted') },
  { name: 'mutating', mutating: true, expected: both('predicted') },
  url('url-plain', ({ address }) => `https://${address}:${deadPort}`),
  url('url-path', ({ address }) => `https://${address}:${deadPort}/a//b/../c/`),
  url('url-escapes', ({ address }) => `https://${address}:${deadPort}/a%20b/%C3%A4/%2F;x=1,2'(!)*+:@&=$`),
  url('url-scheme-in-capitals', ({ address }) => `HTTPS://${address}:${deadPort}/x`),
];

export const oracleCases: readonly OracleCase[] = [...routing, ...endpoints, ...trust, ...urls];

/** A configuration whose only webhook, `NAME.example.com`, matches ConfigMaps with the label `case: NAME`. */
export function routedConfiguration(
  { name, client, webhook, mutating }: OracleCase,
  stage: Stage,
): KubeObject & ConfigurationObject {
  const { service: given, ...more } = {
    service: { namespace: stage.namespace, name, path: '/validate' },
    ...client?.(stage),
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { ...more, ...(given !== null && { service: given }) },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        objectSelector: { matchLabels: { case: name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
        ...webhook,
      },
    ],
  };
}

/** The predicted response, or its beginning if the end depends on the machine. */
export function foretoldAnswer(
  expected: Expected,
  callout: AdmissionCallout,
  facts: CallFacts,
  mode: RoutingMode,
  stage: Stage,
): string {
  const { version } = facts;
  const next = nextCall(callout, { ...facts, routing: { mode } });
  if (expected === 'admitted') return next.outcome === 'succeeds' ? 'admitted' : JSON.stringify(next);
  if (expected === 'sent') return internalError(callSentence(callout, '', version));
  if (expected === 'predicted')
    return next.outcome === 'fails' ? internalError(next.sentence ?? '') : JSON.stringify(next);
  return internalError(
    callSentence(callout, `dial tcp ${expected.refusedAt(stage)}: connect: connection refused`, version),
  );
}

/** A response without the parts of one run: the names of the scene, and the error of the machine. */
export const answerOfAnyRun = (
  answer: string,
  foretold: string,
  { namespace, address, livePort }: Pick<Stage, 'namespace' | 'address' | 'livePort'>,
): string =>
  (answer.startsWith(foretold) ? foretold : answer)
    .replaceAll(namespace, anyStage.namespace)
    .replaceAll(`${address}:${livePort}`, `${anyStage.address}:${anyStage.livePort}`)
    .replaceAll(address, anyStage.address)
    .replaceAll(/\b203\.0\.113\.\d+\b/g, anyStage.clusterIP)
    .replaceAll(/ revision=\d+/g, ' revision=1');

/** The environment of recorded responses. */
export const anyStage = {
  namespace: 'case-00000000',
  address: '192.0.2.10',
  livePort: 8443,
  clusterIP: '203.0.113.10',
};

/** Services and EndpointSlices as an API server returns them, each in the namespace of the environment. */
export function backendsAsRead(created: readonly KubeObject[]): Pick<Facts, 'services' | 'endpointSlices'> {
  const all = created.map((object) => ({
    ...object,
    metadata: { namespace: anyStage.namespace, name: '', ...object.metadata },
  }));
  const services = all
    .filter(({ kind }) => kind === 'Service')
    .map((object) => {
      const { spec } = object as unknown as Service;
      const ports = (spec.ports ?? []).map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
      const own = spec.type === 'ExternalName' ? {} : { type: 'ClusterIP', clusterIP: anyStage.clusterIP };
      return [
        keyOf(object.metadata),
        { ...object, spec: { ...own, ...spec, ports } } as unknown as Service,
      ] as const;
    });
  const slices = new Map<string, EndpointSlice[]>();
  for (const object of all.filter(({ kind }) => kind === 'EndpointSlice')) {
    const name = object.metadata.labels?.[serviceNameLabel] ?? '';
    const key = keyOf({ namespace: anyStage.namespace, name });
    const one = object as unknown as EndpointSlice;
    const ports = (one.ports ?? []).map((port) => ({ name: '', protocol: 'TCP', ...port }));
    slices.set(key, [...(slices.get(key) ?? []), { ...one, ports }]);
  }
  return { services: complete(services), endpointSlices: complete([...slices]) };
}
