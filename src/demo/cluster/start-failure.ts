import type { Container, ContainerStatus, PodSpec } from '../../facts/objects/pod.ts';
import {
  containerStatus,
  type DemoEvent,
  type DemoPodState,
  placedPod,
  runningState,
  type Surroundings,
  warning,
  withoutAddress,
} from './pod-status.ts';

/** The kubelet's message about a mounted volume whose source does not exist: the Pod gets no sandbox. */
function missingVolume(spec: PodSpec, around: Surroundings): string | undefined {
  const mounted = new Set(
    [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
      ({ volumeMounts }) => volumeMounts?.map(({ name }) => name) ?? [],
    ),
  );
  for (const { name, secret, configMap } of spec.volumes ?? []) {
    if (!mounted.has(name)) continue;
    const says = (kind: string, source: string) =>
      `MountVolume.SetUp failed for volume "${name}" : ${kind} "${source}" not found`;
    if (secret?.secretName !== undefined && !secret.optional && !around.hasSecret(secret.secretName))
      return says('secret', secret.secretName);
    if (configMap?.name !== undefined && !configMap.optional && !around.hasConfigMap(configMap.name))
      return says('configmap', configMap.name);
  }
  return undefined;
}

interface EnvSource {
  readonly configMapRef?: { readonly name: string };
  readonly secretRef?: { readonly name: string };
}

function missingEnvironment(container: Container, around: Surroundings): string | undefined {
  for (const source of (container.envFrom ?? []) as readonly EnvSource[]) {
    const { configMapRef, secretRef } = source;
    if (configMapRef && !around.hasConfigMap(configMapRef.name))
      return `configmap "${configMapRef.name}" not found`;
    if (secretRef && !around.hasSecret(secretRef.name)) return `secret "${secretRef.name}" not found`;
  }
  return undefined;
}

/** Images from this host do not exist. */
const unknownImage = (container: Container): boolean => /^[^/]*\.invalid\//.test(container.image ?? '');

/**
 * The state of a Pod whose containers cannot be created: missing sources of volumes or environment, missing
 * images. Undefined: they can.
 */
export function startFailure(spec: PodSpec, around: Surroundings): DemoPodState | undefined {
  const volume = missingVolume(spec, around);
  if (volume !== undefined) {
    const status = placedPod(
      spec,
      around,
      spec.containers.map((container) => containerStatus(container)),
    );
    return { status: withoutAddress(status), events: [warning('FailedMount', volume, 12)], logs: {} };
  }
  const events: DemoEvent[] = [];
  const statuses = spec.containers.map((container): ContainerStatus => {
    const environment = missingEnvironment(container, around);
    if (environment !== undefined) {
      events.push(warning('Failed', `Error: ${environment}`, 12));
      return containerStatus(container, {
        state: { waiting: { reason: 'CreateContainerConfigError', message: environment } },
      });
    }
    if (!unknownImage(container))
      return containerStatus(container, { ready: true, started: true, state: runningState });
    const lookup = `dial tcp: lookup ${container.image?.split('/')[0]}: no such host`;
    events.push(
      warning(
        'Failed',
        `Failed to pull image "${container.image}": failed to resolve reference: ${lookup}`,
        4,
      ),
      warning('Failed', 'Error: ImagePullBackOff', 20),
    );
    const message = `Back-off pulling image "${container.image}"`;
    return containerStatus(container, { state: { waiting: { reason: 'ImagePullBackOff', message } } });
  });
  return events.length === 0 ? undefined : { status: placedPod(spec, around, statuses), events, logs: {} };
}
