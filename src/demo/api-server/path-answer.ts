import type { ApiRequest } from './api-request.ts';
import type { AggregatedVersion, ServedApi } from './api-resources.ts';
import { discoveryAnswer } from './discovery.ts';
import { type ApiAnswer, jsonAnswer, methodNotAllowed, pageNotFound, textAnswer } from './status.ts';

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

/** Is it the group and version that was asked for? */
export const isOf =
  (asked: { readonly group: string; readonly version: string }) =>
  ({ group, version }: AggregatedVersion): boolean =>
    group === asked.group && version === asked.version;

/** Of an aggregated API: its backend serves no resource, or the API server cannot use it. */
export const backendAnswer = ({ group, version, available }: AggregatedVersion): ApiAnswer =>
  available
    ? jsonAnswer(200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/${version}`,
        resources: [],
      })
    : textAnswer(503, 'service unavailable\n');

/** GET of what is no resource: version, health, discovery. */
export function pathAnswer(path: string, request: ApiRequest, api: ServedApi): ApiAnswer {
  const readOnly = request.method === 'GET';
  if (path === '/version') return readOnly ? jsonAnswer(200, serverVersion) : methodNotAllowed();
  if (['/healthz', '/livez', '/readyz'].includes(path)) return textAnswer(200, 'ok');
  const [, , group = '', version = ''] = path.split('/');
  const aggregated = api.aggregated.find(isOf({ group, version }));
  if (aggregated !== undefined) return backendAnswer(aggregated);
  const found = discoveryAnswer(path, request.accept, api, request.host);
  if (found === undefined) return pageNotFound();
  return readOnly || found.status !== 200 ? found : methodNotAllowed();
}
