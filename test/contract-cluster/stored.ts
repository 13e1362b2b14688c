import { builtInResources } from '../../src/demo/api-server/built-in-resources.ts';
import type { ApiObject } from '../../src/demo/api-server/object-store.ts';

/**
 * The part of a stored object that its writer or the API's defaults set; without allocated values and
 * additions of controllers.
 */
export function decided({ kind, metadata: { labels = {} }, ...fields }: ApiObject) {
  const { apiVersion: _apiVersion, status: _status, spec = {}, ...rest } = fields;
  const { clusterIP, clusterIPs: _clusterIPs, ...decidedSpec } = spec as Record<string, unknown>;
  return { kind, labels, ...rest, spec: { ...decidedSpec, ...(clusterIP === 'None' ? { clusterIP } : {}) } };
}

/** The API path of an object of a built-in kind. */
export const pathOf = ({ apiVersion, kind, metadata }: ApiObject): string => {
  const resource = builtInResources.find(
    (candidate) =>
      candidate.kind === kind &&
      apiVersion === [candidate.group, candidate.version].filter(Boolean).join('/'),
  );
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${resource?.plural}/${metadata.name}`;
};
