import { tryConfigMap, waitForEndpoints, waitForNoEndpoint } from '../../cluster/backend-pods.ts';
import type { KubeObject } from '../../cluster/client.ts';
import type { Scene } from '../../cluster/scene.ts';
import { waitFor } from '../../cluster/wait.ts';
import { deployment, deserted, dialAnew } from './breaks.ts';

type Pod = KubeObject;
export const podIs =
  (what: string, is: (pod: Pod) => unknown) =>
  async (scene: Scene): Promise<void> => {
    const look = async () =>
      (await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard')).some((pod) => is(pod));
    await waitFor(`a Pod that is ${what}`, look, { timeout: 90_000 });
  };

const statuses = ({ status }: Pod) => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];
export const waitingFor = (...reasons: readonly string[]) =>
  podIs(`waiting for ${reasons.join(' or ')}`, (pod) =>
    statuses(pod).some(({ state }) => reasons.includes(state?.waiting?.reason)),
  );
export const restarted = podIs('restarted twice', (pod) =>
  statuses(pod).some(({ restartCount }) => restartCount >= 2),
);
/** Waits for the back-off, not for the run between two crashes. */
export const backingOff = podIs('in back-off after two crashes', (pod) =>
  statuses(pod).some(
    ({ restartCount, state }) => restartCount >= 2 && state?.waiting?.reason === 'CrashLoopBackOff',
  ),
);
export const scheduledNot = (reason: string) =>
  podIs(reason, ({ status }) =>
    status.conditions?.some((condition: { reason?: string }) => condition.reason === reason),
  );
export const olderThan = (seconds: number) =>
  podIs(
    `${seconds} seconds old`,
    ({ metadata }) => Date.now() - Date.parse(String(metadata.creationTimestamp)) > seconds * 1000,
  );
export const runsFor = (seconds: number) =>
  podIs(`running for ${seconds} seconds`, (pod) => {
    const started = statuses(pod).map(({ state }) => Date.parse(state?.running?.startedAt));
    return started.length > 0 && started.every((at) => Date.now() - at > seconds * 1000);
  });

export const eventSays =
  (reason: string) =>
  async (scene: Scene): Promise<void> => {
    const look = async () =>
      (await scene.client.list('v1', 'Event', scene.namespace)).some((event) => event.reason === reason);
    await waitFor(`an event ${reason}`, look, { timeout: 90_000 });
  };
export const podsAreRefused = async (scene: Scene): Promise<void> => {
  await waitFor('the condition ReplicaFailure', async () => {
    const { conditions = [] } = (await scene.client.get(deployment(scene)))?.status ?? {};
    return conditions.some(({ type }: { type: string }) => type === 'ReplicaFailure');
  });
};
export const noReadyEndpoint = (scene: Scene): Promise<void> => waitForEndpoints(scene, 'guard', 0);

const slicesOf = (scene: Scene) =>
  scene.client.list(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    scene.namespace,
    'kubernetes.io/service-name=guard',
  );
/** Terminating Pods remain endpoints for a moment. */
export const noEndpoint = (scene: Scene): Promise<void> => waitForNoEndpoint(scene, 'guard');
/**
 * Waits until a call over a new connection fails: kube-proxy needs a second after a change of EndpointSlices.
 */
export const portGone = async (scene: Scene): Promise<void> => {
  await waitFor('the slices to lose the port', async () =>
    (await slicesOf(scene)).every(({ ports }) => (ports ?? []).length === 0),
  );
  await waitFor('a call to fail', async () => {
    await dialAnew(scene);
    return (await tryConfigMap(scene)) !== 'created';
  });
};

/** Waits until the control plane has marked the node as unreachable, a minute after its creation. */
export const nodeGivenUp = async (scene: Scene): Promise<void> => {
  const look = async () => {
    const { conditions = [] } = (await scene.client.get(deserted))?.status ?? {};
    return conditions.some(
      ({ type, status }: Record<string, string>) => type === 'Ready' && status === 'Unknown',
    );
  };
  await waitFor('the node to be given up', look, { timeout: 120_000 });
};
