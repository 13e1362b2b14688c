import {
  any,
  bool,
  bytes,
  type Decoded,
  type GoShape,
  int32,
  int64,
  list,
  map,
  string,
  struct,
} from '../go/shape.ts';

/** The versions of AdmissionReview and ConversionReview that the API server supports. */
export type ReviewVersion = 'v1' | 'v1beta1';

const typeMeta = { apiVersion: string(), kind: string() };

const statusCause = struct('v1.StatusCause', () => ({
  reason: string('v1.CauseType'),
  message: string(),
  field: string(),
}));
const statusDetails = struct('v1.StatusDetails', () => ({
  name: string(),
  group: string(),
  kind: string(),
  uid: string('types.UID'),
  causes: list(statusCause),
  retryAfterSeconds: int32,
}));
const listMeta = struct('v1.ListMeta', () => ({
  selfLink: string(),
  resourceVersion: string(),
  continue: string(),
  remainingItemCount: int64,
}));

/** metav1.Status (apimachinery/pkg/apis/meta/v1/types.go). */
export const statusShape = struct('v1.Status', () => ({
  ...typeMeta,
  metadata: listMeta,
  status: string(),
  message: string(),
  reason: string('v1.StatusReason'),
  details: statusDetails,
  code: int32,
}));

const groupVersionKind = struct('v1.GroupVersionKind', () => ({
  group: string(),
  version: string(),
  kind: string(),
}));
const groupVersionResource = struct('v1.GroupVersionResource', () => ({
  group: string(),
  version: string(),
  resource: string(),
}));
const userInfo = struct('v1.UserInfo', () => ({
  username: string(),
  uid: string(),
  groups: list(string()),
  extra: map({ of: 'list', name: 'v1.ExtraValue', element: string() }),
}));

/** Many backends return the request along with the response. */
const request = (version: ReviewVersion) =>
  struct(`${version}.AdmissionRequest`, () => ({
    uid: string('types.UID'),
    kind: groupVersionKind,
    resource: groupVersionResource,
    subResource: string(),
    requestKind: groupVersionKind,
    requestResource: groupVersionResource,
    requestSubResource: string(),
    name: string(),
    namespace: string(),
    operation: string(`${version}.Operation`),
    userInfo,
    object: any,
    oldObject: any,
    dryRun: bool,
    options: any,
  }));
const response = (version: ReviewVersion) =>
  struct(`${version}.AdmissionResponse`, () => ({
    uid: string('types.UID'),
    allowed: bool,
    status: statusShape,
    patch: bytes,
    patchType: string(`${version}.PatchType`),
    auditAnnotations: map(string()),
    warnings: list(string()),
  }));

/** A kind of review that the API server sends and expects in the response. */
export interface ReviewKind {
  readonly group: string;
  readonly kind: string;
  readonly shape: (version: ReviewVersion) => GoShape;
}

/** A review as a backend returns it. */
export type SentReview<Kind extends ReviewKind> = Decoded<ReturnType<Kind['shape']>, null>;

/** AdmissionReview of a version (api/admission/VERSION/types.go). */
const reviewShape = (version: ReviewVersion) =>
  struct(`${version}.AdmissionReview`, () => ({
    ...typeMeta,
    request: request(version),
    response: response(version),
  }));

/** The reviews that admission webhooks get. */
export const admissionReviewKind = {
  group: 'admission.k8s.io',
  kind: 'AdmissionReview',
  shape: reviewShape,
} as const;

const rawExtension = { of: 'any', name: 'runtime.RawExtension' } as const;
const conversionRequest = (version: ReviewVersion) =>
  struct(`${version}.ConversionRequest`, () => ({
    uid: string('types.UID'),
    desiredAPIVersion: string(),
    objects: list(rawExtension),
  }));
const conversionResponse = (version: ReviewVersion) =>
  struct(`${version}.ConversionResponse`, () => ({
    uid: string('types.UID'),
    convertedObjects: list(rawExtension),
    result: statusShape,
  }));

/** ConversionReview of a version (apiextensions-apiserver/pkg/apis/apiextensions/VERSION/types.go). */
export const conversionReviewKind = {
  group: 'apiextensions.k8s.io',
  kind: 'ConversionReview',
  shape: (version: ReviewVersion) =>
    struct(`${version}.ConversionReview`, () => ({
      ...typeMeta,
      request: conversionRequest(version),
      response: conversionResponse(version),
    })),
} as const;
