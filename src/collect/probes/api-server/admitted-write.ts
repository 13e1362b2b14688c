import { setTimeout as wait } from 'node:timers/promises';
import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { matchRequest } from '../../../apiserver/admission/match.ts';
import { selectorText } from '../../../apiserver/admission/selector-text.ts';
import { evaluateResponse } from '../../../apiserver/response/response.ts';
import { storedCandidates } from '../../../apiserver/sample/sample-request.ts';
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

/** Objects at one time of the API server, in milliseconds since 1970. */
interface Listed {
  readonly items: readonly { readonly metadata: Metadata }[];
  readonly at: number;
}

/** True if the API server rejects the response, or there is none. A denial is a valid response. */
function hasFailed(
  { webhook, kind, timeoutSeconds }: AdmissionCallout,
  { answer, failure, version, uid, object, milliseconds }: ReviewExchange,
): boolean {
  if (failure !== undefined) return true;
  if (answer === undefined) return false;
  const { outcome } = evaluateResponse(answer, { webhook, kind, version, uid, object });
  return (
    (outcome !== 'allowed' && outcome !== 'denied' && outcome !== 'unknown') ||
    milliseconds > timeoutSeconds * 1000
  );
}

/** True if every server completes the handshake, and then fails for the review: only its result is to be doubted. */
export function failsForReviewsOnly(callout: AdmissionCallout, probes: CalloutProbes): boolean {
  const connections = probeConnectionsOf(probes);
  return (
    connections.length > 0 &&
    connections.every(
      ({ handshake, reviews }) =>
        handshake !== undefined && reviews.length > 0 && reviews.every((one) => hasFailed(callout, one)),
    )
  );
}

/** The last write of an object except those of a subresource, as a request. Undefined if it is not recorded. */
function lastWrite(
  { name, namespace, labels = {}, managedFields = [], creationTimestamp, deletionTimestamp }: Metadata,
  { group, resource, kind, namespaced, version }: ServedResource,
): { readonly request: AdmissionRequest; readonly time: string; readonly at: number } | undefined {
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

/** The newest write that the webhook was called for, since its configuration is as it is now. */
function newestWrite(run: ProbeRun, callout: AdmissionCallout, served: ServedResource, { items }: Listed) {
  const { managedFields = [], creationTimestamp = '' } = callout.metadata;
  const since = Date.parse(lastWritersFirst(managedFields)[0]?.time ?? creationTimestamp);
  return items
    .flatMap(({ metadata }) => lastWrite(metadata, served) ?? [])
    .filter(({ at }) => at > since)
    .sort((a, b) => b.at - a.at)
    .find(({ request }) => matchRequest(callout, request, run.facts).outcome === 'called');
}

async function list(
  { prober }: ProbeRun,
  callout: AdmissionCallout,
  served: ServedResource,
  namespaces: readonly string[] = [],
): Promise<Listed | undefined> {
  const { group, version, resource: plural } = served;
  const selector = selectorText(callout.objectSelector);
  const query = new URLSearchParams({
    limit: String(mostListed),
    ...(selector === '' ? {} : { labelSelector: selector }),
  });
  const path = pathOf({ group, version, plural }, namespaces.length === 1 ? namespaces[0] : undefined);
  const answer = await prober.get(`${path}?${query.toString()}`, requestEnds(prober), metadataOfAll);
  const at = Date.parse(answer.headers.date ?? '');
  if (answer.status !== 200 || Number.isNaN(at)) return undefined;
  return { items: jsonOf<{ readonly items?: Listed['items'] | null }>(answer).items ?? [], at };
}

async function readWrite(run: ProbeRun, callout: AdmissionCallout, resource: string) {
  const found = storedCandidates(callout, run.facts).find(
    ({ served: { group, resource: plural } }) => groupResourceOf({ group, resource: plural }) === resource,
  );
  if (found === undefined || resource === 'secrets') return undefined;
  const { served, namespaces } = found;
  const before = await list(run, callout, served, namespaces);
  const known = before && newestWrite(run, callout, served, before);
  if (before === undefined || known === undefined) return undefined;
  const told = (write: typeof known): AdmittedWrite => ({
    object: refOf(served.kind, { name: write.request.name ?? '', namespace: write.request.namespace ?? '' }),
    apiVersion: groupVersionOf(served),
    operation: write.request.operation === 'CREATE' ? 'CREATE' : 'UPDATE',
    at: write.time,
    // Both times are of the API server, in whole seconds.
    afterProbe: write.at > before.at,
  });
  if (before.at - known.at > recentSeconds * 1000) return told(known);
  await wait(patience, undefined, { signal: run.signal });
  const after = await list(run, callout, served, namespaces);
  return told((after && newestWrite(run, callout, served, after)) ?? known);
}

/**
 * The last write that passed a webhook whose servers all fail for the review of the probe. A write after that shows
 * that not all requests fail. It is looked for among objects of the same resource: a handler can fail for one alone.
 * Undefined for failurePolicy Ignore, with which a write shows nothing.
 */
export async function findAdmittedWrite(
  run: ProbeRun,
  callout: Callout,
  probes: CalloutProbes,
): Promise<AdmittedWrite | undefined> {
  const { level, replicasOnly = false } = run.plan;
  if (level !== 'review' || replicasOnly || !isAdmission(callout) || failsOpen(callout)) return undefined;
  if (!failsForReviewsOnly(callout, probes)) return undefined;
  const [review] = probeConnectionsOf(probes).flatMap(({ reviews }) => reviews);
  const { resource = '' } = review ?? {};
  try {
    const found = await orCutOff(run, `a list of ${resource}`, async () => {
      const write = await readWrite(run, callout, resource);
      return { write };
    });
    return isUnread(found) ? undefined : found.write;
  } catch {
    // A refused or failed read: nothing is known of writes.
    return undefined;
  }
}
