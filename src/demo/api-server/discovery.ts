import { unique } from '../../basics/collections.ts';
import { groupVersionOf } from '../../facts/resource.ts';
import type { ApiRequest } from './api-request.ts';
import type { AggregatedVersion, ServedApi } from './api-resources.ts';
import type { ApiResource, ApiSubresource } from './built-in-resources.ts';
import {
  type ApiAnswer,
  jsonAnswer,
  methodNotAllowed,
  pageNotFound,
  resourceNotServed,
  textAnswer,
} from './status.ts';

const unless = <T>(list: readonly T[], name: string): Readonly<Record<string, readonly T[]>> =>
  list.length === 0 ? {} : { [name]: list };

/** In this form built-in kinds have no group and version, those of CRDs have both [observed with 1.35.4]. */
const responds = (resource: ApiResource, sub?: ApiSubresource) =>
  sub?.responds ?? {
    group: resource.custom ? resource.group : '',
    version: resource.custom ? resource.version : '',
    kind: resource.kind,
  };

const aggregatedResource = (resource: ApiResource) => ({
  resource: resource.plural,
  responseKind: responds(resource),
  scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: resource.singular,
  verbs: resource.verbs,
  ...unless(resource.shortNames, 'shortNames'),
  ...unless(resource.categories, 'categories'),
  ...unless(
    resource.subresources.map((sub) => ({
      subresource: sub.name,
      responseKind: responds(resource, sub),
      verbs: sub.verbs,
    })),
    'subresources',
  ),
});

function aggregatedGroups(api: ServedApi, core: boolean) {
  const resources = api.resources.filter(({ group }) => (group === '') === core);
  const aggregated = core ? [] : api.aggregated;
  return unique([...resources, ...aggregated].map(({ group }) => group)).map((group) => ({
    metadata: group === '' ? {} : { name: group },
    versions: [
      ...unique(resources.filter((resource) => resource.group === group).map(({ version }) => version)).map(
        (version) => ({
          version,
          resources: resources
            .filter((resource) => resource.group === group && resource.version === version)
            .map(aggregatedResource),
          freshness: 'Current',
        }),
      ),
      ...aggregated
        .filter((served) => served.group === group)
        .map(({ version, available }) => ({ version, freshness: available ? 'Current' : 'Stale' })),
    ],
  }));
}

/** The version of aggregated discovery in an Accept header (KEP-3352), if it precedes plain JSON. */
function aggregatedVersion(accept: string): string | undefined {
  for (const part of accept.split(',')) {
    const match = /^application\/json;g=apidiscovery\.k8s\.io;v=(v2|v2beta1);as=APIGroupDiscoveryList$/.exec(
      part.replaceAll(' ', ''),
    );
    if (match !== null) return match[1];
    if (part.trim() === 'application/json' || part.trim() === '*/*') return undefined;
  }
  return undefined;
}

const groupDocument = (group: string, versions: readonly string[]) => {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
};

function groups(api: ServedApi) {
  const all = [...api.resources.filter(({ group }) => group !== ''), ...api.aggregated];
  return unique(all.map(({ group }) => group)).map((name) =>
    groupDocument(name, unique(all.filter(({ group }) => group === name).map(({ version }) => version))),
  );
}

const legacyResource = (resource: ApiResource) => [
  {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...unless(resource.shortNames, 'shortNames'),
    ...unless(resource.categories, 'categories'),
  },
  ...resource.subresources.map((sub) => ({
    name: `${resource.plural}/${sub.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(sub.responds !== undefined && sub.responds.version !== ''
      ? { group: sub.responds.group, version: sub.responds.version }
      : {}),
    kind: sub.responds?.kind ?? resource.kind,
    verbs: sub.verbs,
  })),
];

/** The discovery documents under `/api` and `/apis`; undefined for any other path. */
function discoveryAnswer(path: string, accept: string, api: ServedApi, host: string): ApiAnswer | undefined {
  const [root, group, version, ...rest] = path.split('/').filter((part) => part !== '');
  if (root !== 'api' && root !== 'apis') return undefined;
  if (root === 'api' ? version !== undefined : rest.length > 0) return undefined;
  if (group === undefined) {
    const wanted = aggregatedVersion(accept);
    if (wanted !== undefined) {
      const contentType = `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`;
      const items = aggregatedGroups(api, root === 'api');
      const apiVersion = `apidiscovery.k8s.io/${wanted}`;
      return jsonAnswer(200, { kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items }, contentType);
    }
    return jsonAnswer(
      200,
      root === 'apis'
        ? { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(api) }
        : {
            kind: 'APIVersions',
            versions: ['v1'],
            serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
          },
    );
  }
  if (root === 'apis' && version === undefined) {
    const found = groups(api).find(({ name }) => name === group);
    return found === undefined
      ? pageNotFound()
      : jsonAnswer(200, { kind: 'APIGroup', apiVersion: 'v1', ...found });
  }
  const groupVersion = root === 'api' ? group : `${group}/${version}`;
  const resources = api.resources.filter((resource) => groupVersionOf(resource) === groupVersion);
  if (resources.length === 0) {
    const known = api.resources.some((resource) => resource.group === group && !resource.custom);
    return known || root === 'api' ? resourceNotServed() : pageNotFound();
  }
  return jsonAnswer(200, {
    kind: 'APIResourceList',
    ...(root === 'api' ? {} : { apiVersion: 'v1' }),
    groupVersion,
    resources: resources.flatMap(legacyResource),
  });
}

const serverVersion = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.4',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.25.9',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Returns a predicate for a group and version. */
export const isOfResource =
  (wanted: { readonly group: string; readonly version: string }) =>
  ({ group, version }: AggregatedVersion): boolean =>
    group === wanted.group && version === wanted.version;

/** The response of an aggregated API: its backend serves no resources, or the APIService is not available. */
export const backendAnswer = ({ group, version, available }: AggregatedVersion): ApiAnswer =>
  available
    ? jsonAnswer(200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/${version}`,
        resources: [],
      })
    : textAnswer(503, 'service unavailable\n');

/** The part of OpenAPI v3 that makes kubectl leave validation of its writes to the server. */
function openApiAnswer(path: string, { resources }: ServedApi): ApiAnswer {
  const pathOf = (of: ApiResource) => (of.group === '' ? `api/${of.version}` : `apis/${groupVersionOf(of)}`);
  const served = unique(resources.map(pathOf)).map((name) => [name, `/openapi/v3/${name}`] as const);
  const [name] = served.find(([, url]) => url === path) ?? [];
  if (path !== '/openapi/v3' && name === undefined) return pageNotFound();
  if (name === undefined)
    return jsonAnswer(200, {
      paths: Object.fromEntries(served.map(([of, serverRelativeURL]) => [of, { serverRelativeURL }])),
    });
  const parameters = [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }];
  const paths = resources
    .filter((resource) => pathOf(resource) === name)
    .map(({ group, version, kind, plural }) => [
      `/${name}/${plural}`,
      { patch: { parameters, 'x-kubernetes-group-version-kind': { group, version, kind }, responses: {} } },
    ]);
  const info = { title: 'Kubernetes', version: serverVersion.gitVersion };
  return jsonAnswer(200, {
    openapi: '3.0.0',
    info,
    components: { schemas: {} },
    paths: Object.fromEntries(paths),
  });
}

/** Response to a GET of a non-resource path: version, health, discovery. */
export function pathAnswer(path: string, request: ApiRequest, api: ServedApi): ApiAnswer {
  const readOnly = request.method === 'GET';
  if (path === '/version') return readOnly ? jsonAnswer(200, serverVersion) : methodNotAllowed();
  if (['/healthz', '/livez', '/readyz'].includes(path)) return textAnswer(200, 'ok');
  if (path.startsWith('/openapi/v3')) return openApiAnswer(path, api);
  const [, , group = '', version = ''] = path.split('/');
  const aggregated = api.aggregated.find(isOfResource({ group, version }));
  if (aggregated !== undefined) return backendAnswer(aggregated);
  const found = discoveryAnswer(path, request.accept, api, request.host);
  if (found === undefined) return pageNotFound();
  return readOnly || found.status !== 200 ? found : methodNotAllowed();
}
