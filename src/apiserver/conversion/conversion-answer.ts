import type { ConversionCallout } from '../../facts/callout.ts';
import { isJsonObject, type JsonObject } from '../../facts/json-object.ts';
import type { HttpResponse, ReviewExchange } from '../../facts/probes.ts';
import { goQuote } from '../certificate/go-quote.ts';
import { decodeReview } from '../response/decode-review.ts';
import type { JudgedResponse } from '../response/raw-response.ts';
import { bodyToDecode, tooDeep } from '../response/response.ts';
import { conversionReviewKind } from '../response/review-shapes.ts';
import { groupVersionKind } from '../response/verify-review.ts';
import { conversionFailure, conversionRefused } from '../sentences/call-sentence.ts';
import { labelFault } from './label-faults.ts';

/** A ConversionReview that decoded well. */
interface SentReview {
  readonly apiVersion?: string | null;
  readonly kind?: string | null;
  readonly response?: {
    readonly uid?: string | null;
    readonly result?: { readonly status?: string | null; readonly message?: string | null } | null;
    readonly convertedObjects?: readonly unknown[] | null;
  } | null;
}

/** After `failed to call webhook: `: the words for HTTP are the same for every kind of webhook. */
const afterStage = (text: string): string =>
  text.replace(/^failed calling webhook "[^"]*": (failed to call webhook: )?/, '');

interface Converted {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: unknown;
    readonly annotations?: unknown;
  };
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['UID', 'uid'],
] as const;

/** What an answer is refused for; `complete` false: of a real object's version and name nobody knows here. */
interface Refusal {
  readonly text: string;
  readonly complete: boolean;
}

/** A value's type as Go prints it, `%T` of what a JSON decoder made of it. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return { string: 'string', boolean: 'bool' }[typeof value as string] ?? 'map[string]interface {}';
}

const sameTexts = (before: unknown, after: JsonObject): boolean => {
  const was = isJsonObject(before) ? before : {};
  const names = Object.keys(after);
  return names.length === Object.keys(was).length && names.every((name) => was[name] === after[name]);
};

/** Labels and annotations are all that a webhook may change of the metadata, to good ones (restoreObjectMeta). */
function metadataFault(
  { metadata }: Converted,
  before: Converted['metadata'],
  server: string | undefined,
): Refusal | undefined {
  for (const field of ['labels', 'annotations'] as const) {
    const value = metadata?.[field];
    if (value === undefined || value === null) continue;
    if (!isJsonObject(value)) {
      return {
        text: `invalid metadata.${field} of type ${goType(value)} in converted object`,
        complete: true,
      };
    }
    const entries = Object.entries(value);
    const wrong = entries.filter(([, one]) => typeof one !== 'string');
    const [first] = wrong;
    if (first !== undefined) {
      const [key, one] = first;
      const text = `metadata.${field}[${key}] must be a string, but is ${goType(one)} in converted object`;
      return wrong.length === 1 ? { text, complete: true } : { text: `metadata.${field}[`, complete: false };
    }
    const fault = sameTexts(before?.[field], value)
      ? undefined
      : labelFault(field, value as Readonly<Record<string, string>>, server);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What cannot be read as an object; these words name no webhook (getRawExtensionObject). */
function unreadable(object: unknown): Refusal | undefined {
  if (object === null) return { text: 'unexpected end of JSON input', complete: true };
  if (!isJsonObject(object)) {
    const kind = Array.isArray(object) ? 'array' : typeof object === 'boolean' ? 'bool' : typeof object;
    return {
      text: `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      complete: true,
    };
  }
  if (typeof object.kind !== 'string' || object.kind === '')
    return { text: "Object 'Kind' is missing in '", complete: false };
  return undefined;
}

/** Which version the API server expects, and whether a real object's is known to be the same. */
interface Expected {
  readonly version: string;
  readonly certain: boolean;
}

/**
 * What was sent in another version than the storage version is wanted in that, and the other way round. A probe sends it
 * the one way and a stored object goes the other: of an answer in a version that the CRD does not have at all, the words
 * are known where there is but one other version.
 */
function expectedOf(callout: ConversionCallout, sent: unknown, received: string): Expected {
  const { resource, versions } = callout;
  const qualified = (name = ''): string => `${resource.group}/${name}`;
  const storage = qualified(versions.find((one) => one.storage)?.name);
  const [read, another] = versions.filter((one) => one.served && !one.storage);
  const isStored = (sent as Converted | undefined)?.apiVersion === storage;
  if (isStored && read !== undefined)
    return { version: qualified(read.name), certain: another === undefined };
  const known = versions.some(({ name }) => received === qualified(name));
  const certain = !known && read !== undefined && another === undefined;
  return received === storage || !certain
    ? { version: storage, certain: false }
    : { version: qualified(read.name), certain };
}

/** What is wrong with the converted objects. Converter.Convert, validateConvertedObject. */
function refusedBecause(
  callout: ConversionCallout,
  sent: unknown,
  objects: readonly unknown[],
  server: string | undefined,
): Refusal | undefined {
  const { resource } = callout;
  const refused = (what: string, complete: boolean): Refusal => ({
    text: conversionRefused(callout, what),
    complete,
  });
  if (objects.length !== 1) return refused(`${objects.length} objects, expected 1`, true);
  const broken = unreadable(objects[0]);
  if (broken !== undefined) return broken;
  const got = objects[0] as Converted;
  const at = 'invalid object at index 0: ';
  const { apiVersion = '' } = got;
  const expected = expectedOf(callout, sent, apiVersion);
  if (apiVersion !== expected.version) {
    const what = `${at}invalid groupVersion (expected ${expected.version}, received ${apiVersion})`;
    return refused(what, expected.certain);
  }
  if (got.kind !== resource.kind)
    return refused(`${at}invalid kind (expected ${resource.kind}, received ${got.kind ?? ''})`, true);
  const before = (sent as Converted | undefined)?.metadata;
  for (const [name, key] of identity) {
    const [e, a] = [before?.[key] ?? '', got.metadata?.[key] ?? ''];
    if (before !== undefined && e !== a)
      return refused(`invalid object: must have the same ${name}: ${e} != ${a}`, false);
  }
  const fault = metadataFault(got, before, server);
  return fault && refused(`invalid metadata: ${fault.text}`, fault.complete);
}

const want = 'apiextensions.k8s.io/v1, Kind=ConversionReview';

/** What is wrong with a v1 review; of a v1beta1 one nobody looks at this (getConvertedObjectsFromResponse). */
function faultOfV1({ apiVersion, kind, response }: SentReview, uid: string): string | undefined {
  const got = groupVersionKind(apiVersion ?? '', kind ?? '');
  if (got !== want) return `expected webhook response of ${want}, got ${got}`;
  if (!response || (response.uid ?? '') === uid) return undefined;
  return `expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`;
}

/**
 * What the API server makes of the answer to a ConversionReview: HTTP as for an admission webhook, and then the rules of
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */
export function judgeConversion(
  answer: HttpResponse,
  { version, uid, object }: ReviewExchange,
  callout: ConversionCallout,
  server?: string,
): JudgedResponse {
  const failing = (cause: string, complete = true): JudgedResponse => ({
    outcome: 'call-failure',
    text: conversionFailure(callout, cause),
    complete,
    code: 500,
  });
  const request = {
    webhook: callout.webhook,
    kind: 'validating',
    version,
    uid,
    ...(server === undefined ? {} : { server }),
  } as const;
  const body = bodyToDecode(answer, request);
  if (!(body instanceof Uint8Array)) {
    return body.outcome === 'call-failure' ? failing(afterStage(body.text), body.complete) : body;
  }
  const decoded = decodeReview(body, version, conversionReviewKind, server);
  if (decoded.kind === 'too-deep') return tooDeep;
  if (decoded.kind === 'unknown') return { outcome: 'unknown', why: decoded.why };
  if (decoded.kind === 'failed') return failing(decoded.text, decoded.complete);
  const review = decoded.review as SentReview;
  const fault = version === 'v1' ? faultOfV1(review, uid) : undefined;
  if (fault !== undefined) return failing(fault);
  if (!review.response) return failing('no response provided');
  const { result, convertedObjects } = review.response;
  const status = result?.status ?? '';
  if (status !== 'Success') {
    return failing(result?.message || `response.result.status was '${status}', not 'Success'`);
  }
  const refused = refusedBecause(callout, object, convertedObjects ?? [], server);
  if (refused === undefined)
    return { outcome: 'allowed', warnings: [], auditAnnotations: {}, patched: convertedObjects?.[0] };
  return { outcome: 'call-failure', ...refused, code: 500 };
}
