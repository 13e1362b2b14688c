import { keyOf } from '../../facts/object-ref.ts';
import { parseLabelSelector, SelectorError } from '../../facts/objects/label-selector-text.ts';
import { groupVersionOf } from '../../facts/resource.ts';
import type { ApiResource } from './built-in-resources.ts';
import { type ApiObject, fieldOf, isNamed, type ObjectStore } from './object-store.ts';
import { type ApiAnswer, badRequest, failureStatus, jsonAnswer, objectNotFound, Refused } from './status.ts';

const own = ['metadata.name', 'metadata.namespace'];

/** Fields that selectors support for a kind, besides name and namespace (apis/core/v1/conversion.go). */
const further: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  secrets: ['type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  services: ['spec.clusterIP', 'spec.type'],
};

const selectedValue = (object: ApiObject, field: string): string => {
  const value = fieldOf(object, field === 'source' ? 'source.component' : field);
  return value === undefined || value === null ? '' : String(value);
};

function checkField(resource: ApiResource, field: string): void {
  const known = [...own, ...((resource.group === '' ? further[resource.plural] : undefined) ?? [])];
  if (known.includes(field)) return;
  const special = resource.custom || (resource.group === '' && resource.plural in further);
  throw new SelectorError(
    special
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Parses `fieldSelector` (apimachinery pkg/fields/selector.go), without its escape sequences. */
function parseFieldSelector(text: string, resource: ApiResource): (object: ApiObject) => boolean {
  const tests = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^([^=!]*)(!=|==|=)(.*)$/.exec(term);
      if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      checkField(resource, field);
      return (object: ApiObject) => (selectedValue(object, field) === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}

interface ContinueToken {
  readonly v: string;
  /** Revision of the first page; -1 continues with the present objects. */
  readonly rv: number;
  readonly start: string;
}

const encode = (rv: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');

/** A whole number in the query; undefined if it is missing. Throws {@link Refused}. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new Refused(badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`));
}

/** Throws {@link Refused}. */
function decode(token: string): ContinueToken {
  let parsed: ContinueToken;
  try {
    parsed = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as ContinueToken;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new Refused(badRequest(`invalid continue token: continue key is not valid: ${why}`));
  }
  if (parsed.v === 'meta.k8s.io/v1') return parsed;
  throw new Refused(badRequest(`server does not recognize this encoded version "${parsed.v}"`));
}

const expired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The object as PartialObjectMetadata. */
export const metadataOf = (object: ApiObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object.metadata,
});

/** An object as a list item: without kind and apiVersion, except those of custom resources. */
const item = (object: ApiObject, resource: ApiResource): unknown => {
  if (resource.custom) return object;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
};

/** A GET of a collection. */
export interface CollectionRequest {
  readonly resource: ApiResource;
  /** Undefined: all namespaces, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  readonly metadataOnly: boolean;
}

/** The selectors of a request. Throws SelectorError. */
export function selectionOf({
  resource,
  namespace,
  query,
}: CollectionRequest): (object: ApiObject) => boolean {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', resource);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    labels(object.metadata.labels ?? {}) &&
    fields(object);
}

/** The list of a collection: applies selectors, then paging. */
export function listAnswer(request: CollectionRequest, store: ObjectStore): ApiAnswer {
  const { resource, query, metadataOnly } = request;
  const limit = wholeNumber(query, 'limit') ?? 0;
  const token = query.get('continue') ?? '';
  const from = token === '' ? undefined : decode(token);
  if (from !== undefined && from.rv > 0 && from.rv < store.oldest())
    return jsonAnswer(410, {
      ...failureStatus(410, 'Expired', expired),
      metadata: { continue: encode(-1, from.start) },
    });
  const isFiltered = ['labelSelector', 'fieldSelector'].some((name) => (query.get(name) ?? '') !== '');
  const found = store
    .of(resource.group, resource.kind)
    .filter(selectionOf(request))
    .filter((object) => from === undefined || Buffer.compare(key(object), Buffer.from(from.start)) >= 0);
  const page = limit > 0 ? found.slice(0, limit) : found;
  const left = found.length - page.length;
  const last = page.at(-1);
  const revision = from !== undefined && from.rv > 0 ? from.rv : store.revision();
  return jsonAnswer(200, {
    kind: metadataOnly ? 'PartialObjectMetadataList' : `${resource.kind}List`,
    apiVersion: metadataOnly ? 'meta.k8s.io/v1' : groupVersionOf(resource),
    metadata: {
      resourceVersion: String(revision),
      ...(left > 0 && last !== undefined ? { continue: encode(revision, `${keyOf(last.metadata)}\0`) } : {}),
      ...(left > 0 && !isFiltered ? { remainingItemCount: left } : {}),
    },
    items: page.map((object) => (metadataOnly ? metadataOf(object) : item(object, resource))),
  });
}

const key = (object: ApiObject): Buffer => Buffer.from(keyOf(object.metadata));

/** An object of the store. Throws {@link Refused} if it does not exist. */
export function storedObject(
  store: ObjectStore,
  resource: ApiResource,
  namespace: string | undefined,
  name: string,
): ApiObject {
  const found = store.of(resource.group, resource.kind).find(isNamed(namespace, name));
  if (found === undefined) throw new Refused(objectNotFound(resource, name));
  return found;
}

/** Response to a GET of one object. */
export const objectAnswer = ({ kind, apiVersion, metadata, ...rest }: ApiObject): ApiAnswer =>
  jsonAnswer(200, { kind, apiVersion, metadata, ...rest });
