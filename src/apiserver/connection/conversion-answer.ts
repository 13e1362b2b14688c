import type { ConversionCallout } from '../../facts/callout.ts';
import type { HttpAnswer, ReviewExchange } from '../../facts/probes.ts';
import { conversionFailure, conversionRefused } from '../call-sentence.ts';
import type { Judged } from '../response/backend-answer.ts';
import { notRegistered } from '../response/decode-review.ts';
import { isSuccess, judgeAnswer } from '../response/response.ts';

interface SentReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: {
    readonly uid?: string;
    readonly result?: { readonly status?: string; readonly message?: string };
    readonly convertedObjects?: readonly unknown[];
  };
}

function parse(body: Uint8Array): SentReview | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as SentReview;
  } catch {
    return undefined;
  }
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

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Labels and annotations are all that a webhook may change of the metadata (restoreObjectMeta). */
function metadataFault({ metadata }: Converted): string | undefined {
  for (const field of ['labels', 'annotations'] as const) {
    const value = metadata?.[field];
    if (value === undefined || value === null) continue;
    if (!isMap(value)) return `invalid metadata.${field} of type ${goType(value)} in converted object`;
    const wrong = Object.entries(value).find(([, one]) => typeof one !== 'string');
    if (wrong !== undefined) {
      const [key, one] = wrong;
      return `metadata.${field}[${key}] must be a string, but is ${goType(one)} in converted object`;
    }
  }
  return undefined;
}

/** What cannot be read as an object; these words name no webhook (getRawExtensionObject). */
function unreadable(object: unknown): Refusal | undefined {
  if (object === null) return { text: 'unexpected end of JSON input', complete: true };
  if (!isMap(object)) {
    const kind = Array.isArray(object) ? 'array' : typeof object === 'boolean' ? 'bool' : typeof object;
    return {
      text: `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      complete: true,
    };
  }
  if ((object.kind ?? '') === '') return { text: "Object 'Kind' is missing in '", complete: false };
  return undefined;
}

/**
 * What is wrong with the converted objects. Converter.Convert, validateConvertedObject. A stored object is read in
 * another version than the storage version: where only one is served, that is the one expected of a real object.
 */
function refusedBecause(
  callout: ConversionCallout,
  sent: unknown,
  objects: readonly unknown[],
): Refusal | undefined {
  const { resource, versions } = callout;
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
  const storage = `${resource.group}/${versions.find((one) => one.storage)?.name ?? ''}`;
  if (apiVersion !== storage) {
    const [read, another] = versions.filter((one) => one.served && !one.storage);
    const known = versions.some(({ name }) => apiVersion === `${resource.group}/${name}`);
    const certain = !known && read !== undefined && another === undefined;
    const wanted = certain ? `${resource.group}/${read.name}` : storage;
    return refused(`${at}invalid groupVersion (expected ${wanted}, received ${apiVersion})`, certain);
  }
  if (got.kind !== resource.kind)
    return refused(`${at}invalid kind (expected ${resource.kind}, received ${got.kind ?? ''})`, true);
  const before = (sent as Converted | undefined)?.metadata;
  for (const [name, key] of identity) {
    const [e, a] = [before?.[key] ?? '', got.metadata?.[key] ?? ''];
    if (before !== undefined && e !== a)
      return refused(`invalid object: must have the same ${name}: ${e} != ${a}`, false);
  }
  const fault = metadataFault(got);
  return fault === undefined ? undefined : refused(`invalid metadata: ${fault}`, true);
}

/** Whether the body is the review that was sent for, in Go's words where it is not (getConvertedObjectsFromResponse). */
function wrongReview({ apiVersion = '', kind = '' }: SentReview): Refusal | undefined {
  const group = 'apiextensions.k8s.io';
  const want = `${group}/v1, Kind=ConversionReview`;
  const [of = '', number = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const got = `${of}/${number}, Kind=${kind}`;
  if (got === want) return undefined;
  // What is not said is taken for what was sent for, and then found missing.
  const decodes = (kind || 'ConversionReview') === 'ConversionReview';
  if (decodes && ['', `${group}/v1`].includes(apiVersion))
    return { text: `expected webhook response of ${want}, got ${got}`, complete: true };
  if (decodes && apiVersion === `${group}/v1beta1`)
    return {
      text: 'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
      complete: true,
    };
  return { text: notRegistered(kind || 'ConversionReview', apiVersion || `${group}/v1`), complete: false };
}

/**
 * What the API server makes of the answer to a ConversionReview: HTTP as for an admission webhook, and then the rules of
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */
export function judgeConversion(
  answer: HttpAnswer,
  { version, uid, object }: ReviewExchange,
  callout: ConversionCallout,
  server?: string,
): Judged {
  const failing = (cause: string, complete = true): Judged => ({
    outcome: 'call-failure',
    text: conversionFailure(callout, cause),
    complete,
    code: 500,
  });
  const review = isSuccess(answer.status) ? parse(answer.body) : undefined;
  if (review === undefined || review === null || typeof review !== 'object') {
    const asked = { webhook: callout.webhook, kind: 'validating', version, uid } as const;
    const told = judgeAnswer(answer, { ...asked, ...(server === undefined ? {} : { server }) });
    return told.outcome === 'call-failure' ? failing(afterStage(told.text), told.complete) : told;
  }
  const { response } = review;
  if (version === 'v1') {
    const wrong = wrongReview(review);
    if (wrong !== undefined) return failing(wrong.text, wrong.complete);
    if (response === undefined) return failing('no response provided');
    if (response.uid !== uid) return failing(`expected response.uid="${uid}", got "${response.uid ?? ''}"`);
  }
  if (response === undefined) return failing('no response provided');
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success') {
    return failing(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
  }
  const refused = refusedBecause(callout, object, response.convertedObjects ?? []);
  if (refused === undefined) return { outcome: 'allowed', warnings: [], auditAnnotations: {} };
  return { outcome: 'call-failure', ...refused, code: 500 };
}
