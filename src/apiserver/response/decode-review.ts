import { groupOf } from '../../facts/resource.ts';
import type { GoJson } from '../go/json.ts';
import { goQuote } from '../go/quote.ts';
import { firstMisfit } from '../go/shape.ts';
import { fromGoJson } from '../go/value.ts';
import { behaves } from '../server-version.ts';
import { readBody } from './read-body.ts';
import { type ReviewKind, type ReviewVersion, statusShape } from './review-shapes.ts';

/** The decoded review, or the error. `complete` false: only the beginning of the text is known. */
export type DecodedReview =
  | { readonly kind: 'review'; readonly review: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly text: string; readonly complete: boolean }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'unknown'; readonly why: string };

const failed = (text: string, complete = true): DecodedReview => ({ kind: 'failed', text, complete });

/** Go's name of the anonymous type into which every object is decoded first (serializer/json/meta.go). */
const findKind =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const parseError = (text: string): string => `couldn't get version/kind; json parse error: ${text}`;

/** Group, version and kind of an object. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Reads apiVersion and kind, in any case of letters, or returns Go's error (json/meta.go Interpret). */
export function interpret(json: GoJson): TypeMeta | { readonly fault: string } {
  const found = { apiVersion: '', kind: '' };
  if (json.kind === 'null') return found;
  if (json.kind !== 'object') {
    return { fault: parseError(`json: cannot unmarshal ${json.kind} into Go value of type ${findKind}`) };
  }
  let misfit: string | undefined;
  for (const [key, value] of json.members) {
    const field = ({ apiversion: 'apiVersion', kind: 'kind' } as const)[key.toLowerCase()];
    if (field === undefined || value.kind === 'null') continue;
    if (value.kind === 'string') found[field] = value.value;
    else misfit ??= `json: cannot unmarshal ${value.kind} into Go struct field .${field} of type string`;
  }
  if (misfit !== undefined) return { fault: parseError(misfit) };
  if (found.apiVersion.split('/').length > 2) {
    return { fault: `unexpected GroupVersion string: ${found.apiVersion}` };
  }
  return found;
}

const version = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? '';

/** Kinds that the scheme of the webhook client has in both of its versions (meta/v1/register.go). */
const options = [
  'WatchEvent',
  'ListOptions',
  'GetOptions',
  'DeleteOptions',
  'CreateOptions',
  'UpdateOptions',
  'PatchOptions',
];
/** Kinds that are recognized in any version. */
const unversioned = ['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList'];

/**
 * Decodes a body into the review that was sent (apimachinery versioning.go Decode, serializer/json Decode). A
 * body of another version or kind is decoded as that, and the conversion fails.
 */
export function decodeReview(
  bytes: Uint8Array,
  sent: ReviewVersion,
  review: ReviewKind,
  server?: string,
): DecodedReview {
  const body = readBody(bytes);
  if (body.kind === 'too-deep') return body;
  if (body.kind === 'unknown')
    return { kind: 'unknown', why: 'its response is neither JSON nor simple YAML' };
  if (body.kind === 'no-yaml') return failed(body.text ?? '', body.text !== undefined);
  if (body.kind === 'syntax') return failed(parseError(body.text));
  const meta = interpret(body.value);
  if ('fault' in meta) return failed(meta.fault);
  const kind = meta.kind === '' ? review.kind : meta.kind;
  const apiVersion = meta.apiVersion === '' ? `${review.group}/${sent}` : meta.apiVersion;
  const known = ['v1', 'v1beta1'].find((one) => apiVersion === `${review.group}/${one}`);
  const unknownConversion = (from: string): string =>
    `converting (${from}) to (${sent}.${review.kind}): unknown conversion`;
  if (kind === review.kind && (known === 'v1' || known === 'v1beta1')) {
    const misfit = firstMisfit(body.value, review.shape(known));
    if (misfit !== undefined) return failed(misfit);
    if (known !== sent) return failed(unknownConversion(`${known}.${review.kind}`));
    const read = fromGoJson(body.value);
    return { kind: 'review', review: (read ?? {}) as Readonly<Record<string, unknown>> };
  }
  if (kind === 'Status') {
    return failed(firstMisfit(body.value, statusShape) ?? unknownConversion('v1.Status'));
  }
  if (unversioned.includes(kind) || (known !== undefined && options.includes(kind))) return failed('', false);
  const shown = groupOf(apiVersion) === '' ? version(apiVersion) : apiVersion;
  if (version(apiVersion) === '__internal') return failed('', false);
  const isNamed = behaves(server, 'scheme-named');
  return failed(`${notRegistered(kind, shown)}${isNamed ? 'pkg/runtime/scheme.go:111"' : ''}`, isNamed);
}

/**
 * The scheme's name after this text is a source location, and so differs between versions and builds
 * (apimachinery/pkg/runtime/error.go, naming.GetNameFromCallsite).
 */
export const notRegistered = (kind: string, groupVersion: string): string =>
  `no kind ${goQuote(kind)} is registered for version ${goQuote(groupVersion)} in scheme "`;
