import { defined } from '../basics/collections.ts';
import { oldestFirst } from '../basics/time.ts';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import { type ChangeHead, changeRecords, noteOf, type RecordedStep } from '../facts/change-record.ts';
import { type ObjectRef, refOf } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { pathOf } from '../facts/resource.ts';
import {
  type ClusterIdentity,
  type Journal,
  type JournalEntry,
  type JournalState,
  sameCluster,
} from './journal.ts';
import { apiVersionOf, changeableResource, isChangeable, objectPath, recordingKinds } from './kinds.ts';
import { type ChangeOperation, objectKey, type Step, withoutServerFields } from './plan.ts';
import { readIfPossible } from './prepare.ts';
import { recordCarrierFor } from './record-carrier.ts';

/** A change that this program made: recorded on this machine, in the cluster, or both. */
export interface RecordedChange extends ChangeHead {
  /** Absent if only the cluster has a record. */
  readonly summary?: string;
  readonly state: JournalState;
  readonly why?: string;
  readonly steps: readonly Step[];
  /** Objects that carry its record in addition to those of its steps. */
  readonly recordCarriers?: readonly ObjectRef[];
  readonly knownBy: readonly ('journal' | 'cluster')[];
  readonly entry?: JournalEntry;
}

/** All recorded changes, from the journal and the objects. */
export interface RecordedChanges {
  /** Oldest first. */
  readonly changes: readonly RecordedChange[];
  /** Entries of this machine's journal for other clusters. */
  readonly elsewhere: readonly JournalEntry[];
  /** Kinds and journal files that could not be read, with the reason: `changes` may be incomplete. */
  readonly unread: readonly { readonly what: string; readonly why: string }[];
}

/** PartialObjectMetadata: an object without its spec and status. */
interface Carrier {
  readonly metadata: Metadata;
}

const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** A step on an object that is recorded in another one, the carrier; undefined if that may not be. */
function stepElsewhere(carrier: ObjectRef, recorded: RecordedStep, object: ObjectRef): Step | undefined {
  const { op, path, uid, subresource, before, after } = recorded;
  const step: Step = {
    object,
    operation: op as ChangeOperation,
    ...defined({ path, subresource }),
    before,
    after,
    ...(uid === undefined ? {} : { uid }),
  };
  const place = recordCarrierFor(step);
  return place !== undefined && objectKey(place) === objectKey(carrier) ? step : undefined;
}

function stepOf(kind: string, { metadata }: Carrier, recorded: RecordedStep): Step | undefined {
  if (recorded.object !== undefined)
    return stepElsewhere({ kind, name: metadata.name }, recorded, recorded.object);
  const object: ObjectRef = {
    kind,
    name: metadata.name,
    ...defined({ namespace: metadata.namespace, webhook: recorded.webhook }),
  };
  const created = { apiVersion: apiVersionOf(kind), kind, metadata };
  return {
    object,
    operation: recorded.op as ChangeOperation,
    ...(recorded.path === undefined ? {} : { path: recorded.path }),
    before: recorded.before,
    after: recorded.op === 'create' ? withoutServerFields(created) : recorded.after,
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  };
}

async function carriersOf(
  reader: ClusterReader,
  kind: string,
): Promise<{ readonly kind: string; readonly items: readonly Carrier[]; readonly why?: string }> {
  try {
    const { items } = await reader.list<Carrier>(pathOf(changeableResource(kind)), {}, metadataOnly);
    return { kind, items };
  } catch (error) {
    if (!(error instanceof ReadError) || error.reason === 'unauthorized') throw error;
    return { kind, items: [], why: error.message };
  }
}

/** `Kind name`, `Kind namespace/name`. */
const otherObject = /^(\w+) (?:([^\s/]+)\/)?([^\s/]+)$/;

/** Objects of the same changes that are not in a list but named in records. */
async function othersOf(
  reader: ClusterReader,
  lists: readonly { readonly kind: string; readonly items: readonly Carrier[] }[],
): Promise<readonly { readonly kind: string; readonly items: readonly Carrier[] }[]> {
  const carriers = lists.flatMap(({ items }) => items);
  const named = carriers.flatMap(({ metadata }) => changeRecords(metadata).flatMap(({ also = [] }) => also));
  return Promise.all(
    [...new Set(named)].map(async (text) => {
      const [, kind = '', namespace, name = ''] = otherObject.exec(text) ?? [];
      const ref = refOf(kind, { namespace, name });
      if (recordingKinds.includes(kind) || !isChangeable(kind)) return { kind, items: [] };
      const found = await readIfPossible<Carrier>(reader, objectPath(ref));
      return { kind, items: found === undefined ? [] : [found] };
    }),
  );
}

/** Every change that the journal or an object of the cluster records. Throws ReadError. */
export async function recordedChanges(
  reader: ClusterReader,
  journal: Journal,
  cluster: ClusterIdentity,
): Promise<RecordedChanges> {
  const [{ entries: all, unreadable }, lists] = await Promise.all([
    journal.read(),
    Promise.all(recordingKinds.map((kind) => carriersOf(reader, kind))),
  ]);
  const entries = all.filter((entry) => sameCluster(entry.cluster, cluster));
  const carried = new Map<string, RecordedChange>();
  for (const { kind, items } of [...lists, ...(await othersOf(reader, lists))]) {
    for (const item of items) {
      for (const record of changeRecords(item.metadata)) {
        const { id, remedy, at, until, steps } = record;
        const own = steps.flatMap((step) => stepOf(kind, item, step) ?? []);
        if (own.length === 0) continue;
        const others = carried.get(id);
        const isCarrier = steps.some(({ object }) => object !== undefined);
        const carrierRefs = [
          ...(others?.recordCarriers ?? []),
          ...(isCarrier ? [{ kind, name: item.metadata.name }] : []),
        ];
        const deadline = until === undefined ? {} : { until };
        const knownBy = ['cluster'] as const;
        carried.set(id, {
          id,
          remedy,
          at,
          ...deadline,
          ...noteOf(record),
          state: 'applied',
          steps: [...(others?.steps ?? []), ...own],
          ...(carrierRefs.length === 0 ? {} : { recordCarriers: carrierRefs }),
          knownBy,
        });
      }
    }
  }
  const journalled = entries.map((entry) => fromJournal(entry, carried.has(entry.id)));
  const known = new Set(entries.map(({ id }) => id));
  const strange = [...carried.values()].filter(({ id }) => !known.has(id));
  return {
    changes: oldestFirst([...journalled, ...strange]),
    elsewhere: all.filter((entry) => !sameCluster(entry.cluster, cluster)),
    unread: [
      ...lists.flatMap(({ kind, why }) =>
        why === undefined ? [] : [{ what: changeableResource(kind).plural, why }],
      ),
      ...unreadable,
    ],
  };
}

function fromJournal(entry: JournalEntry, carried: boolean): RecordedChange {
  const { id, remedy, summary, at, until, state, why, steps, recordedIn } = entry;
  const places = new Map(
    steps.flatMap((step) => recordCarrierFor(step) ?? []).map((ref) => [objectKey(ref), ref]),
  );
  const carrierRefs = [...places].filter(([key]) => recordedIn.includes(key)).map(([, ref]) => ref);
  return {
    id,
    remedy,
    summary,
    at,
    ...(until === undefined ? {} : { until }),
    ...noteOf(entry),
    // The record in the cluster is authoritative: the request did arrive.
    state: carried && ['intended', 'unknown', 'refused', 'undone'].includes(state) ? 'applied' : state,
    ...(why === undefined ? {} : { why }),
    steps,
    ...(carrierRefs.length === 0 ? {} : { recordCarriers: carrierRefs }),
    knownBy: carried ? ['journal', 'cluster'] : ['journal'],
    entry,
  };
}
