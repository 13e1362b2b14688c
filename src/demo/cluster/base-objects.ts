import { builtInResources } from '../api-server/built-in-resources.ts';
import type { ApiObject } from '../api-server/object-store.ts';
import { ago } from './ago.ts';
import { namespace, node } from './manifests.ts';

/** The APIService of a group and version that the API server serves itself (never called). */
export const localApiService = (group: string, version: string, managed: string): ApiObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: {
    name: `${version}.${group}`,
    labels: { 'kube-aggregator.kubernetes.io/automanaged': managed },
  },
  spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: 17800, versionPriority: 15 },
  status: {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'Local',
        message: 'Local APIServices are always available',
        lastTransitionTime: ago('30d'),
      },
    ],
  },
});

const groupVersions = [
  ...new Set(builtInResources.map(({ group, version }) => `${group}/${version}`)),
].filter((groupVersion) => !groupVersion.startsWith('apiregistration.k8s.io/'));

const apiServer: readonly ApiObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: '203.0.113.1',
      clusterIPs: ['203.0.113.1'],
      ports: [{ name: 'https', port: 443, targetPort: 6443 }],
    },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 6443 }],
    endpoints: [{ addresses: ['192.0.2.10'], conditions: { ready: true } }],
  },
];

/** The objects of every new cluster: namespaces, two nodes, the Service of the API server. */
export const baseObjects: readonly ApiObject[] = [
  ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => namespace(name)),
  node('worker-1'),
  node('worker-2'),
  ...apiServer,
  ...groupVersions.map((groupVersion) => {
    const [group = '', version = ''] = groupVersion.split('/');
    return localApiService(group, version, 'onstart');
  }),
];
