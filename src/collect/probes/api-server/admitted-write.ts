import { setTimeout as wait } from 'node:timers/promises';
import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { matchRequest } from '../../../apiserver/admission/match.ts';
import { selectorText } from '../../../apiserver/admission/selector-text.ts';
import { ownCallEnd } from '../../../apiserver/connection/own-call.ts';
import { evaluateResponse } from '../../../apiserver/response/response.ts';
import { storedCandidates } from '../../../apiserver/sample/sample-request.ts';
import { groupBy } from '../../../basics/collections.ts';
import { type AdmissionCallout, type Callout, failsOpen, isAdmission } from '../../../facts/callout.ts';
import { refOf } from '../../../facts/object-ref.ts';
import { lastWritersFirst, type Metadata } from '../../../facts/objects/metadata.ts';
import {
  type AdmittedWrite,
  type CalloutProbes,
  probeConnectionsOf,
  type ReviewExchange,
} from '../../../facts/probes.ts';
import { groupResourceOf, groupVersionOf, pathOf } from '../../../facts/resource.ts';
import type { ServedResource } from '../../../facts/served-resources.ts';
import { metadataOfAll } from '../../attempts.ts';
import { isUnread, orCutOff, type ProbeRun } from '../run.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** The maximum number of objects of the list. */
const mostListed = 250;
/** Seconds: if the last write is older, waiting for the next one is in vain. */
const recentSeconds = 30;
/** Milliseconds to wait for the next write. */
const patience = 5_000;
/** The maximum number of lists in a run, each of which is read twice. */
const mostLists = 3;
/**
 * Milliseconds after the last write of the configuration: before that, an API server may admit a write without
 * the webhook.
 */
const loading = 5_000;

/** Objects at one time of the API server, in milliseconds since 1970. */
interface Listed {
  readonly items: readonly { readonly metadata: Metadata }[];
  readonly at: number;
  readonly isComplete: boolean;
}

/** A webhook whose reviews fail, and the list of objects that may show a write. */
interface Search {
  readonly callout: AdmissionCallout;
  readonly served: ServedResource;
  /** Of the reviews that failed. */
  readonly operation: string;
  /** With the query. */
  readonly path: string;
}

/** A write as a request, with its time (RFC 3339, and milliseconds since 1970). */
interface Write {
  readonly request: AdmissionRequest & Pick<AdmittedWrite, 'operation'> & { readonly name: string };
  readonly time: string;
  readonly at: number;
}

/**
 * True if the API server rejects the response, or there is none. A denial is a valid response. A server that refuses
 * this program (HTTP 401 or 403, a TLS alert) may accept the API server, which can have credentials.
 */
function hasFailed(
  { webhook, kind, timeoutSeconds }: AdmissionCallout,
  { answer, failure, version, uid, object, milliseconds }: ReviewExchange,
  ownCallFails: boolean,
): boolean {
  if (failure !== undefined) return ownCallFails && failure.kind !== 'alert';
  if (answer === undefined || answer.status === 401 || answer.status === 403) return false;
  if (milliseconds > timeoutSeconds * 1000) return ownCallFails;
  const { outcome } = evaluateResponse(answer, { webhook, kind, version, uid, object });
  return outcome !== 'allowed' && outcome !== 'denied' && outcome !== 'unknown';
}

/**
 * True if every server completes the handshake, and then fails for the review: only its result is to be doubted. A
 * failure to respond counts only if the API server's own dry run fails, too: it may be on the path of the probe.
 */
export function failsForReviewsOnly(callout: AdmissionCallout, probes: CalloutProbes): boolean {
  const connections = probeConnectionsOf(probes);
  const { outcome } = ownCallEnd(callout, probes);
  return (
    connections.length > 0 &&
    outcome !== 'passes' &&
    connections.every(
      ({ handshake, reviews }) =>
        handshake !== undefined &&
        reviews.length > 0 &&
        reviews.every((one) => hasFailed(callout, one, outcome === 'fails')),
    )
  );
}

/** The last write of an object except those of a subresource, as a request. Undefined if it is not recorded. */
function lastWrite(
  { name, namespace, labels = {}, managedFields = [], creationTimestamp, deletionTimestamp }: Metadata,
  { group, resource, kind, namespaced, version }: ServedResource,
): Write | undefined {
  const [last] = lastWritersFirst(managedFields.filter(({ subresource }) => (subresource ?? '') === ''));
  if (last?.time === undefined || deletionTimestamp !== undefined) return undefined;
  const operation = last.time === creationTimestamp ? 'CREATE' : 'UPDATE';
  const place = resource === 'namespaces' && group === '' ? name : namespaced ? namespace : undefined;
  const request = {
    operation,
    group,
    version: last.apiVersion?.split('/').at(-1) ?? version,
    resource,
    kind,
    name,
    ...(place === undefined ? {} : { namespace: place }),
    labels,
    oldLabels: labels,
  } as const;
  return { request, time: last.time, at: Date.parse(last.time) };
}

/** The newest of these writes that the webhook was called for, of the operation of the reviews. */
function newestWrite(
  { facts }: ProbeRun,
  { callout, served, operation }: Search,
  { items, at: now }: Listed,
): Write | undefined {
  const { managedFields = [], creationTimestamp = '' } = callout.metadata;
  const since = Date.parse(lastWritersFirst(managedFields)[0]?.time ?? creationTimestamp) + loading;
  return (
    items
      .flatMap(({ metadata }) => lastWrite(metadata, served) ?? [])
      // A later time is of another API server, whose clock is ahead.
      .filter(({ at }) => at > since && at <= now)
      .filter(({ request }) => request.operation === operation && request.version === served.version)
      .sort((a, b) => b.at - a.at)
      .find(({ request }) => matchRequest(callout, request, facts).outcome === 'called')
  );
}

const nameOf = ({ name, namespace = '' }: Metadata): string => `${namespace}/${name}`;

/**
 * The objects that were written between two lists. Times of different objects are not compared: API servers have
 * different clocks. An object can enter the first page because another one was deleted, so that a new object counts
 * only before one that the first list has, too: lists are in the order of their keys.
 */
function writtenBetween({ served }: Search, before: Listed, after: Listed): Listed {
  const known = new Map(
    before.items.map(({ metadata }) => [nameOf(metadata), lastWrite(metadata, served)?.at ?? Number.NaN]),
  );
  const last = before.isComplete
    ? after.items.length
    : after.items.findLastIndex(({ metadata }) => known.has(nameOf(metadata)));
  const items = after.items.filter(({ metadata }, position) => {
    const previous = known.get(nameOf(metadata));
    if (previous === undefined) return position < last;
    return (lastWrite(metadata, served)?.at ?? Number.NaN) > previous;
  });
  return { ...after, items };
}

async function list({ prober }: ProbeRun, path: string): Promise<Listed | undefined> {
  const answer = await prober.get(path, requestEnds(prober), metadataOfAll);
  const at = Date.parse(answer.headers.date ?? '');
  if (answer.status !== 200 || Number.isNaN(at)) return undefined;
  const { items, metadata } = jsonOf<{
    readonly items?: Listed['items'] | null;
    readonly metadata?: { readonly continue?: string };
  }>(answer);
  return { items: items ?? [], at, isComplete: (metadata?.continue ?? '') === '' };
}

/** The list that may show a write like the reviews that failed; undefined if none can. */
function searchFor(run: ProbeRun, callout: Callout, probes: CalloutProbes): Search | undefined {
  const { level, replicasOnly = false } = run.plan;
  // With failurePolicy Ignore, a write shows nothing.
  if (level !== 'review' || replicasOnly || !isAdmission(callout) || failsOpen(callout)) return undefined;
  if (!failsForReviewsOnly(callout, probes)) return undefined;
  const reviews = probeConnectionsOf(probes).flatMap((connection) => connection.reviews);
  const [{ resource, operation } = { resource: 'secrets', operation: '' }] = reviews;
  if (resource === 'secrets' || reviews.some((one) => one.operation !== operation)) return undefined;
  const found = storedCandidates(callout, run.facts).find(
    ({ served: { group, resource: plural } }) => groupResourceOf({ group, resource: plural }) === resource,
  );
  if (found === undefined) return undefined;
  const { served, namespaces = [] } = found;
  const { group, version, resource: plural } = served;
  const selector = selectorText(callout.objectSelector);
  const query = new URLSearchParams({
    limit: String(mostListed),
    ...(selector === '' ? {} : { labelSelector: selector }),
  });
  const path = pathOf({ group, version, plural }, namespaces.length === 1 ? namespaces[0] : undefined);
  return { callout, served, operation, path: `${path}?${query.toString()}` };
}

const told = ({ served }: Search, { request, time }: Write, afterProbe: boolean): AdmittedWrite => ({
  object: refOf(served.kind, { name: request.name, namespace: request.namespace ?? '' }),
  apiVersion: groupVersionOf(served),
  operation: request.operation,
  at: time,
  afterProbe,
});

/** A search, the list that was read before, and the write in it. */
interface Begun {
  readonly search: Search;
  readonly before: Listed;
  readonly known: Write;
}

/** Reads each list once, for all webhooks that it is about. */
async function listAll(
  run: ProbeRun,
  searches: readonly Search[],
): Promise<ReadonlyMap<string, Listed | undefined>> {
  const paths = [...groupBy(searches, ({ path }) => path)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, mostLists);
  return new Map(await Promise.all(paths.map(async ([path]) => [path, await list(run, path)] as const)));
}

/** Waits for the next writes. Returns those after the first lists, of webhooks that fail again afterwards. */
async function writesSince(
  run: ProbeRun,
  begun: readonly Begun[],
  failsAgain: (callouts: ReadonlySet<Callout>) => Promise<ReadonlySet<Callout>>,
): Promise<ReadonlyMap<Callout, AdmittedWrite | undefined>> {
  const recent = begun.filter(({ before, known }) => before.at - known.at <= recentSeconds * 1000);
  if (recent.length === 0) return new Map();
  await wait(patience, undefined, { signal: run.signal });
  const lists = await listAll(
    run,
    recent.map(({ search }) => search),
  );
  const next = recent.flatMap(({ search, before }) => {
    const after = lists.get(search.path);
    const write = after && newestWrite(run, search, writtenBetween(search, before, after));
    return write === undefined ? [] : [{ search, write }];
  });
  if (next.length === 0) return new Map();
  const failing = await failsAgain(new Set(next.map(({ search: { callout } }) => callout)));
  return new Map(
    next.map(({ search, write }) => [
      search.callout,
      // A failure that has ended: the write does not show for which requests it was.
      failing.has(search.callout) ? told(search, write, true) : undefined,
    ]),
  );
}

/**
 * The last write that passed each webhook whose servers all fail for the review of the probe. A write after that
 * shows that not all requests fail. It is looked for among objects of the same resource: a handler can fail for one
 * alone.
 *
 * @param failsAgain sends the reviews again, and returns the webhooks for which {@link failsForReviewsOnly} is true.
 */
export async function findAdmittedWrites(
  run: ProbeRun,
  probed: readonly (readonly [Callout, CalloutProbes])[],
  failsAgain: (callouts: ReadonlySet<Callout>) => Promise<ReadonlySet<Callout>>,
): Promise<ReadonlyMap<Callout, AdmittedWrite>> {
  const searches = probed.flatMap(([callout, probes]) => searchFor(run, callout, probes) ?? []);
  if (searches.length === 0) return new Map();
  try {
    const found = await orCutOff(run, 'lists of objects', async () => {
      const lists = await listAll(run, searches);
      const begun = searches.flatMap((search): Begun[] => {
        const before = lists.get(search.path);
        const known = before && newestWrite(run, search, before);
        return before === undefined || known === undefined ? [] : [{ search, before, known }];
      });
      const later = await writesSince(run, begun, failsAgain);
      const writes = begun.flatMap(({ search, known }) => {
        const { callout } = search;
        const write = later.has(callout) ? later.get(callout) : told(search, known, false);
        return write === undefined ? [] : [[callout, write] as const];
      });
      return { writes: new Map(writes) };
    });
    return isUnread(found) ? new Map() : found.writes;
  } catch {
    // A refused or failed read: nothing is known of writes.
    return new Map();
  }
}
