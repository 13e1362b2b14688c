import { isJsonObject, type JsonObject } from '../../basics/collections.ts';
import type { ConversionCallout } from '../../facts/callout.ts';
import type { HttpResponse, ReviewExchange } from '../../facts/probes.ts';
import { goQuote } from '../go/quote.ts';
import { decodeReview } from '../response/decode-review.ts';
import type { EvaluatedResponse } from '../response/raw-response.ts';
import { bodyToDecode, tooDeep } from '../response/response.ts';
import { conversionReviewKind, type SentReview } from '../response/review-shapes.ts';
import { groupVersionKind } from '../response/verify-review.ts';
import { conversionFailure, conversionRefused } from '../sentences/call-sentence.ts';
import { labelFault } from './label-faults.ts';

type Sent = SentReview<typeof conversionReviewKind>;

/** The text after `failed to call webhook: `: HTTP errors are the same for every kind of webhook. */
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

/** Why the API server rejects a response; `complete` false: the text depends on a real object. */
interface Refusal {
  readonly text: string;
  readonly complete: boolean;
}

/** The type of a JSON-decoded value as Go's `%T` prints it. */
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

/** A webhook may change only labels and annotations of metadata, to valid ones (restoreObjectMeta). */
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

/** The error for a value that is not an object; it names no webhook (getRawExtensionObject). */
function unreadable(object: unknown): Refusal | undefined {
  if (object === null) return { text: 'unexpected end of JSON input', complete: true };
  if (!isJsonObject(object)) {
    const type = typeof object === 'boolean' ? 'bool' : typeof object;
    const kind = Array.isArray(object) ? 'array' : type;
    return {
      text: `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      complete: true,
    };
  }
  if (typeof object.kind !== 'string' || object.kind === '')
    return { text: "Object 'Kind' is missing in '", complete: false };
  return undefined;
}

/**
 * The expected version: the storage version, or another one if the object was sent in the storage version.
 * The probe and a stored object can be converted in opposite directions. For a response in a version that the
 * CRD does not have, the error is known only if there is exactly one other version.
 */
function expectedOf(
  callout: ConversionCallout,
  { object: sent, desired }: Pick<ReviewExchange, 'object' | 'desired'>,
  received: string,
) {
  if (desired !== undefined) return { version: desired, certain: true };
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

/** The error about the converted objects. Converter.Convert, validateConvertedObject. */
function refusedBecause(
  callout: ConversionCallout,
  exchange: Pick<ReviewExchange, 'object' | 'desired'>,
  objects: readonly unknown[],
  server: string | undefined,
): Refusal | undefined {
  const { resource } = callout;
  const refused = (what: string, { complete = true } = {}): Refusal => ({
    text: conversionRefused(callout, what),
    complete,
  });
  if (objects.length !== 1) return refused(`${objects.length} objects, expected 1`);
  const broken = unreadable(objects[0]);
  if (broken !== undefined) return broken;
  const got = objects[0] as Converted;
  const at = 'invalid object at index 0: ';
  const { apiVersion = '' } = got;
  const expected = expectedOf(callout, exchange, apiVersion);
  if (apiVersion !== expected.version) {
    const what = `${at}invalid groupVersion (expected ${expected.version}, received ${apiVersion})`;
    return refused(what, { complete: expected.certain });
  }
  if (got.kind !== resource.kind)
    return refused(`${at}invalid kind (expected ${resource.kind}, received ${got.kind ?? ''})`);
  const before = (exchange.object as Converted | undefined)?.metadata;
  for (const [name, key] of identity) {
    const [e, a] = [before?.[key] ?? '', got.metadata?.[key] ?? ''];
    if (before !== undefined && e !== a)
      return refused(`invalid object: must have the same ${name}: ${e} != ${a}`, { complete: false });
  }
  const fault = metadataFault(got, before, server);
  return fault && refused(`invalid metadata: ${fault.text}`, fault);
}

const want = 'apiextensions.k8s.io/v1, Kind=ConversionReview';

/** The error about a v1 review; v1beta1 is not checked for it (getConvertedObjectsFromResponse). */
function faultOfV1({ apiVersion, kind, response }: Sent, uid: string): string | undefined {
  const got = groupVersionKind(apiVersion ?? '', kind ?? '');
  if (got !== want) return `expected webhook response of ${want}, got ${got}`;
  if (!response || (response.uid ?? '') === uid) return undefined;
  return `expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`;
}

/**
 * Predicts how the API server handles the response to a ConversionReview: HTTP as for an admission webhook,
 * then the rules of apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */
export function evaluateConversion(
  answer: HttpResponse,
  exchange: ReviewExchange,
  callout: ConversionCallout,
  server?: string,
): EvaluatedResponse {
  const { version, uid } = exchange;
  const failing = (cause: string, complete = true): EvaluatedResponse => ({
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
  const review = decoded.review as Sent;
  const fault = version === 'v1' ? faultOfV1(review, uid) : undefined;
  if (fault !== undefined) return failing(fault);
  if (!review.response) return failing('no response provided');
  const { result, convertedObjects } = review.response;
  const status = result?.status ?? '';
  if (status !== 'Success') {
    const text = result?.message || `response.result.status was '${status}', not 'Success'`;
    return {
      outcome: 'call-failure',
      text: conversionFailure(callout, text),
      complete: true,
      code: 500,
      unconverted: true,
    };
  }
  const refused = refusedBecause(callout, exchange, convertedObjects ?? [], server);
  if (refused === undefined)
    return { outcome: 'allowed', warnings: [], auditAnnotations: {}, patched: convertedObjects?.[0] };
  return { outcome: 'call-failure', ...refused, code: 500, unconverted: true };
}
