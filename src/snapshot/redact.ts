// Replaces the names of a cluster for sharing. Each name always becomes the same other one, so that
// references and verdicts stay the same.

import { urlHost } from '../basics/url.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import { isLookup, type Lookup } from '../facts/lookup.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { probeConnectionsOf } from '../facts/probes.ts';
import type { ServedResources } from '../facts/served-resources.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { productOf } from '../products/of-webhook.ts';

/** Names that every cluster has. */
const everywhere = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'kubernetes', 'localhost'];

/** Suffixes of a cluster's DNS names of Services: the parts before are names. */
const inCluster = /\.svc(\.|$)/;

/** A name, or several separated by dots: `policy.shop.svc`. */
const words = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/gi;

/**
 * The generated suffix of a name: a hash without vowels (apimachinery util/rand), or a StatefulSet's ordinal.
 * Checks use it to find the owner, so it is kept.
 */
const generated = /^(.+)(-(?:[bcdfghjklmnpqrstvwxz2456789]{5,10}|\d+))$/;

/** Values that are signed, or whose bytes must not change. */
const untouched = new Set(['caBundle', '$base64', 'fieldsV1', 'uid', 'resourceVersion']);

const kindOfFact: Readonly<Record<string, string>> = {
  namespaces: 'namespace',
  nodes: 'node',
  services: 'service',
  pods: 'pod',
  endpointPods: 'pod',
  namespacePods: 'pod',
  pendingPods: 'pod',
  requestingPods: 'pod',
  startingPods: 'pod',
  networkPods: 'pod',
  workloads: 'workload',
};

interface Named {
  readonly metadata: Pick<Metadata, 'name' | 'ownerReferences'>;
}

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && 'metadata' in value;

function* namesIn({ cluster, facts }: Snapshot): Generator<readonly [kind: string, name: string]> {
  if (cluster.context !== undefined) yield ['context', cluster.context];
  yield ['host', URL.parse(cluster.server)?.hostname ?? ''];
  for (const callout of facts.callouts) yield* namesOfCallout(callout);
  const lookups = Object.entries(facts).filter((entry): entry is [string, Lookup<unknown>] =>
    isLookup(entry[1]),
  );
  for (const [fact, lookup] of lookups) {
    for (const { metadata } of lookup.all().flat().filter(isNamed)) {
      yield [kindOfFact[fact] ?? 'object', metadata.name];
      for (const { name } of metadata.ownerReferences ?? []) yield ['workload', name];
    }
    for (const key of lookup.gaps.keys?.keys() ?? []) {
      const [, name] = key.split('/');
      if (name !== undefined) yield [kindOfFact[fact] ?? 'object', name];
    }
  }
}

/**
 * The names in a webhook to replace. Names of known products are kept, since they do not identify the
 * cluster; names of APIs are fixed.
 */
function* namesOfCallout(callout: Callout): Generator<readonly [string, string]> {
  const { service, url } = callout.client;
  if (service !== undefined)
    yield* [['namespace', service.namespace] as const, ['service', service.name] as const];
  const host = url === undefined ? '' : (urlHost(url) ?? '');
  if (!inCluster.test(host)) yield ['host', host];
  if (!isAdmission(callout) || productOf(callout) !== undefined) return;
  yield ['webhook', callout.webhook];
  yield ['configuration', callout.configuration];
}

function vocabulary({ served }: Snapshot['facts']): ReadonlySet<string> {
  const { resources = [] }: Partial<ServedResources> = served.getIfKnown('served') ?? {};
  return new Set([
    ...everywhere,
    ...resources.flatMap(({ group, version, resource, kind, singular, shortNames = [] }) => [
      group,
      version,
      resource,
      singular,
      ...shortNames,
      kind.toLowerCase(),
    ]),
  ]);
}

/** All certificates as bytes: replacing a name in a certificate would invalidate its signature. */
function signedText({ facts }: Snapshot): string {
  const pem = [...facts.secrets.all(), ...facts.configMaps.all()].flatMap(({ certificates }) =>
    Object.values(certificates),
  );
  const bodies = pem.flatMap((text) => text.split(/-----[A-Z ]+-----/));
  const bundles = facts.callouts.flatMap(({ client: { caBundle = '' } }) =>
    Buffer.from(caBundle, 'base64')
      .toString('latin1')
      .split(/-----[A-Z ]+-----/),
  );
  const presented = facts.probes
    .all()
    .flatMap(probeConnectionsOf)
    .flatMap(({ handshake }) => handshake?.presented ?? []);
  return [
    ...[...bodies, ...bundles].map((text) => Buffer.from(text, 'base64')),
    ...presented.map((der) => Buffer.from(der)),
  ]
    .map((der) => der.toString('latin1'))
    .join('\n');
}

/** The replacements, and the names that are kept because certificates contain them. */
export interface Redaction {
  readonly names: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
}

/** Decides which names of a snapshot are replaced, and by what. */
export function redactionOf(snapshot: Snapshot): Redaction {
  const known = vocabulary(snapshot.facts);
  const signed = signedText(snapshot);
  const names = new Map<string, string>();
  const kept = new Set<string>();
  const counts = new Map<string, number>();
  const shortestFirst = [...namesIn(snapshot)].sort(([, a], [, b]) => a.length - b.length);
  for (const [kind, name] of shortestFirst) {
    if (name === '' || names.has(name) || known.has(name)) continue;
    const [, owner = '', suffix] = generated.exec(name) ?? [];
    const ownerName = names.get(owner);
    if (ownerName !== undefined) {
      names.set(name, `${ownerName}${suffix}`);
      continue;
    }
    if (signed.includes(name)) {
      kept.add(name);
      continue;
    }
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(name, `${kind}-${count}`);
  }
  return { names, kept: [...kept] };
}

const inText = (text: string, names: Redaction['names']): string =>
  text.replace(
    words,
    (word) =>
      names.get(word) ??
      word
        .split('.')
        .map((part) => names.get(part) ?? part)
        .join('.'),
  );

/** Replaces names in plain data; also in keys, if `ofKeys` says that the keys are names. */
export function redacted(value: unknown, names: Redaction['names'], ofKeys = false): unknown {
  if (typeof value === 'string') return value.startsWith('-----BEGIN') ? value : inText(value, names);
  if (Array.isArray(value)) return value.map((one) => redacted(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      ofKeys ? inText(key, names) : key,
      untouched.has(key) && !ofKeys ? one : redacted(one, names, keyedByName.has(key)),
    ]),
  );
}

/** Fields of lookups whose keys are names of objects. */
const keyedByName: ReadonlySet<string> = new Set(['entries', 'unread', 'namespaces']);
