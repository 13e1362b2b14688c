import { isNeverDialed, unavailableBecause } from '../../src/apiserver/aggregation/availability.ts';
import { trustOf } from '../../src/apiserver/certificate/anchors.ts';
import { pemCertificates } from '../../src/apiserver/certificate/parse/pem.ts';
import { verifyServerCertificate } from '../../src/apiserver/certificate/verify/verify-server-certificate.ts';
import type { CallFacts } from '../../src/apiserver/next-call/call-facts.ts';
import { nextCall } from '../../src/apiserver/next-call/next-call.ts';
import { routeTo } from '../../src/apiserver/routing/route.ts';
import { callSentence, internalError } from '../../src/apiserver/sentences/call-sentence.ts';
import { behaves } from '../../src/apiserver/server-version.ts';
import type { AggregatedApiCallout, ConversionCallout } from '../../src/facts/callout.ts';
import {
  type ApiServiceObject,
  aggregatedApiCallout,
  conversionCallout,
  type DefinitionObject,
} from '../../src/facts/callout-of.ts';
import type { RoutingMode } from '../../src/facts/snapshot.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import type { KubeObject } from '../cluster/client.ts';
import { authority, issue } from '../support/certificates.ts';
import { discoveryUrl, storedObjectFailure } from '../support/further-texts.ts';
import { deadPort, service, slice } from './oracle-cases.ts';

export interface Place {
  readonly namespace: string;
  readonly address: string;
  readonly livePort: number;
  /** PEM: the certificate of the live server, and a CA that did not sign it. */
  readonly certificate: string;
  readonly otherAuthority: string;
}
export interface Case {
  readonly name: string;
  readonly objects?: (place: Place) => readonly KubeObject[];
  /** Merged over the client configuration (CRD) or the spec (APIService). */
  readonly client?: (place: Place) => object;
  /**
   * `predicted`: the error of nextCall. `refused`: a refused connection to the endpoint. `dialled`: a
   * connection to an address without a server; the end of the error depends on the machine. `answered`: the
   * response of the live server. `untrusted`: the error of certificate verification. `erring`: the live
   * server responds with status 500.
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

export const conversions: readonly Case[] = [
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

export const aggregated: readonly Case[] = [
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
  // Last, when the API server has called all the others.
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

export const crd = ({ name, client }: Case, place: Place): KubeObject => {
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

export const apiService = ({ name, client }: Case, place: Place): KubeObject =>
  apiServiceOf(`${name}.aggregated.example.com`, {
    insecureSkipTLSVerify: true,
    service: { namespace: place.namespace, name },
    ...client?.(place),
  });

/** The certificate of the live server. */
export const liveIdentity = async (namespace: string): Promise<{ cert: string; key: string }> =>
  issue(await authority({ cn: 'aggregated' }), { dns: [`untrusted.${namespace}.svc`] });

/** The backends of all cases: if two have the same name, those of the first. */
export function backendsOf(place: Place): readonly KubeObject[] {
  const made = new Map<string, readonly KubeObject[]>();
  for (const { name, objects } of [...conversions, ...aggregated])
    if (objects !== undefined && !made.has(name)) made.set(name, objects(place));
  return [...made.values()].flat();
}

const refusalAt = (place: Place): string =>
  `dial tcp ${place.address}:${deadPort}: connect: connection refused`;

/** The namespace of the cases, and the routing mode of the API server. */
export interface Asking {
  readonly place: Place;
  readonly mode: RoutingMode;
  readonly facts: CallFacts;
}

/**
 * The predicted results of all cases, by their names in the recording.
 * @param revision of the stored object of a conversion in etcd.
 */
export function foretoldResults(asking: Asking, revision = '1'): ReadonlyMap<string, string> {
  const { mode, place } = asking;
  return new Map([
    ...conversions.map((one) => {
      const callout = present(conversionCallout(crd(one, place) as unknown as DefinitionObject));
      return [`${mode}: conversion ${one.name}`, foretoldConversion(one, callout, asking, revision)] as const;
    }),
    ...aggregated.flatMap((one) => {
      const callout = present(aggregatedApiCallout(apiService(one, place) as unknown as ApiServiceObject));
      return [
        [`${mode}: condition ${one.name}`, foretoldCondition(one, callout, asking)] as const,
        [`${mode}: body ${one.name}`, foretoldBody(one, callout, asking)] as const,
      ];
    }),
  ]);
}

function present<T>(callout: T | undefined): T {
  if (callout === undefined) throw new Error('no callout');
  return callout;
}

/**
 * The response for a client that reads the stored object `one` in another version, or its beginning if the
 * end depends on the machine.
 * @param revision of that object in etcd.
 */
function foretoldConversion(
  { name, expected }: Case,
  callout: ConversionCallout,
  { place, mode, facts }: Asking,
  revision: string,
): string {
  const { version } = facts;
  const { sentence = '', outcome } = nextCall(callout, { ...facts, routing: { mode } });
  if (expected[mode] === 'predicted' && outcome !== 'fails') return `the call ${outcome}`;
  // Other errors than those of the conversion have an envelope that a sentence omits.
  if (trustOf(callout, version)?.kind === 'refused') return internalError(sentence);
  const ends: Partial<Record<Case['expected'][RoutingMode], string>> = {
    refused: callSentence(callout, refusalAt(place)),
    dialled: callSentence(callout, ''),
  };
  const key = `/${name}.example.com/widgets/${place.namespace}/one`;
  return storedObjectFailure(ends[expected[mode]] ?? sentence, key, revision, version);
}

/** The condition Available, or its beginning if the end depends on the machine; `none`: there is none. */
function foretoldCondition(
  { expected }: Case,
  callout: AggregatedApiCallout,
  { place, mode, facts }: Asking,
): string {
  const { version } = facts;
  const { service: reference } = callout.client;
  if (reference === undefined) throw new Error('no Service');
  const key = `${reference.namespace}/${reference.name}`;
  const slices = facts.endpointSlices.get(key) ?? [];
  const referenced = { reference, service: facts.services.get(key), slices };
  const route = routeTo(referenced, mode, version);
  const because = unavailableBecause(referenced, route, version);
  if (because !== undefined) return `${because.reason}: ${because.message}`;
  if (isNeverDialed(callout, version)) return 'none';
  const url = discoveryUrl(callout, route.kind === 'dials' ? route.address : '');
  const passes = 'Passed: all checks passed';
  const failed = `FailedDiscoveryCheck: failing or missing response from ${url}: `;
  return {
    predicted: passes,
    answered: passes,
    refused: `${failed}Get "${url}": ${refusalAt(place)}`,
    dialled: failed,
    untrusted: behaves(version, 'aggregated-trust')
      ? `${failed}Get "${url}": ${untrusted(callout, place, version)}`
      : passes,
    erring: `${failed}bad status from ${url}: 500`,
  }[expected[mode]];
}

/** The response body of a request for the API. */
function foretoldBody(
  { expected }: Case,
  callout: AggregatedApiCallout,
  { place, mode, facts }: Asking,
): string {
  const { version } = facts;
  return {
    predicted: nextCall(callout, { ...facts, routing: { mode } }).sentence ?? 'no sentence',
    answered: '{"kind":"APIResourceList","resources":[]}',
    refused: 'service unavailable',
    dialled: 'service unavailable',
    untrusted: behaves(version, 'aggregated-trust')
      ? 'service unavailable'
      : callSentence(callout, untrusted(callout, place, version)),
    erring: 'service unavailable',
  }[expected[mode]];
}

/** The error of certificate verification for the live server. */
function untrusted(callout: AggregatedApiCallout, place: Place, version: string | undefined): string {
  const { name = '', namespace = '' } = callout.client.service ?? {};
  const verdict = verifyServerCertificate({
    presented: pemCertificates(place.certificate),
    caBundle: callout.client.caBundle,
    host: `${name}.${namespace}.svc`,
    now: new Date(),
    serverVersion: version,
  });
  return (verdict.outcome === 'rejected' && verdict.error) || 'trusted';
}
