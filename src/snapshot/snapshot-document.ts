import { isJsonObject, type JsonObject } from '../basics/collections.ts';
import { type Gaps, isLookup, type Lookup, lookup } from '../facts/lookup.ts';
import type { ClusterInfo, FactName, Facts, Snapshot } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { type Redaction, redacted } from './redact.ts';
import { withoutSecretValues } from './without-secret-values.ts';

/** Version of the format: a snapshot with another version is rejected. */
export const snapshotVersion = 'kubectl-webhook/v1';

/** A lookup as plain data. Keys that no field lists have the state `others`; null or absent: no object. */
interface LookupDocument {
  readonly entries: JsonObject;
  /** Keys that certainly do not exist. */
  readonly absent?: readonly string[];
  readonly unread?: Readonly<Record<string, Unread>>;
  /** The state of all other keys of a namespace. */
  readonly namespaces?: Readonly<Record<string, Unread | null>>;
  readonly others?: Unread;
}

/** A snapshot file: docs/schema/snapshot.schema.json. */
export interface SnapshotDocument {
  readonly apiVersion: typeof snapshotVersion;
  readonly kind: 'Snapshot';
  /** RFC 3339: the current time for everything that evaluates it. */
  readonly takenAt: string;
  readonly program: string;
  readonly cluster: ClusterInfo;
  readonly facts: JsonObject;
  readonly notLookedAt: readonly Unread[];
}

/** The error for a file that is no snapshot, or has an unsupported version. */
export class SnapshotProblem extends Error {}

const inBase64 = '$base64';

/** JSON has no bytes: they are encoded. */
const plain = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { [inBase64]: Buffer.from(value).toString('base64') } : value;

/** Restores bytes in place. A reviver of JSON.parse would need half of the time of a run with a snapshot. */
function withBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (inBase64 in value) return Buffer.from(String(value[inBase64]), 'base64');
  const parent = value as Record<string, unknown>;
  for (const key of Object.keys(parent)) {
    const child = parent[key];
    if (typeof child === 'object' && child !== null) parent[key] = withBytes(child);
  }
  return value;
}

function lookupDocument({ gaps: { keys, namespaces, others }, entries }: Lookup<unknown>): LookupDocument {
  const all = new Map(entries());
  const single = [...(keys ?? [])].filter(([key]) => !all.has(key));
  const absent = single.flatMap(([key, unread]) => (unread === undefined ? [key] : []));
  const unread = single.flatMap(([key, why]) => (why === undefined ? [] : [[key, why] as const]));
  return {
    entries: Object.fromEntries(all),
    ...(absent.length === 0 ? {} : { absent }),
    ...(unread.length === 0 ? {} : { unread: Object.fromEntries(unread) }),
    ...(namespaces === undefined
      ? {}
      : { namespaces: Object.fromEntries([...namespaces].map(([name, why]) => [name, why ?? null])) }),
    ...(others === undefined ? {} : { others }),
  };
}

function lookupOf({
  entries,
  absent = [],
  unread = {},
  namespaces,
  others,
}: LookupDocument): Lookup<unknown> {
  const keys = new Map<string, Unread | undefined>([
    ...absent.map((key) => [key, undefined] as const),
    ...Object.entries(unread),
  ]);
  const gaps: Gaps = {
    keys,
    others,
    ...(namespaces === undefined
      ? {}
      : { namespaces: new Map(Object.entries(namespaces).map(([name, why]) => [name, why ?? undefined])) }),
  };
  return lookup(new Map(Object.entries(entries)), gaps);
}

/** Converts facts to a snapshot file: without secret values, and with replaced names if redacted. */
export function snapshotText(
  { cluster, facts: { takenAt, ...facts }, notLookedAt }: Snapshot,
  program: string,
  redaction?: Redaction,
): string {
  const read = Object.entries(facts).map(([name, fact]) => [
    name,
    withoutSecretValues(name, isLookup(fact) ? lookupDocument(fact) : fact),
  ]);
  const content = { cluster, facts: Object.fromEntries(read), notLookedAt };
  const redactedContent = ({ names }: Redaction) =>
    redacted(JSON.parse(JSON.stringify(content, plain)), names) as typeof content;
  const document: SnapshotDocument = {
    apiVersion: snapshotVersion,
    kind: 'Snapshot',
    takenAt,
    program,
    ...(redaction === undefined ? content : redactedContent(redaction)),
  };
  return JSON.stringify(document, plain);
}

const isUnread = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value.why === 'string' &&
  (typeof value.what === 'string' || (isJsonObject(value.what) && typeof value.what.resource === 'string'));

const areUnread = (value: unknown): boolean =>
  value === undefined ||
  (isJsonObject(value) && Object.values(value).every((why) => why === null || isUnread(why)));

const isLookupDocument = (value: unknown): value is LookupDocument =>
  isJsonObject(value) &&
  isJsonObject(value.entries) &&
  (value.absent === undefined || Array.isArray(value.absent)) &&
  areUnread(value.unread) &&
  areUnread(value.namespaces) &&
  (value.others === undefined || isUnread(value.others));

const problem = (what: string): SnapshotProblem => new SnapshotProblem(`the snapshot is damaged: ${what}`);

/** Restores a fact. `emptyFacts` has an empty fact of the same shape, for facts that were not read. */
function factOf(name: FactName, given: unknown, emptyFacts: Omit<Facts, 'takenAt'>): unknown {
  if (given === undefined) return emptyFacts[name];
  if (isLookup(emptyFacts[name])) {
    if (isLookupDocument(given)) return lookupOf(given);
    throw problem(`facts.${name} is not a lookup`);
  }
  if (Array.isArray(emptyFacts[name]) && !Array.isArray(given)) throw problem(`facts.${name} is not a list`);
  return given;
}

/**
 * Parses a snapshot file; `emptyFacts` contains the facts that it lacks. Throws {@link SnapshotProblem},
 * whose message completes the sentence "FILE: …".
 */
export function snapshotOf(text: string, emptyFacts: Omit<Facts, 'takenAt'>): Snapshot {
  let document: unknown;
  try {
    document = withBytes(JSON.parse(text));
  } catch {
    throw new SnapshotProblem('this is not JSON, or it is truncated');
  }
  if (!isJsonObject(document) || document.kind !== 'Snapshot')
    throw new SnapshotProblem('this is not a snapshot');
  if (document.apiVersion !== snapshotVersion) {
    throw new SnapshotProblem(
      `this is a snapshot of ${JSON.stringify(document.apiVersion)}; this program reads ${snapshotVersion}`,
    );
  }
  const { facts, cluster, takenAt, notLookedAt } = document;
  if (!isJsonObject(facts)) throw problem('it has no facts');
  if (!isJsonObject(cluster) || typeof cluster.server !== 'string') throw problem('it names no cluster');
  if (typeof takenAt !== 'string' || Number.isNaN(Date.parse(takenAt)))
    throw problem('takenAt is not a time');
  if (!Array.isArray(notLookedAt) || !notLookedAt.every(isUnread))
    throw problem('notLookedAt is not a list of reads');
  const read = (Object.keys(emptyFacts) as FactName[]).map((name) => [
    name,
    factOf(name, facts[name], emptyFacts),
  ]);
  return {
    cluster: cluster as unknown as ClusterInfo,
    facts: { ...(Object.fromEntries(read) as unknown as Facts), takenAt },
    notLookedAt,
  };
}
