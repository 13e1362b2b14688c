import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import { refText } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { type ClusterWriter, dryRun, WriteError } from './cluster-writer.ts';
import { valueAt } from './document-value.ts';
import type { JournalEntry } from './journal.ts';
import { objectPath } from './kinds.ts';
import { type KubeObject, objectKey } from './plan.ts';
import type { ChangeRequest, PatchStep } from './requests.ts';
import { arrived, carriesRecord } from './step-state.ts';
import { fieldWriterAt, latestWriter } from './writer-of.ts';

/** Reads and writes one cluster. */
export interface ClusterAccess {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
}

/** Why a request, and with it the change, failed. */
export type RequestProblem = { readonly refused: string } | { readonly unknown: string };

type Outcome = { readonly done: KubeObject | undefined } | RequestProblem;

/** Sends the requests in order, until one fails. */
export async function sendInOrder(
  tools: ClusterAccess,
  requests: readonly ChangeRequest[],
  entry: Pick<JournalEntry, 'id' | 'recordedIn'>,
): Promise<{ readonly made: number; readonly problem?: RequestProblem }> {
  const written = new Map<string, Partial<Metadata>>();
  const created: KubeObject[] = [];
  for (const [made, request] of requests.entries()) {
    const key = objectKey(request.object);
    if (made > 0 && request.afterPrevious)
      await untilNotBlocked(tools.writer, current(request, undefined, created));
    const outcome = await send(tools, current(request, written.get(key), created), entry);
    if (!('done' in outcome)) return { made, problem: outcome };
    written.set(key, outcome.done?.metadata ?? {});
    if (request.method === 'POST' && outcome.done !== undefined) created.push(outcome.done);
  }
  return { made: requests.length };
}

/** Milliseconds until the API server uses a changed webhook configuration. */
const configurationDelay = 15_000;

async function untilNotBlocked(writer: ClusterWriter, request: ChangeRequest): Promise<void> {
  const until = Date.now() + configurationDelay;
  for (;;) {
    const refused = await dryRun(writer, request);
    const waits = refused instanceof WriteError && refused.failure === 'unknown';
    if (!waits || Date.now() > until) return;
    await sleep(300);
  }
}

/**
 * Updates preconditions: a second request to an object expects the version from the first one; owners that
 * were just created now have a uid.
 */
function current(
  request: ChangeRequest,
  written: Partial<Metadata> = {},
  created: readonly KubeObject[],
): ChangeRequest {
  if (request.method === 'POST') return { ...request, body: withOwners(request.body as KubeObject, created) };
  if (!Array.isArray(request.body)) return request;
  const { generation, resourceVersion } = written;
  const body = request.body.map((operation: PatchStep) => {
    if (operation.path === '/metadata/generation' && generation !== undefined)
      return { ...operation, value: generation };
    const versioned = operation.path === '/metadata/resourceVersion' && resourceVersion !== undefined;
    return versioned ? { ...operation, value: resourceVersion } : operation;
  });
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

/** Sends a request once, and determines its result if the response does not show it. */
async function send(
  { reader, writer }: ClusterAccess,
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

/** Milliseconds: a request without a response may still be processed while the object is read. */
const settleDelay = 6000;

/** After a 5xx response or none, reads the object to find out whether the request was applied. */
async function settle(
  reader: ClusterReader,
  request: ChangeRequest,
  entry: Pick<JournalEntry, 'id' | 'recordedIn'>,
  error: WriteError,
): Promise<Outcome> {
  const until = Date.now() + settleDelay;
  for (;;) {
    const live = await readAgain(reader, request);
    if (live !== 'unread') {
      if (happened(request, live, entry)) return { done: live };
      // A request with a response is finished; one without may still be in progress.
      if (error.status !== undefined) return { refused: error.message };
    }
    if (Date.now() > until) {
      const state = live === 'unread' ? 'the object cannot be read either' : 'the object is unchanged so far';
      return {
        unknown: `the API server did not confirm whether the change was made (${error.message}); ${state}`,
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

/** Reads the object again; `undefined`: it does not exist. */
export async function readAgain(
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

/** Explains a rejection. The API server names no failed precondition: the object is read to find it. */
export async function whyRefused(
  reader: ClusterReader,
  request: ChangeRequest,
  error: WriteError,
): Promise<string> {
  const { object, steps } = request;
  if (error.status !== 409 && error.status !== 422 && error.status !== 404) return error.message;
  const live = await readAgain(reader, request);
  if (live === 'unread') return error.message;
  if (live === undefined) {
    return request.method === 'POST'
      ? error.message
      : `${refText(object)} was deleted after it was read; nothing was changed`;
  }
  const failed = failedTest(request, live);
  if (failed === undefined) return error.message;
  const who = fieldWriterAt(live.metadata, steps[0]?.object ?? object, failed) ?? latestWriter(live.metadata);
  return `${refText({ ...object })} was changed by ${who ?? 'someone'} after it was read; nothing was changed here: run the command again`;
}

/** The path of the first precondition in the request's JSON Patch that the object does not meet. */
function failedTest({ body, method }: ChangeRequest, live: KubeObject): string | undefined {
  const version = '/metadata/resourceVersion';
  if (method === 'DELETE') {
    const { preconditions } = body as { readonly preconditions?: Partial<Metadata> };
    return preconditions?.resourceVersion === live.metadata.resourceVersion ? undefined : version;
  }
  const operations = Array.isArray(body) ? (body as readonly PatchStep[]) : [];
  return operations.find(
    ({ op, path, value }) => op === 'test' && !isDeepStrictEqual(valueAt(live, path) ?? null, value),
  )?.path;
}
