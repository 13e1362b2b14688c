import { renewRun } from '../apiserver/cel/cost.ts';
import { compareValues, defined } from '../basics/collections.ts';
import type { Callout } from '../facts/callout.ts';
import { isLookup, type Lookup, lookup, nothingRead } from '../facts/lookup.ts';
import type { FactName, Facts, Known, Snapshot } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { type Attempts, attempts, type Reading } from './attempts.ts';
import type { ClusterProber, ClusterReader, OpenProber } from './cluster.ts';
import {
  type Access,
  type Collector,
  fromReadings,
  isWanted,
  notRequested,
  type ReadOptions,
} from './collector.ts';
import { type FirstFact, firstCollectors } from './collectors/first.ts';

/** The facts of a run before its webhooks and APIServices are selected. */
export type FirstFacts = Pick<Facts, FirstFact>;

/** Options for reading a cluster. */
export interface ReadingPlan {
  /** The time of the facts; recorded facts have their own. */
  readonly now: Date;
  readonly readOptions: Omit<ReadOptions, 'chosen'>;
  /** Called with the current stage, for users. */
  readonly onStage?: ((stage: string) => void) | undefined;
  readonly prober?: OpenProber | undefined;
}

/** One run over a cluster: every fact is read at most once, and only if it is requested. */
export interface ClusterFacts {
  readonly known: Known;
  readonly attempts: Attempts;
  /** RFC 3339: the time that all checks use. */
  readonly takenAt: string;
  /** Reads the first facts of each run. Throws ReadError if the cluster cannot be read. */
  first(): Promise<FirstFacts>;
  /** Sets the webhooks and APIServices of the run; until then, only the first facts are read. */
  choose(chosen: readonly Callout[]): void;
  /** The requested keys of each fact: the run depends on these. */
  readonly requested: ReadonlyMap<FactName, ReadonlySet<string>>;
  /** Returns all facts when the requested ones are complete; the others are marked as not requested. */
  snapshot(): Promise<Snapshot>;
}

const firstNames = Object.keys(firstCollectors) as FirstFact[];
const firstOnes: readonly Collector[] = Object.values(firstCollectors);

function accessTo(reader: ClusterReader, { prober, onStage }: ReadingPlan): Access {
  const noted: Unread[] = [];
  let opened: ClusterProber | undefined;
  const opening = prober?.().then((open) => {
    opened = open;
    return open;
  });
  opening?.catch(() => undefined);
  return {
    ...attempts(reader),
    noted,
    note: (unread) => noted.push(...unread),
    server: reader.server,
    stage: onStage ?? (() => undefined),
    prober: () => opening ?? Promise.reject(new Error('no prober is open')),
    clock: () => opened?.clock(),
  };
}

/** A run over known facts, without reads. */
function givenFacts(reader: ClusterReader, snapshot: Snapshot): ClusterFacts {
  const { facts, notLookedAt } = snapshot;
  const known: Known = async (names) =>
    Object.fromEntries(names.map((name) => [name, facts[name]])) as unknown as typeof facts;
  return {
    attempts: { ...attempts(reader), firstResponse: Promise.resolve(), failed: notLookedAt },
    takenAt: facts.takenAt,
    requested: new Map(),
    known,
    choose: () => undefined,
    first: () => known(firstNames),
    snapshot: async () => snapshot,
  };
}

/** Sorts reads before probes, then by name: responses arrive in any order. */
function byPlace({ what: one }: Unread, { what: other }: Unread): number {
  const place = (what: Unread['what']) => `${typeof what === 'string'} ${JSON.stringify(what)}`;
  return compareValues(place(one), place(other));
}

/** Reduces a fact of a snapshot to these keys and to the part that a run with these options reads. */
function ofKeys(
  { gaps, entries }: Lookup<unknown>,
  keys: ReadonlySet<string>,
  { narrowed = (value) => value }: Collector,
  readOptions: ReadOptions,
): Lookup<unknown> {
  const isTaken = (key: string): boolean => gaps.others === undefined || keys.has(key);
  const single = [...(gaps.keys ?? [])].filter(([key]) => isTaken(key));
  const held = [...entries()].filter(([key]) => isTaken(key));
  return lookup(new Map(held.map(([key, value]) => [key, narrowed(value, key, readOptions)])), {
    ...gaps,
    keys: new Map(single),
  });
}

/** True if the fact is computed from other facts. */
const isConcluded = ({ needs, permissions }: Collector): boolean =>
  needs.length > 0 && permissions.length === 0;

/** Identifies a failure. Probes report that of a read with the same detail. */
const failureKey = (unread: Unread): string => unread.detail ?? JSON.stringify(unread);

/** The failed reads of these facts, and the reasons why probes were omitted, each as its key. */
function failuresIn(facts: Partial<Facts>): ReadonlySet<string> {
  const gaps = Object.values(facts).flatMap((fact) =>
    isLookup(fact)
      ? [...(fact.gaps.keys?.values() ?? []), ...(fact.gaps.namespaces?.values() ?? []), fact.gaps.others]
      : [],
  );
  const notTried = (facts.probes?.all() ?? []).flatMap((one) => [
    ...one.notTried,
    ...one.replicas.flatMap((replica) => replica.notTried),
  ]);
  return new Set([...gaps, ...notTried].flatMap((one) => (one === undefined ? [] : [failureKey(one)])));
}

/** The failed reads of these facts, without those that this run does not need. */
function unreadOf(taken: Partial<Facts>, { facts, notLookedAt }: Snapshot): readonly Unread[] {
  if (notLookedAt.length === 0) return notLookedAt;
  const [here, anywhere] = [failuresIn(taken), failuresIn(facts)];
  return notLookedAt.filter((unread) => here.has(failureKey(unread)) || !anywhere.has(failureKey(unread)));
}

/**
 * A run over recorded facts: a recorded failure is reported if this run needs that read.
 *
 * @param complete the facts that this run has used so far: `failed` is about these, whenever it is read.
 */
function accessToRecorded(recorded: Snapshot, { prober }: ReadingPlan, complete: Run['complete']): Access {
  const nothing = () => Promise.reject(new Error('a snapshot is not read again'));
  return {
    list: nothing,
    get: nothing,
    text: nothing,
    raw: nothing,
    lines: nothing,
    linesAt: nothing,
    prober: nothing,
    firstResponse: Promise.resolve(),
    outage: () => undefined,
    get failed() {
      return unreadOf(complete as Partial<Facts>, recorded);
    },
    noted: [],
    note: () => undefined,
    server: recorded.cluster.server,
    stage: () => undefined,
    clock: () => (prober === undefined ? undefined : recorded.facts.clock),
  };
}

interface Run {
  readonly reader: ClusterReader;
  readonly access: Access;
  readonly takenAt: string;
  /** Resolved when the webhooks and APIServices of the run are selected. */
  readonly readOptions: Promise<ReadOptions>;
  /** All collectors except the first ones: their code is loaded while the first requests are in progress. */
  readonly others: Promise<readonly Collector[]>;
  readonly requested: Map<FactName, Set<string>>;
  readonly gathered: Map<FactName, Promise<unknown>>;
  readonly complete: Partial<Record<FactName, unknown>>;
}

/**
 * Plans and executes the reads of one run. A collector is called for its keys as soon as the facts that it
 * needs are complete, reads them in one batch, and is called again if facts that can add keys have grown.
 */
export function readCluster(reader: ClusterReader, plan: ReadingPlan): ClusterFacts {
  renewRun(() => performance.now() > (reader.until?.() ?? Number.POSITIVE_INFINITY));
  if (reader.given !== undefined) return givenFacts(reader, reader.given);
  const { recorded } = reader;
  const complete: Run['complete'] = {};
  const access = recorded === undefined ? accessTo(reader, plan) : accessToRecorded(recorded, plan, complete);
  let choose: ClusterFacts['choose'] = () => undefined;
  const readOptions = new Promise<ReadOptions>((resolve) => {
    choose = (chosen) => resolve({ ...plan.readOptions, chosen });
  });
  const run: Run = {
    reader,
    access,
    takenAt: recorded?.facts.takenAt ?? plan.now.toISOString(),
    readOptions,
    // Loading code blocks this process: the first requests must be sent before.
    others: access.firstResponse.then(() => loadCollectors(plan)),
    requested: new Map(),
    gathered: new Map(),
    complete,
  };
  return {
    attempts: access,
    requested: run.requested,
    known: (names) => known(run, names),
    choose,
    takenAt: run.takenAt,
    async first() {
      access.stage(`reading webhooks, Services and EndpointSlices from ${reader.server}`);
      const facts = await known(run, firstNames);
      const outage = access.outage();
      if (outage !== undefined) throw outage;
      return facts;
    },
    snapshot: () => snapshotOf(run),
  };
}

async function loadCollectors({ readOptions }: ReadingPlan): Promise<readonly Collector[]> {
  if (readOptions.topics.length === 0) return [];
  const { collectors } = await import('./collectors/catalogue.ts');
  for (const collector of collectors) collector.load?.(readOptions);
  return collectors;
}

/** Returns these facts when they are complete. Each is collected once, when it is first needed. */
async function known<Names extends FactName>(run: Run, names: readonly Names[]): Promise<Pick<Facts, Names>> {
  const { gathered, complete } = run;
  const gathering = names.map((name) => {
    const started = gathered.get(name) ?? gather(run, name);
    gathered.set(name, started);
    return started;
  });
  await Promise.all(gathering);
  return Object.fromEntries(names.map((name) => [name, complete[name]])) as unknown as Pick<Facts, Names>;
}

async function gather(run: Run, fact: FactName): Promise<void> {
  const { complete, access } = run;
  const { recorded } = run.reader;
  const collector =
    firstOnes.find((one) => one.fact === fact) ?? (await run.others).find((one) => one.fact === fact);
  if (collector === undefined) throw new Error(`no collector for ${fact}`);
  if (collector.readAll === undefined) complete[fact] = await byKeys(run, collector);
  else if (recorded === undefined || isConcluded(collector))
    complete[fact] = await collector.readAll(access, (names) => known(run, names));
  else complete[fact] = recorded.facts[fact];
}

/** Reads a fact key by key: those that its collector requests, again when facts that add keys have grown. */
async function byKeys(run: Run, collector: Collector): Promise<unknown> {
  const { recorded } = run.reader;
  const { fact, needs, grows = [], atMost = Number.POSITIVE_INFINITY } = collector;
  const [readOptions] = await Promise.all([run.readOptions, known(run, needs)]);
  const keys = new Set<string>();
  run.requested.set(fact, keys);
  const readings = new Map<string, Reading<unknown>>();
  let all: Lookup<unknown> | undefined;
  const rest = notRequested(String(collector.otherwise));
  const soFar = (name: FactName): unknown => {
    if (name === fact && recorded !== undefined && keys.size > 0)
      return ofKeys(recorded.facts[fact] as Lookup<unknown>, keys, collector, readOptions);
    if (name === fact) return all ?? fromReadings(readings, rest);
    return name in run.complete ? run.complete[name] : nothingRead(rest);
  };
  /** Reads the requested keys that were not read yet; undefined if there is none. */
  const readMore = (): Promise<void> | undefined => {
    const read = [...needs, ...grows].map((name) => [name, soFar(name)]);
    const facts = { ...Object.fromEntries(read), takenAt: run.takenAt } as unknown as Facts;
    const wanted = new Set(isWanted(collector, readOptions) ? collector.wants?.(facts, readOptions) : []);
    const fresh = [...wanted].filter((key) => !keys.has(key)).slice(0, Math.max(0, atMost - keys.size));
    for (const key of fresh) keys.add(key);
    if (fresh.length === 0) return undefined;
    if (recorded !== undefined) return Promise.resolve();
    return collector.read?.(run.access, fresh, facts, readOptions).then((batch) => {
      if (isLookup(batch)) all = batch;
      else for (const [key, reading] of batch) if (!readings.has(key)) readings.set(key, reading);
    });
  };
  const others = grows.filter((name) => name !== fact);
  await Promise.all([readMore(), ...others.map((name) => known(run, [name]).then(readMore))]);
  if (grows.includes(fact)) for (let more = readMore(); more !== undefined; more = readMore()) await more;
  return soFar(fact);
}

async function snapshotOf({ reader, access, takenAt, gathered, complete }: Run): Promise<Snapshot> {
  await Promise.all(gathered.values());
  const { nothingRequested } = await import('./collectors/catalogue.ts');
  const facts: Facts = { ...nothingRequested(), ...(complete as Partial<Facts>), takenAt };
  const { server, context, recorded } = reader;
  return {
    cluster: recorded?.cluster ?? { server, ...defined({ context, version: facts.version }) },
    facts,
    notLookedAt: [...access.failed, ...access.noted].toSorted(byPlace),
  };
}

/** Reads only some of the first facts. Throws ReadError if the cluster cannot be read. */
export async function readFirst<const Names extends FirstFact>(
  reader: ClusterReader,
  names: readonly Names[],
): Promise<{ readonly facts: Pick<Facts, Names>; readonly failed: readonly Unread[] }> {
  const { attempts: read, known } = readCluster(reader, {
    now: new Date(),
    readOptions: { topics: [], examineAll: false },
  });
  const facts = await known(names);
  const outage = read.outage();
  if (outage !== undefined) throw outage;
  return { facts, failed: read.failed };
}
