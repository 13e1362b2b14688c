import type { Callout } from '../facts/callout.ts';
import { type Lookup, lookup } from '../facts/lookup.ts';
import type { CalloutProbes, ClockReading } from '../facts/probes.ts';
import type { Permission } from '../facts/resource.ts';
import type { GivenObject } from '../facts/sample.ts';
import type { FactName, Facts, Known, World } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { type Attempts, isRead, type Reading } from './attempts.ts';
import type { ClusterProber } from './cluster.ts';
import type { RememberedProbes } from './probes/run.ts';

/** The purposes of a run: causes of failing calls and their effects; certificates; deadlocks. */
export type Topic = 'failures' | 'certificates' | 'deadlocks';

/** The options of a run, which determine the keys that collectors read. */
export interface ReadOptions {
  /** The webhooks and APIServices that the run examines. */
  readonly chosen: readonly Callout[];
  readonly topics: readonly Topic[];
  /** Webhooks were named, or `--deep` was given: their backends are examined even if they look healthy. */
  readonly examineAll: boolean;
  /** Webhooks were named, perhaps all that exist: the run is not over the whole cluster. */
  readonly named?: boolean;
  /** Namespaces in which all backends are examined as well. */
  readonly examineIn?: readonly string[] | undefined;
  /** The level of probes; absent: no connections are opened. */
  readonly probe?:
    | {
        readonly level: CalloutProbes['level'];
        /** Connect to Pods only. */
        readonly replicasOnly?: boolean;
        readonly remembered?: RememberedProbes;
      }
    | undefined;
  /**
   * Dry runs with real objects: given objects, and stored objects of webhooks that deny the test object, or
   * of all webhooks (`always`). Absent: none.
   */
  readonly samples?:
    | {
        readonly given: readonly GivenObject[];
        /** The namespace for given objects that have none. */
        readonly namespace: string;
        readonly stored: 'never' | 'of-suspects' | 'always';
      }
    | undefined;
  /** Read the API server's metrics, twice if `sample` (milliseconds) is given; megabytes on big clusters. */
  readonly metrics?: { readonly sample?: number } | undefined;
}

/** The tools of collectors to read a cluster. */
export interface Access extends Attempts {
  /** Base URL of the API server. */
  readonly server: string;
  /** Reports progress to the user. */
  readonly stage: (text: string) => void;
  /** Connects to backends: one prober for the run. */
  readonly prober: () => Promise<ClusterProber>;
  /** Undefined if no prober is open, or if no response had a `Date` header. */
  readonly clock: () => ClockReading | undefined;
  /** Records facts that probes could not determine. */
  readonly note: (unread: readonly Unread[]) => void;
  readonly noted: readonly Unread[];
}

type LookupFact = { [F in FactName]: Facts[F] extends Lookup<unknown> ? F : never }[FactName];
type ValueOf<F extends LookupFact> = Facts[F] extends Lookup<infer V> ? V : never;

/** The result of reading some keys: one value per key, or the complete lookup if one request reads all. */
export type Batch<V> = ReadonlyMap<string, Reading<V | undefined>> | Lookup<V>;

/** Reads one fact by its keys. */
export interface KeyedCollector<F extends LookupFact, Needs extends FactName, Grows extends FactName> {
  readonly fact: F;
  /** The topics of the runs that use this fact; default: `failures`. */
  readonly topics?: readonly Topic[];
  /** The facts that its keys depend on, complete when `wants` is called. No other fact compiles. */
  readonly needs: readonly Needs[];
  /** Facts, its own too, that can add keys: `wants` is called first without them, and again with them. */
  readonly grows?: readonly Grows[];
  readonly permissions: readonly Permission[] | ((readOptions: ReadOptions) => readonly Permission[]);
  /** The maximum number of keys in one run, to limit the load on a failing cluster. */
  readonly atMost?: number;
  /** The name of a key in messages. */
  readonly otherwise: string;
  /** Loads the code of this read while the API server processes the first reads. */
  load?(readOptions: Omit<ReadOptions, 'chosen'>): unknown;
  /** Reduces a value of a snapshot to the part that a run with these options reads; absent: unchanged. */
  narrowed?(value: ValueOf<F>, key: string, readOptions: ReadOptions): ValueOf<F>;
  /** Returns the keys to read. Must be pure. A key that was already read is not read again. */
  wants(facts: World<Needs | Grows>, readOptions: ReadOptions): Iterable<string>;
  /** Reads the keys in one batch. */
  read?(
    access: Access,
    keys: readonly string[],
    facts: World<Needs | Grows>,
    readOptions: ReadOptions,
  ): Promise<Batch<ValueOf<F>>>;
  /** Instead of `read`: reads one key. All keys are read in parallel. */
  readEach?(
    access: Access,
    key: string,
    facts: World<Needs | Grows>,
  ): Promise<Reading<ValueOf<F> | undefined>>;
}

/** Reads one fact completely, in one step. It can wait for other facts if its own reads do not suffice. */
export interface FactCollector<F extends FactName, Needs extends FactName> {
  readonly fact: F;
  readonly needs: readonly Needs[];
  readonly permissions: readonly Permission[];
  readonly otherwise: Facts[F] | string;
  readAll(access: Access, known: Known<Needs>): Promise<Facts[F]>;
}

/** A collector as the catalogue and the planner use it. */
export interface Collector
  extends Pick<
    KeyedCollector<LookupFact, FactName, FactName>,
    'topics' | 'needs' | 'grows' | 'permissions' | 'atMost' | 'load'
  > {
  readonly fact: FactName;
  readonly otherwise: unknown;
  narrowed?(value: unknown, key: string, readOptions: ReadOptions): unknown;
  wants?(facts: Facts, readOptions: ReadOptions): Iterable<string>;
  read?(
    access: Access,
    keys: readonly string[],
    facts: Facts,
    readOptions: ReadOptions,
  ): Promise<Batch<unknown>>;
  readAll?(access: Access, known: Known<FactName>): Promise<unknown>;
}

/** The collector with its defaults. Its types prevent the use of a fact that it does not declare. */
export function defineCollector<
  const F extends LookupFact,
  const Needs extends FactName = never,
  const Grows extends FactName = never,
>(collector: KeyedCollector<F, Needs, Grows>): KeyedCollector<F, Needs, Grows>;
export function defineCollector<const F extends FactName, const Needs extends FactName = never>(
  collector: FactCollector<F, Needs>,
): FactCollector<F, Needs>;
export function defineCollector<T extends Omit<KeyedCollector<LookupFact, FactName, FactName>, 'wants'>>(
  collector: T,
): T {
  const { readEach } = collector;
  if (!('wants' in collector)) return collector;
  const read = (access: Access, keys: readonly string[], facts: Facts) =>
    eachKey(keys, async (key) => (await readEach?.(access, key, facts)) ?? { value: undefined });
  return { topics: ['failures'], ...(readEach && { read }), ...collector };
}

/** True if the collector serves one of the run's topics. */
export const isWanted = ({ topics }: Collector, readOptions: Pick<ReadOptions, 'topics'>): boolean =>
  topics === undefined || topics.some((topic) => readOptions.topics.includes(topic));

/** The read was not necessary. It is never reported as missing. */
export const notRequested = (what: string): Unread => ({ what, why: 'not-requested' });

/** The reason why a key has no value; `undefined` if it was read. */
export const whyUnread = (
  readings: ReadonlyMap<string, Reading<unknown>>,
): ReadonlyMap<string, Unread | undefined> =>
  new Map([...readings].map(([key, reading]) => [key, isRead(reading) ? undefined : reading.unread]));

/** Creates a lookup with one value per key; `undefined` means that the object does not exist. */
export function fromReadings<V>(
  readings: ReadonlyMap<string, Reading<V | undefined>>,
  rest: Unread,
): Lookup<V> {
  const entries = new Map<string, V>();
  for (const [key, reading] of readings) {
    if (isRead(reading) && reading.value !== undefined) entries.set(key, reading.value);
  }
  return lookup(entries, { keys: whyUnread(readings), others: rest });
}

/** Reads all keys in parallel, one request each. */
export const eachKey = async <V>(
  keys: readonly string[],
  read: (key: string) => Promise<Reading<V>>,
): Promise<ReadonlyMap<string, Reading<V>>> =>
  new Map(await Promise.all(keys.map(async (key) => [key, await read(key)] as const)));
