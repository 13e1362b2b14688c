import type { Callout } from '../facts/callout.ts';
import { type Lookup, lookup } from '../facts/lookup.ts';
import type { CalloutProbes, ClockReading } from '../facts/probes.ts';
import type { Right } from '../facts/right.ts';
import type { GivenObject } from '../facts/sample.ts';
import type { FactName, Facts, Known } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { type Attempts, isRead, type Reading } from './attempts.ts';
import type { ClusterProber } from './cluster-prober.ts';
import type { RememberedProbes } from './probes/run.ts';

/** What a run may be about: why calls fail and what that has done; how certificates are kept; what may deadlock. */
export type Topic = 'failures' | 'certificates' | 'deadlocks';

/** What a run is to find out: collectors choose by it what they read. */
export interface Wishes {
  /** The callouts that the run is about. */
  readonly chosen: readonly Callout[];
  readonly topics: readonly Topic[];
  /** Callouts were named, or `--deep` was given: their backends are read whatever they look like. */
  readonly closely: boolean;
  /** Namespaces whose backends are read so, too. */
  readonly closelyIn?: readonly string[] | undefined;
  /** How far to connect to backends; absent: no connection is made. */
  readonly probe?:
    | {
        readonly level: CalloutProbes['level'];
        /** Connections to replicas alone. */
        readonly replicasOnly?: boolean;
        readonly remembered?: RememberedProbes;
      }
    | undefined;
  /**
   * Real objects that webhooks are called with in dry runs: those that were given, and stored ones, of webhooks that deny
   * the test object or of all (`always`). Absent: none.
   */
  readonly samples?:
    | {
        readonly given: readonly GivenObject[];
        /** Of given objects that name none. */
        readonly namespace: string;
        readonly stored: 'never' | 'of-suspects' | 'always';
      }
    | undefined;
  /** What the API server counted is read, twice where `sample` (milliseconds) is given; megabytes on a large cluster. */
  readonly metrics?: { readonly sample?: number } | undefined;
}

/** The ways to a cluster that collectors have. */
export interface Access extends Attempts {
  /** Base URL of the API server. */
  readonly server: string;
  /** Tells people what is being waited for. */
  readonly stage: (text: string) => void;
  /** What connects to backends: one for the whole run. */
  readonly prober: () => Promise<ClusterProber>;
  /** Undefined while no prober was opened, and where no answer told the time. */
  readonly clock: () => ClockReading | undefined;
  /** Remembers what connections did not show. */
  readonly note: (unread: readonly Unread[]) => void;
  readonly noted: readonly Unread[];
}

type LookupFact = { [F in FactName]: Facts[F] extends Lookup<unknown> ? F : never }[FactName];
type ValueOf<F extends LookupFact> = Facts[F] extends Lookup<infer V> ? V : never;

/** What a read of some keys brought: one reading per key, or the whole lookup where one request answers for all. */
export type Batch<V> = ReadonlyMap<string, Reading<V | undefined>> | Lookup<V>;

/** Reads one fact by its keys. */
export interface KeyedCollector<F extends LookupFact, Needs extends FactName, Grows extends FactName> {
  readonly fact: F;
  /** What runs have to be about for it to want anything. */
  readonly topics: readonly Topic[];
  /** The facts that it chooses by: complete when it is asked. Seeing another does not compile. */
  readonly needs: readonly Needs[];
  /** Facts, its own among them, that may lead to more keys: it is asked first without them, and again with them. */
  readonly grows?: readonly Grows[];
  readonly rights: readonly Right[] | ((wishes: Wishes) => readonly Right[]);
  /** Keys in one run: a cluster in flames must not turn the doctor into load. */
  readonly atMost?: number;
  /** What a key that nobody wanted stands for, in words. */
  readonly otherwise: string;
  /** Loads what the read takes, while the API server works on the first reads. */
  load?(wishes: Omit<Wishes, 'chosen'>): unknown;
  /** Of what a snapshot holds under a key what a run with these wishes would have read; absent: the same. */
  narrowed?(value: ValueOf<F>, key: string, wishes: Wishes): ValueOf<F>;
  /** Pure. A key that was read already is not read again. */
  wants(facts: Pick<Facts, Needs | Grows>, wishes: Wishes): Iterable<string>;
  read(
    access: Access,
    keys: readonly string[],
    facts: Pick<Facts, Needs | Grows>,
    wishes: Wishes,
  ): Promise<Batch<ValueOf<F>>>;
}

/** Reads one fact as a whole, at once: of what it needs it may wait for some where its own reads do not tell. */
export interface WholeCollector<F extends FactName, Needs extends FactName> {
  readonly fact: F;
  readonly needs: readonly Needs[];
  readonly rights: readonly Right[];
  readonly otherwise: Facts[F] | string;
  readAll(access: Access, known: Known<Needs>): Promise<Facts[F]>;
}

/** Any collector, as the catalogue and the planner hold it. */
export interface Collector {
  readonly fact: FactName;
  readonly topics?: readonly Topic[];
  readonly needs: readonly FactName[];
  readonly grows?: readonly FactName[];
  readonly rights: readonly Right[] | ((wishes: Wishes) => readonly Right[]);
  readonly atMost?: number;
  readonly otherwise: unknown;
  load?(wishes: Omit<Wishes, 'chosen'>): unknown;
  narrowed?(value: unknown, key: string, wishes: Wishes): unknown;
  wants?(facts: Facts, wishes: Wishes): Iterable<string>;
  read?(access: Access, keys: readonly string[], facts: Facts, wishes: Wishes): Promise<Batch<unknown>>;
  readAll?(access: Access, known: Known<FactName>): Promise<unknown>;
}

/** Identity at run time; at compile time it stops a collector from choosing by a fact that it did not declare. */
export function defineCollector<
  const F extends LookupFact,
  const Needs extends FactName = never,
  const Grows extends FactName = never,
>(collector: KeyedCollector<F, Needs, Grows>): KeyedCollector<F, Needs, Grows>;
export function defineCollector<const F extends FactName, const Needs extends FactName = never>(
  collector: WholeCollector<F, Needs>,
): WholeCollector<F, Needs>;
export function defineCollector<T>(collector: T): T {
  return collector;
}

/** Whether a run is about anything that the collector is for. */
export const isWanted = ({ topics }: Collector, wishes: Pick<Wishes, 'topics'>): boolean =>
  topics === undefined || topics.some((topic) => wishes.topics.includes(topic));

/** What was seen did not call for this read. No loss, and never listed as one. */
export const notRequested = (what: string): Unread => ({ what, why: 'not-requested' });

/** Of what was read key by key: why there is none; `undefined`: it was read. */
export const whyUnread = (
  readings: ReadonlyMap<string, Reading<unknown>>,
): ReadonlyMap<string, Unread | undefined> =>
  new Map([...readings].map(([key, reading]) => [key, isRead(reading) ? undefined : reading.unread]));

/** A lookup over one reading per key; a reading of `undefined` is a known absence. */
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

/** One read for each key, all at once. */
export const eachKey = async <V>(
  keys: readonly string[],
  read: (key: string) => Promise<Reading<V>>,
): Promise<ReadonlyMap<string, Reading<V>>> =>
  new Map(await Promise.all(keys.map(async (key) => [key, await read(key)] as const)));

/** `namespace/name`, taken apart. */
export function ofKey(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
