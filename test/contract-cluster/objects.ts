import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import { namespace, selectorlessService, service } from '../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../src/demo/cluster/webhook-manifests.ts';
import {
  daemonSet,
  deployment,
  statefulSet,
  type WorkloadPart,
} from '../../src/demo/cluster/workload-manifests.ts';

const inContract = (
  kind: string,
  name: string,
  rest: object,
  labels: Readonly<Record<string, string>> = {},
): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'contract', name, labels },
  ...rest,
});

/** About 40 kB each: a list of five is sent compressed, a single one is not. */
const configMaps = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
  inContract(
    'ConfigMap',
    name,
    { data: { text: name.repeat(40_000) } },
    {
      odd: String(index % 2 === 0),
      ...(index < 2 ? { tier: 'front' } : {}),
      weight: String(index),
    },
  ),
);

const container = (name: string) => ({ name, image: 'registry.example.com/nothing:1' });

/** Manifests for every kind whose stored form differs from the manifest. */
export const written: readonly ApiObject[] = [
  service('contract/plain', {}, { labels: { kind: 'plain' } }),
  service('contract/headless', { clusterIP: 'None' }),
  selectorlessService('contract/elsewhere', { type: 'ExternalName', externalName: 'elsewhere.example.com' }),
  {
    ...inContract('EndpointSlice', 'plain-by-hand', {}, { 'kubernetes.io/service-name': 'plain' }),
    apiVersion: 'discovery.k8s.io/v1',
    addressType: 'IPv4',
    ports: [{ port: 8443 }],
    endpoints: [{ addresses: ['198.51.100.200'] }],
  },
  validating('contract', [
    { ...webhook('validate.contract.example.com', { service: 'contract/plain' }) },
    { ...webhook('url.contract.example.com', { url: 'https://contract.example.com/validate' }) },
  ]),
  mutating('contract', [
    webhook('mutate.contract.example.com', {
      service: 'contract/plain',
      failurePolicy: 'Ignore',
      rules: [rule('apps/v1', 'deployments')],
      namespaceSelector: { matchLabels: { contract: 'only' } },
    }),
  ]),
  customResource('widgets.contract.example.com', 'Widget', { service: 'contract/plain' }),
  customResource('gadgets.contract.example.com', 'Gadget'),
  apiService('v1beta1.metrics.contract.example.com', 'contract/metrics', {
    reason: 'ServiceNotFound',
    message: 'service/metrics in "contract" is not present',
  }),
];

/** Workloads without Pods, since the API server has no controllers. */
export const workloads: readonly WorkloadPart[] = [
  deployment('contract/deployment', {
    replicas: 0,
    container: { livenessProbe: { tcpSocket: { port: 8443 } } },
    spec: {
      volumes: [{ name: 'certificate', secret: { secretName: 'certificate' } }],
      serviceAccountName: 'somebody',
      initContainers: [container('init')],
    },
  }),
  statefulSet('contract/stateful-set', { replicas: 0 }),
  daemonSet('contract/daemon-set', { spec: { nodeSelector: { nowhere: 'true' } } }),
];

/** The objects of the suite, in the order of creation. */
export const contractObjects: readonly ApiObject[] = [
  namespace('contract', { team: 'contract' }),
  inContract('ServiceAccount', 'default', {}),
  ...configMaps,
  inContract('Secret', 'opaque', { type: 'Opaque', data: { word: 'eA==' } }),
  inContract('Secret', 'typed', { type: 'example.com/kind', data: { word: 'eA==' } }),
  inContract('Pod', 'one', { spec: { containers: [container('only')] } }, { app: 'one' }),
  inContract(
    'Pod',
    'two',
    { spec: { containers: [container('left'), container('right')], initContainers: [container('init')] } },
    { app: 'two' },
  ),
  ...['first', 'second', 'third'].map((name, index) =>
    inContract('Event', name, {
      involvedObject: {
        kind: index === 2 ? 'ReplicaSet' : 'Pod',
        namespace: 'contract',
        name: index === 0 ? 'one' : 'two',
      },
      type: index === 1 ? 'Normal' : 'Warning',
      reason: 'Contract',
      message: 'said',
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    }),
  ),
  ...written,
];
