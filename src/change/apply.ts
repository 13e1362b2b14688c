import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import { refText } from '../facts/object-ref.ts';
import { ChangeRefused } from './change-refused.ts';
import { type ClusterWriter, WriteError } from './cluster-writer.ts';
import { type ClusterIdentity, changeId, type Journal, type JournalEntry } from './journal.ts';
import { objectPath } from './kinds.ts';
import { type KubeObject, objectKey } from './kube-object.ts';
import type { Step } from './plan.ts';
import { valueAt } from './pointer.ts';
import { type Prepared, pathNow } from './prepare.ts';
import { type ChangeRequest, type Marking, requestsFor, withdrawal } from './requests.ts';
import { arrived, carriesRecord, standingOf } from './standing.ts';
import { latestWriter } from './writer-of.ts';

/** What carrying out a change needs. */
export interface ChangeTools {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly journal: Journal;
  readonly cluster: ClusterIdentity;
  readonly now: () => Date;
  /** The command that takes a change back, for people to copy: it leads to this very cluster. */
  readonly undoCommand: (id: string) => string;
}

/** A prepared plan with the very requests that will be made. */
export interface Ready extends Prepared {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly until?: string;
  readonly marking: Marking;
  readonly requests: readonly ChangeRequest[];
}

/** Gives the change its id and works out its requests. `until`: when it is meant to be taken back. */
export function ready(prepared: Prepared, now: Date, until?: Date, id = changeId(now)): Ready {
  const at = now.toISOString();
  const deadline = until === undefined ? {} : { until: until.toISOString() };
  const mark = { id, remedy: prepared.plan.remedy, at, ...deadline };
  const marking = { mark };
  const requests = requestsFor(prepared.steps, prepared.objects, marking);
  return { ...prepared, id, at, ...deadline, marking, requests };
}

/** A way that the API server would let through, and the object as it would be then. */
interface Passing {
  readonly request: ChangeRequest;
  /** The request is the one that stands in for the first. */
  readonly instead?: true;
  readonly kept?: KubeObject;
}

/**
 * Asks the API server to do everything but store it: rights, validation, webhooks and the preconditions all answer.
 * Returns the change with the ways that were let through, and with the values as they would be kept: the API server
 * fills in what is left open. Throws ChangeRefused with the API server's own sentence.
 */
export async function tryOut(
  { reader, writer }: Pick<ChangeTools, 'reader' | 'writer'>,
  change: Ready,
): Promise<Ready> {
  const tried = await Promise.all(
    change.requests.map(async (request, at): Promise<Passing> => {
      if (at > 0 && request.inTurn) {
        const early = await dryRun(writer, request, earlyPatience);
        if (early instanceof WriteError && isFinal(early)) throw new ChangeRefused(early.message);
        return { request };
      }
      const first = await dryRun(writer, request);
      if (!(first instanceof WriteError)) return { request, kept: first };
      const { instead } = request;
      const second = instead && (await dryRun(writer, instead));
      if (instead !== undefined && second !== undefined && !(second instanceof WriteError))
        return { request: instead, instead: true, kept: second };
      const passing = first.failure === 'unknown' || first.status === 429;
      throw new ChangeRefused(await whyRefused(reader, request, first), passing);
    }),
  );
  const steps = change.steps.map((step) => asKept(step, tried));
  const requests = isDeepStrictEqual(steps, change.steps)
    ? tried.map(({ request }) => request)
    : requestsFor(steps, change.objects, change.marking).map((request, at) =>
        tried[at]?.instead === true && request.instead !== undefined ? request.instead : request,
      );
  const inOrder = await Promise.all(requests.map((request) => withRecord(writer, request)));
  return { ...change, steps, requests: inOrder.flat() };
}

/** The request behind the one that writes its record elsewhere; alone where that would be refused. */
async function withRecord(
  writer: ClusterWriter,
  { ahead, ...request }: ChangeRequest,
): Promise<readonly ChangeRequest[]> {
  if (ahead === undefined || (await dryRun(writer, ahead)) instanceof WriteError) return [request];
  return [ahead, { ...request, ahead }];
}

/** The step with the value that the API server would keep; as it is where that is not known. */
function asKept(step: Step, tried: readonly Passing[]): Step {
  if (step.operation !== 'patch' || step.path === undefined || step.after === undefined) return step;
  const kept = tried.find(({ request }) => request.steps.includes(step))?.kept;
  if (kept === undefined) return step;
  const after = valueAt(kept, pathNow(step.object, step.path, kept));
  // Somebody who takes it back on its way is found out afterwards.
  return after === undefined || isDeepStrictEqual(after, step.before) ? step : { ...step, after };
}

/** Milliseconds for a request whose turn is not yet: what stands before it may be what lets it hang. */
const earlyPatience = 4000;

/**
 * True for a no that the requests in front cannot turn into a yes: rights, quotas, a namespace that is not there. A
 * webhook that denies may be asked no more by then.
 */
const isFinal = ({ status, message }: WriteError): boolean =>
  status === 403 ? !/^admission webhook "/.test(message) : status === 404 && /^namespaces "/.test(message);

async function dryRun(
  writer: ClusterWriter,
  request: ChangeRequest,
  timeout?: number,
): Promise<WriteError | KubeObject> {
  try {
    return await writer.write(request, { dryRun: true, ...(timeout === undefined ? {} : { timeout }) });
  } catch (error) {
    if (error instanceof WriteError) return error;
    throw error;
  }
}

/** What became of one request. */
type Outcome =
  | { readonly done: KubeObject | undefined }
  | { readonly refused: string }
  | { readonly unknown: string };

/**
 * Writes the journal, makes the requests one after the other, and stops at the first that does not succeed. The entry
 * that comes back says what stands now: `applied`, `refused` (nothing at all was changed) or `unknown`. When only a part
 * was done it is `applied` with the reason in `why`.
 */
export async function apply(tools: ChangeTools, change: Ready): Promise<JournalEntry> {
  const { plan, steps, id, at, until, requests } = change;
  const intended: JournalEntry = {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'JournalEntry',
    id,
    cluster: tools.cluster,
    remedy: plan.remedy,
    summary: plan.summary,
    at,
    ...(until === undefined ? {} : { until }),
    state: 'intended',
    steps,
    recordedIn: requests.filter(({ records }) => records).map(({ object }) => objectKey(object)),
  };
  await tools.journal.write(intended);
  const { made, problem } = await carryOut(tools, requests, intended);
  const done = requests.slice(0, made);
  const changing = ({ steps: own }: ChangeRequest): boolean => own.length > 0;
  const outcome = stateAfter(done.filter(changing).length, requests.filter(changing).length, problem);
  const entry = { ...intended, ...outcome };
  if (entry.state === 'refused') {
    // A record that stays all the same says of what is not there; undo takes it away.
    for (const request of done) await tools.writer.write(withdrawal(request, id)).catch(() => undefined);
  }
  // The entry on the disk still says "intended": what happened can then be read from the cluster.
  await tools.journal.write(entry).catch(() => undefined);
  return entry;
}

/**
 * Takes away the record of a status that its controller has taken up: that cannot be taken back, and the record, in
 * another object, would only stay.
 */
export async function forgetTakenUp(
  { reader, writer }: Pick<ChangeTools, 'reader' | 'writer'>,
  { id, requests }: Ready,
): Promise<void> {
  for (const request of requests) {
    if (request.ahead === undefined || !request.path.endsWith('/status')) continue;
    const live = await readAgain(reader, request);
    if (live === 'unread' || request.steps.some((step) => standingOf(step, live, id) === 'made')) continue;
    // What stays all the same is told by `changes`, and undo takes it away.
    await writer.write(withdrawal(request.ahead, id)).catch(() => undefined);
  }
}

function stateAfter(
  made: number,
  all: number,
  problem: Exclude<Outcome, { done: unknown }> | undefined,
): Pick<JournalEntry, 'state' | 'why'> {
  if (problem === undefined) return { state: 'applied' };
  if ('unknown' in problem) return { state: 'unknown', why: problem.unknown };
  if (made === 0) return { state: 'refused', why: problem.refused };
  return { state: 'applied', why: `only ${made} of ${all} objects were changed: ${problem.refused}` };
}

/** Makes the requests in order, as far as they succeed. */
export async function carryOut(
  tools: Pick<ChangeTools, 'reader' | 'writer'>,
  requests: readonly ChangeRequest[],
  entry: Pick<JournalEntry, 'id' | 'recordedIn'>,
): Promise<{ readonly made: number; readonly problem?: Exclude<Outcome, { done: unknown }> }> {
  const versions = new Map<string, string | undefined>();
  const created: KubeObject[] = [];
  for (const [made, request] of requests.entries()) {
    const key = objectKey(request.object);
    if (made > 0 && request.inTurn) await untilLetThrough(tools.writer, current(request, undefined, created));
    const outcome = await send(tools, current(request, versions.get(key), created), entry);
    if (!('done' in outcome)) return { made, problem: outcome };
    versions.set(key, outcome.done?.metadata?.resourceVersion);
    if (request.method === 'POST' && outcome.done !== undefined) created.push(outcome.done);
  }
  return { made: requests.length };
}

/** Milliseconds that the API server may take to notice a changed webhook configuration. */
const noticing = 15_000;

async function untilLetThrough(writer: ClusterWriter, request: ChangeRequest): Promise<void> {
  const until = Date.now() + noticing;
  for (;;) {
    const refused = await dryRun(writer, request);
    const waits = refused instanceof WriteError && refused.failure === 'unknown';
    if (!waits || Date.now() > until) return;
    await sleep(300);
  }
}

/** A second request to one object expects the version that the first one made; owners made just now have their uid. */
function current(
  request: ChangeRequest,
  version: string | undefined,
  created: readonly KubeObject[],
): ChangeRequest {
  if (request.method === 'POST') return { ...request, body: withOwners(request.body as KubeObject, created) };
  if (version === undefined || !Array.isArray(request.body)) return request;
  const body = request.body.map((operation) =>
    operation.path === '/metadata/resourceVersion' ? { ...operation, value: version } : operation,
  );
  return { ...request, body };
}

function withOwners(object: KubeObject, created: readonly KubeObject[]): KubeObject {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined) return object;
  const known = ownerReferences.map((owner) => {
    const made = created.find(({ kind, metadata }) => kind === owner.kind && metadata.name === owner.name);
    return owner.uid === '' ? { ...owner, uid: made?.metadata.uid ?? '' } : owner;
  });
  return { ...object, metadata: { ...object.metadata, ownerReferences: known } };
}

async function send(
  { reader, writer }: Pick<ChangeTools, 'reader' | 'writer'>,
  request: ChangeRequest,
  entry: Pick<JournalEntry, 'id' | 'recordedIn'>,
): Promise<Outcome> {
  try {
    return { done: await writer.write(request) };
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    if (request.method === 'DELETE' && error.status === 404) return { done: undefined };
    if (error.failure === 'refused') return { refused: await whyRefused(reader, request, error) };
    return settle(reader, request, entry, error);
  }
}

/** Milliseconds: a request without an answer may still be carried out while we look. */
const patience = 6000;

/** The answer was 5xx, or there was none: the object itself says whether the request was carried out. */
async function settle(
  reader: ClusterReader,
  request: ChangeRequest,
  entry: Pick<JournalEntry, 'id' | 'recordedIn'>,
  error: WriteError,
): Promise<Outcome> {
  const until = Date.now() + patience;
  for (;;) {
    const live = await readAgain(reader, request);
    if (live !== 'unread') {
      if (happened(request, live, entry)) return { done: live };
      // An answer is the end of a request; without one it may still be under way.
      if (error.status !== undefined) return { refused: error.message };
    }
    if (Date.now() > until) {
      const seen = live === 'unread' ? 'nor can the object be read' : 'the object is unchanged so far';
      return {
        unknown: `the API server did not say whether the change was made (${error.message}); ${seen}`,
      };
    }
    await sleep(500);
  }
}

function happened(
  request: ChangeRequest,
  live: KubeObject | undefined,
  { id, recordedIn }: Pick<JournalEntry, 'id' | 'recordedIn'>,
): boolean {
  if (request.steps.length === 0) return carriesRecord(live, id) === request.records;
  const recorded = request.records ? recordedIn : [];
  return arrived({ id, recordedIn: recorded }, request.steps, live);
}

async function readAgain(
  reader: ClusterReader,
  { object }: ChangeRequest,
): Promise<KubeObject | undefined | 'unread'> {
  try {
    return await reader.get<KubeObject>(objectPath(object));
  } catch (error) {
    if (error instanceof ReadError) return 'unread';
    throw error;
  }
}

/** The reason in words. A precondition that failed says nothing about itself; the object does. */
async function whyRefused(reader: ClusterReader, request: ChangeRequest, error: WriteError): Promise<string> {
  const { object, steps } = request;
  if (error.status !== 409 && error.status !== 422 && error.status !== 404) return error.message;
  const live = await readAgain(reader, request);
  if (live === 'unread') return error.message;
  if (live === undefined) {
    return request.method === 'POST'
      ? error.message
      : `${refText(object)} was deleted meanwhile; nothing was changed`;
  }
  const [first] = steps;
  if (first?.resourceVersion === undefined || live.metadata.resourceVersion === first.resourceVersion) {
    return error.message;
  }
  const who = latestWriter(live.metadata);
  const by = who === undefined ? 'somebody' : who;
  return `${refText({ ...object })} was changed by ${by} after it was looked at; nothing was changed here, look again`;
}
