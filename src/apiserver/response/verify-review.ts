import { decodeBase64 } from '../go/base64.ts';
import { goQuote } from '../go/quote.ts';
import type { SentStatus } from './denial.ts';
import type { ReviewContext } from './raw-response.ts';
import type { admissionReviewKind, SentReview } from './review-shapes.ts';

/** `response` of a decoded AdmissionReview: every field has the type of the API. */
export interface ReviewResponse {
  readonly allowed: boolean;
  /** `allowed` is missing: Go's default is false. */
  readonly undecided?: true;
  readonly patch: Uint8Array;
  /** v1beta1: JSONPatch if there is a patch. */
  readonly patchType: string;
  readonly status?: SentStatus;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

type Sent = SentReview<typeof admissionReviewKind>;
type SentResponse = NonNullable<Sent['response']>;

const want = 'admission.k8s.io/v1, Kind=AdmissionReview';

/** The text of Go's schema.GroupVersionKind: `/, Kind=` if all parts are empty. */
export function groupVersionKind(apiVersion: string, kind: string): string {
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  return `${group}/${version}, Kind=${kind}`;
}

/** The rules of v1 that v1beta1 does not have. */
function faultOfV1(
  { apiVersion, kind }: Sent,
  response: SentResponse,
  { uid, kind: type }: ReviewContext,
): string | undefined {
  const sentUid = response.uid ?? '';
  if (sentUid !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(sentUid)}`;
  const got = groupVersionKind(apiVersion ?? '', kind ?? '');
  if (got !== want) return `expected webhook response of ${want}, got ${got}`;
  const patched = patchBytes(response).length > 0;
  const typed = response.patchType !== undefined && response.patchType !== null;
  if (type === 'validating') {
    if (patched) return 'validating webhook may not return response.patch';
    return typed ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (patched && !typed) return 'webhook returned response.patch but not response.patchType';
  if (!patched && typed) return 'webhook returned response.patchType but not response.patch';
  return response.patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** A patch is base64, or a list with a number for each byte. */
function patchBytes({ patch }: SentResponse): Uint8Array {
  if (Array.isArray(patch)) return Uint8Array.from(patch, (byte) => byte ?? 0);
  const decoded = decodeBase64(typeof patch === 'string' ? patch : '');
  return 'bytes' in decoded ? decoded.bytes : new Uint8Array();
}

/** Go decodes null in a map or a list as the zero value, the empty string. */
const text = (value: string | null): string => value ?? '';

/**
 * Verifies the response in a decoded AdmissionReview in the API server's order, and returns it or the error
 * (webhook/request/admissionreview.go VerifyAdmissionResponse). A patch of a validating v1beta1 webhook is
 * ignored.
 */
export function verifyReview(
  review: Readonly<Record<string, unknown>>,
  context: ReviewContext,
): ReviewResponse | { readonly fault: string } {
  const sent = review as Sent;
  const { response } = sent;
  if (response === undefined || response === null) return { fault: 'webhook response was absent' };
  const fault = context.version === 'v1' ? faultOfV1(sent, response, context) : undefined;
  if (fault !== undefined) return { fault };
  const patch = context.kind === 'mutating' ? patchBytes(response) : new Uint8Array();
  const impliedType = patch.length > 0 ? 'JSONPatch' : '';
  return {
    allowed: response.allowed ?? false,
    ...(response.allowed === undefined || response.allowed === null ? { undecided: true as const } : {}),
    patch,
    patchType: context.version === 'v1' ? (response.patchType ?? '') : impliedType,
    auditAnnotations: Object.fromEntries(
      Object.entries(response.auditAnnotations ?? {}).map(([key, value]) => [key, text(value)]),
    ),
    warnings: (response.warnings ?? []).map(text),
    ...(response.status ? { status: withoutNulls(response.status) } : {}),
  };
}

const withoutNulls = (status: object): SentStatus =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null));
