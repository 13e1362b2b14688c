import { type HttpAnswer, json } from './review.ts';

/**
 * What an aggregated API server of one group and version says to discovery and to lists; undefined for other paths.
 * The APIService's availability check asks for /apis/GROUP/VERSION and wants a 2xx
 * (kube-aggregator pkg/controllers/status/remote).
 */
export function answerApi(path: string, api: string): HttpAnswer | undefined {
  const [name = '', version = ''] = api.split('/');
  const groupVersion = { groupVersion: api, version };
  const group = { name, versions: [groupVersion], preferredVersion: groupVersion };
  if (path === '/apis') return json({ apiVersion: 'v1', kind: 'APIGroupList', groups: [group] });
  if (path === `/apis/${name}`) return json({ apiVersion: 'v1', kind: 'APIGroup', ...group });
  if (path === `/apis/${api}`) {
    const widgets = { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget' };
    return json({
      apiVersion: 'v1',
      kind: 'APIResourceList',
      groupVersion: api,
      resources: [{ ...widgets, verbs: ['get', 'list'] }],
    });
  }
  if (path.startsWith(`/apis/${api}/`) && path.endsWith('/widgets')) {
    return json({ apiVersion: api, kind: 'WidgetList', metadata: { resourceVersion: '1' }, items: [] });
  }
  return undefined;
}
