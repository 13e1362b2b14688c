import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResource, ServedResources } from '../../../src/facts/served-resources.ts';

const resource = (path: string, kind: string, namespaced = true): ServedResource => {
  const [group = '', version = '', ...names] = path.split('/');
  const name = names.join('/');
  return {
    group,
    version,
    resource: name,
    kind,
    singular: name.includes('/') ? '' : kind.toLowerCase(),
    namespaced,
    verbs: ['create'],
  };
};

/** Discovery of a small cluster; `stale` lists the failed groups and versions. */
export const served = (...stale: readonly string[]) =>
  complete<ServedResources>([
    [
      'served',
      {
        resources: [
          resource('/v1/pods', 'Pod'),
          resource('/v1/pods/exec', 'PodExecOptions'),
          resource('/v1/services', 'Service'),
          resource('/v1/namespaces', 'Namespace', false),
          resource('/v1/nodes', 'Node', false),
          resource('apps/v1/deployments', 'Deployment'),
          resource('apps/v1/deployments/scale', 'Scale'),
          resource('batch/v1/cronjobs', 'CronJob'),
          resource('networking.k8s.io/v1/ingresses', 'Ingress'),
          resource('example.com/v1/widgets', 'Widget'),
        ],
        stale,
      },
    ],
  ]);
