import { defined } from '../../basics/collections.ts';
import type { Callout, ConversionCallout } from '../../facts/callout.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { ConversionCall, TraceCall, TracedResponse } from './trace-call.ts';

/** An object in its known versions. */
export interface Versioned {
  /** The version in which it was last changed; always known. */
  readonly latest: string;
  readonly in: ReadonlyMap<string, object>;
}

/** Groups of the API server itself whose names look like those of custom resources. */
const ownGroups =
  /^(admissionregistration|apiextensions|apiregistration|authentication|authorization|certificates|coordination|discovery|events|(flowcontrol|internal)\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage|storagemigration)\.k8s\.io$/;

/** True if a CRD defines the resource: the API server has Go types for all others. */
export const isCustom = ({ group }: Pick<AdmissionRequest, 'group'>): boolean =>
  group.includes('.') && !ownGroups.test(group);

/** Maps that Go omits when they are empty, in every kind or in kinds that contain nothing else. */
const omitted = ['metadata.labels', 'metadata.annotations', 'data', 'binaryData', 'stringData'];

/**
 * A patched object of a built-in kind as the API server writes it again: without null, empty lists, and empty
 * maps of strings. The API server ignores such differences (apimachinery equality.Semantic).
 */
export function asTyped(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => asTyped(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([key, one]) => {
    const at = path === '' ? key : `${path}.${key}`;
    const empty = Array.isArray(one)
      ? one.length === 0
      : one === null || (omitted.includes(at) && Object.keys(one as object).length === 0);
    return empty ? [] : [[key, asTyped(one, at)] as const];
  });
  return Object.fromEntries(members);
}

interface Converted {
  readonly versions: Versioned;
  readonly call?: ConversionCall;
  readonly answer?: TracedResponse;
  /** `fails`: the request fails with this error. `unknown`: why the object in that version is not known. */
  readonly failed?: { readonly fails: string } | { readonly unknown: string };
}

type Metadata = Readonly<Record<string, unknown>>;

/** A conversion webhook changes only labels and annotations of metadata (restoreObjectMeta). */
function restored(before: object, after: object): object {
  const was = (before as { readonly metadata?: Metadata }).metadata ?? {};
  const { labels, annotations } = (after as { readonly metadata?: Metadata }).metadata ?? {};
  const { labels: _, annotations: __, ...rest } = was;
  const metadata = {
    ...rest,
    ...defined({ labels, annotations }),
  };
  return { ...after, metadata };
}

/** The request of an object, and the webhooks that can convert it. */
interface ConversionContext {
  readonly request: AdmissionRequest;
  readonly callouts: readonly Callout[];
  readonly unlisted: {
    /** The CustomResourceDefinitions could not be listed. */
    readonly definitions?: boolean;
  };
}

/** The object in another version: known, with another apiVersion only, or converted by its webhook. */
export function* inVersion(
  versions: Versioned,
  to: string,
  { request, callouts, unlisted }: ConversionContext,
): Generator<readonly TraceCall[], Converted, readonly TracedResponse[]> {
  const from = versions.in.get(versions.latest);
  if (versions.in.has(to) || from === undefined) return { versions };
  if (!isCustom(request) || (request.subresource ?? '') !== '')
    return {
      versions,
      failed: { unknown: `it gets the object as ${to}, to which only the API server converts` },
    };
  const callout = callouts.find(
    (one): one is ConversionCallout =>
      one.kind === 'conversion' &&
      one.resource.group === request.group &&
      one.resource.plural === request.resource,
  );
  const having = (object: object): Versioned => ({
    latest: versions.latest,
    in: new Map([...versions.in, [to, object]]),
  });
  if (callout === undefined && unlisted.definitions === true)
    return {
      versions,
      failed: { unknown: `it gets the object as ${to}, and whether a webhook converts it is unknown` },
    };
  if (callout === undefined) return { versions: having({ ...from, apiVersion: to }) };
  const call: ConversionCall = { phase: 'conversion', callout, object: from, to };
  const [answer] = yield [call];
  if (answer === undefined) throw new Error('a call without a response');
  const { end } = answer;
  switch (end.outcome) {
    case 'allowed':
      return { versions: having(restored(from, (end.patched ?? {}) as object)), call, answer };
    case 'unknown':
    case 'not-called':
      return { versions, call, answer, failed: { unknown: `it gets the object as ${to}: ${end.why}` } };
    default:
      return { versions, call, answer, failed: { fails: 'text' in end ? end.text : end.message } };
  }
}
