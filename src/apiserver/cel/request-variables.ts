import type { Labels } from '../../facts/objects/label-selector.ts';
import { groupVersionOf } from '../../facts/resource.ts';
import type { AdmissionRequest, RequestUser } from '../admission/admission-request.ts';
import type { Variables } from './evaluate.ts';
import {
  type CelKey,
  type CelMap,
  type CelValue,
  celMap,
  completeFromJson,
  fromJson,
  openMap,
  partOfJson,
  unknownValue,
} from './value.ts';

type Field = readonly [CelKey, CelValue | typeof unknownValue];

const given = (name: string, value: string | undefined): readonly Field[] =>
  value === undefined || value === '' ? [] : [[name, value]];

function labelsField(
  labels: Labels | undefined,
  { unknownLabels = [], moreLabels = false }: AdmissionRequest,
): readonly Field[] {
  if (labels === undefined) return [];
  const entries = Object.entries(labels).filter(([key]) => !unknownLabels.includes(key));
  if (unknownLabels.length === 0 && !moreLabels) {
    return entries.length === 0 ? [] : [['labels', celMap(entries)]];
  }
  if (entries.length === 0) return [];
  const unsure = openMap(entries, (key) => moreLabels || unknownLabels.includes(String(key)));
  return [['labels', unsure]];
}

/** True if an object certainly has no labels: the field is then absent. */
const labelsAreKnown = (
  labels: Labels | undefined,
  { unknownLabels = [], moreLabels = false }: AdmissionRequest,
) =>
  labels !== undefined &&
  (Object.keys(labels).some((key) => !unknownLabels.includes(key)) ||
    (unknownLabels.length === 0 && !moreLabels));

/** The known part of an object: labels and some fields. Every other field is unknown. */
function partOf(request: AdmissionRequest, labels: Labels | undefined, part: object | undefined): CelMap {
  const ofPart = part === undefined ? undefined : partOfJson(part);
  const top = ofPart !== undefined && ofPart !== unknownValue ? (ofPart as CelMap).entries : new Map();
  const partMetadata = top.get('metadata');
  const { namespace, resource } = request;
  const ownNamespace = resource === 'namespaces' ? undefined : namespace;
  const metadata: readonly Field[] = [
    ...(partMetadata === undefined ? [] : (partMetadata as CelMap).entries),
    ...given('namespace', ownNamespace),
    ...given('name', request.name),
    ...labelsField(labels, request),
  ];
  const known = new Set<CelKey>(labelsAreKnown(labels, request) ? ['labels'] : []);
  return openMap([
    ...top,
    ...given('kind', request.kind),
    ...(hasOwnKind(request) ? given('apiVersion', groupVersionOf(request)) : []),
    ['metadata', openMap(metadata, (key) => !known.has(key))],
  ]);
}

const addable = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** An object that can have more labels, annotations, finalizers and owners than the known ones. */
function withMore(object: object): CelValue | typeof unknownValue {
  const { metadata = {}, ...rest } = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  const fields = Object.entries(metadata).map(
    ([key, value]) => [key, addable.includes(key) ? partOfJson(value) : completeFromJson(value)] as const,
  );
  const others = Object.entries(rest).map(([key, value]) => [key, completeFromJson(value)] as const);
  return celMap([...others, ['metadata', openMap(fields, (key) => addable.includes(String(key)))]]);
}

function newObject(request: AdmissionRequest): CelValue | typeof unknownValue {
  switch (request.operation) {
    case 'DELETE':
      return null;
    case 'CONNECT':
      return unknownValue;
    default:
      if (request.object === undefined) return partOf(request, request.labels, request.objectPart);
      return request.moreLabels ? withMore(request.object) : completeFromJson(request.object);
  }
}

function storedObject(request: AdmissionRequest): CelValue | typeof unknownValue {
  if (request.operation === 'CREATE' || request.operation === 'CONNECT') return null;
  if (request.oldObject !== undefined) return completeFromJson(request.oldObject);
  const labels = request.operation === 'DELETE' ? request.oldLabels : (request.oldLabels ?? request.labels);
  return partOf(request, labels, undefined);
}

/** Subresources whose object has the resource's kind; others (scale, eviction, token) are of other groups. */
const ofOwnKind = ['', 'status', 'finalize', 'ephemeralcontainers', 'resize', 'approval'];

const hasOwnKind = ({ subresource = '' }: AdmissionRequest): boolean => ofOwnKind.includes(subresource);

const kindOf = (request: AdmissionRequest): CelMap =>
  hasOwnKind(request)
    ? groupVersion(request, 'kind', request.kind)
    : celMap([
        ['group', unknownValue],
        ['version', unknownValue],
        ['kind', request.kind ?? unknownValue],
      ]);

const groupVersion = (
  { group, version }: Pick<AdmissionRequest, 'group' | 'version'>,
  name: string,
  value: string | undefined,
): CelMap =>
  celMap([
    ['group', group],
    ['version', version],
    [name, value ?? unknownValue],
  ]);

/** `request`: empty fields are absent (omitempty in k8s.io/api/admission/v1). */
function requestVariable(request: AdmissionRequest, as: AdmissionRequest): CelMap {
  const { name, subresource, namespace, operation, user, dryRun = false } = request;
  const resource = groupVersion(request, 'resource', request.resource);
  return openMap(
    [
      ['uid', unknownValue],
      ['kind', kindOf(as)],
      ['resource', resource],
      ['requestKind', kindOf(request)],
      ['requestResource', resource],
      ...given('subResource', subresource),
      ...given('requestSubResource', subresource),
      ...given('name', name),
      ...given('namespace', namespace),
      ['operation', operation],
      ['userInfo', user === undefined ? unknownValue : userInfo(user)],
      ['dryRun', dryRun],
      ['options', unknownValue],
    ],
    (key) => key === 'name',
  );
}

const userInfo = ({ username, groups, uid, extra }: RequestUser): CelMap =>
  openMap(
    [
      ...given('username', username),
      ...given('uid', uid),
      ...(groups.length === 0 ? [] : [['groups', groups] as const]),
      ...(Object.keys(extra ?? {}).length === 0 ? [] : [['extra', fromJson(extra)] as const]),
    ],
    (key) => (key === 'uid' && uid === undefined) || (key === 'extra' && extra === undefined),
  );

/** Every authorizer of kube-apiserver allows this group everything (pkg/kubeapiserver/authorizer/config.go). */
const superusers = 'system:masters';

function authorizer(request: AdmissionRequest): CelValue | typeof unknownValue {
  const { group, resource, subresource, namespace, name, user } = request;
  const allowed = user?.groups.includes(superusers) === true ? 'everything' : request.allowed;
  if (allowed === undefined) return unknownValue;
  const requestResource = Object.fromEntries(
    Object.entries({ group, resource, subresource, namespace, name }).filter(([, value]) => value),
  );
  return { is: 'kubernetes.authorization.Authorizer', check: {}, allowed, requestResource };
}

/**
 * The variables of a matchCondition (apiserver admission/plugin/cel/activation.go). namespaceObject is null
 * for webhooks. `authorizer` has the checks of the request.
 *
 * @param as the version of the request that the webhook gets.
 */
export function requestVariables(request: AdmissionRequest, as: AdmissionRequest = request): Variables {
  // A converted object keeps its metadata; which other fields change depends on the resource.
  const { object: _object, oldObject: _oldObject, objectPart: _part, ...metadataOnly } = as;
  const source = as === request ? request : { ...metadataOnly };
  return new Map<string, CelValue | typeof unknownValue>([
    ['object', newObject(source)],
    ['oldObject', storedObject(source)],
    ['request', requestVariable(request, as)],
    ['namespaceObject', null],
    ['authorizer', authorizer(request)],
  ]);
}
