import { scale } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { asStatefulSet, born, broken, deployment, objectsOf, service } from './breaks.ts';
import type { Case } from './case.ts';
import { eventSays, noEndpoint, podsAreRefused, portGone } from './conditions.ts';

const missingAccount = { podSpec: { serviceAccountName: 'guard' } };
const account = 'ServiceAccount guard does not exist';

/** Faults between the Service and its Pods. */
export const backendCases: readonly Case[] = [
  {
    name: 'a selector that somebody edited',
    make: broken((scene) => scene.client.patch(service(scene), { spec: { selector: { app: 'gaurd' } } })),
    until: noEndpoint,
    because: 'selector-matches-no-pod',
    says: ['app=gaurd', 'app=guard', 'Deployment guard'],
  },
  {
    name: 'a Deployment that is gone',
    make: broken((scene) => scene.client.delete(deployment(scene))),
    until: async (scene) => {
      await noEndpoint(scene);
      const left = () => scene.client.list('v1', 'Pod', scene.namespace);
      await waitFor('the last Pod to go', async () => (await left()).length === 0);
    },
    because: 'workload-missing',
    says: ['app=guard'],
  },
  {
    name: 'a Deployment scaled to zero',
    make: broken((scene) => scale(scene, 'guard', 0)),
    until: noEndpoint,
    because: 'workload-scaled-to-zero',
    says: ['Deployment guard', 'through its scale subresource'],
  },
  {
    name: 'a Deployment edited to zero, and by whom',
    make: broken((scene) => scene.client.patch(deployment(scene), { spec: { replicas: 0 } })),
    until: noEndpoint,
    because: 'workload-scaled-to-zero',
    says: ['Deployment guard', / by \S+ at \d{4}-/],
  },
  {
    name: 'a quota that is used up',
    make: born(
      {},
      [],
      [
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'tight' },
          spec: { hard: { pods: '0' } },
        },
      ],
    ),
    until: podsAreRefused,
    because: 'workload-cannot-create-pods',
    says: ['they exceed a ResourceQuota of namespace', 'tight: requested pods=1'],
  },
  {
    name: 'a LimitRange that is too small',
    make: born(
      { container: { resources: { limits: { memory: '200Mi' } } } },
      [],
      [
        {
          apiVersion: 'v1',
          kind: 'LimitRange',
          metadata: { name: 'small' },
          spec: { limits: [{ type: 'Container', max: { memory: '64Mi' } }] },
        },
      ],
    ),
    until: podsAreRefused,
    because: 'workload-cannot-create-pods',
    says: ['maximum memory usage per Container is 64Mi'],
  },
  {
    name: 'a missing ServiceAccount',
    make: born(missingAccount),
    until: podsAreRefused,
    because: 'workload-cannot-create-pods',
    says: [account],
  },
  {
    name: 'a StatefulSet, of which only events tell',
    make: asStatefulSet(missingAccount),
    until: eventSays('FailedCreate'),
    because: 'workload-cannot-create-pods',
    says: ['StatefulSet guard', account],
  },
  {
    name: 'a Pod Security level',
    make: async (scene) => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: scene.namespace } };
      const level = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await scene.client.patch(namespace, { metadata: { labels: level } });
      await born()(scene);
    },
    until: podsAreRefused,
    because: 'workload-cannot-create-pods',
    says: ['restricted: allowPrivilegeEscalation != false'],
  },
  {
    name: 'a Deployment that was paused before its first Pod',
    make: async (scene) => {
      for (const object of await objectsOf(scene)) {
        const isWorkload = object.kind === 'Deployment';
        await scene.create(isWorkload ? { ...object, spec: { ...object.spec, paused: true } } : object);
      }
    },
    until: noEndpoint,
    because: 'rollout-paused',
    says: ['Deployment guard is paused'],
  },
  {
    name: 'a missing PriorityClass',
    make: born({ podSpec: { priorityClassName: 'no-such-priority' } }),
    until: podsAreRefused,
    because: 'workload-cannot-create-pods',
    says: ['PriorityClass no-such-priority does not exist'],
  },
  {
    name: 'a port name that no container declares',
    make: broken((scene) =>
      scene.client.patch(service(scene), {
        spec: { ports: [{ name: 'https', port: 443, targetPort: 'webhook' }] },
      }),
    ),
    until: portGone,
    because: 'target-port-name-missing',
    says: ['container port webhook', 'https (8443)'],
  },
];
