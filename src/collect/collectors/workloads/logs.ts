import { proxiedPortOf } from '../../../apiserver/routing/route.ts';
import {
  healthPort,
  lastLogLines,
  panicFrame,
  registeredHandler,
  relevantLogLines,
  servedPort,
  skippedHandler,
  skippedPart,
  throttledRequest,
} from '../../../apiserver/sentences/logs/log-lines.ts';
import { defined, groupBy } from '../../../basics/collections.ts';
import { type Callout, serviceKeys } from '../../../facts/callout.ts';
import { isMetricsApi } from '../../../facts/metrics-api.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { ContainerStatus, Pod } from '../../../facts/objects/pod.ts';
import { podLogs, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import {
  containerStatuses,
  initStatuses,
  lastingStatuses,
} from '../../../facts/workloads/container-crash.ts';
import { probePort } from '../../../facts/workloads/pod-ports.ts';
import { isRead, type Reading } from '../../attempts.ts';
import { type Access, defineCollector, eachKey } from '../../collector.ts';
import { brokenBackends, brokenFacts } from '../../suspect-backends.ts';
import { crashedContainer, failedWriterPods } from '../../suspect-pods.ts';

/**
 * If the runtime has removed the container or its log file, the kubelet returns 200 with this text in place
 * of the log (observed on a 1.35.4 kubelet; kuberuntime_container.go GetContainerLogs, kuberuntime/logs).
 */
const isKubeletError = (text: string): boolean =>
  /^(unable to retrieve container logs for \S+|failed to try resolving symlinks in path .*)$/.test(
    text.trim(),
  );

/**
 * The number of lines to keep: lines that explain a failure, and the last lines of a crashed container, which
 * follow a stack trace.
 */
const mostLines = 5;
const mostLast = 10;
/** The number of last lines of a running container that is not Ready: they show what it waits for. */
const mostOfWaiting = 3;

/** The number of running containers whose logs are read, one per backend: more than the summary shows. */
const mostRunning = 3;

/** The number of failed writers whose logs are read: the two Jobs of a chart, and a CA injector. */
const mostWriters = 3;

/**
 * The running container that is not Ready, which may be a sidecar or another init container; if the Pod is Ready,
 * the one that declares a called port, else the one whose log kubectl shows.
 *
 * @param called undefined: only if the Pod is not Ready.
 */
function runningContainer(pod: Pod, called: ReadonlySet<number> | undefined): string | undefined {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const unready = containerStatuses(pod).find(({ ready, state }) => !ready && state?.running !== undefined);
  if (unready !== undefined || called === undefined || status.phase !== 'Running') return unready?.name;
  const serving = spec.containers.find(({ ports }) =>
    ports?.some(({ containerPort }) => called.has(containerPort)),
  );
  const shown = metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  return serving?.name ?? shown ?? spec.containers[0]?.name;
}

/** A crashed container that does not run now: its log has the newest reason. */
function downContainer(pod: Pod): string | undefined {
  const name = crashedContainer(pod);
  return lastingStatuses(pod).some((one) => one.name === name && one.state?.running !== undefined)
    ? undefined
    : name;
}

/** Seconds before a Pod became unready in which its log may have the reason. */
const secondsBefore = 60;

/**
 * The time before which no line of a running container explains the failure: when its readiness probe, which
 * calls a port of these, succeeded. Undefined: the failure may be as old as the container.
 */
function healthyAt({ spec, status }: Pod, name: string, ports: ReadonlySet<number>): string | undefined {
  const container = spec.containers.find((one) => one.name === name);
  const probed = container?.readinessProbe && probePort(container.readinessProbe, container);
  if (probed === undefined || !ports.has(probed)) return undefined;
  const { status: isReady, lastTransitionTime } =
    status.conditions?.find(({ type }) => type === 'Ready') ?? {};
  const { startedAt } = status.containerStatuses?.find((one) => one.name === name)?.state?.running ?? {};
  if (lastTransitionTime === undefined || startedAt === undefined) return undefined;
  if (isReady === 'True') return lastTransitionTime;
  const before = Date.parse(lastTransitionTime) - secondsBefore * 1000;
  return before > Date.parse(startedAt) ? new Date(before).toISOString() : undefined;
}

/** A Pod, and the Services that select it. */
interface SelectedPod {
  readonly pod: Pod;
  readonly of: readonly string[];
}

/** The Pods of all Services, by `namespace/name`. */
function podsByName(pods: Facts['pods']): ReadonlyMap<string, SelectedPod> {
  const found = new Map<string, SelectedPod>();
  for (const [service, all] of pods.entries())
    for (const pod of all) {
      const key = keyOf(pod.metadata);
      found.set(key, { pod, of: [...(found.get(key)?.of ?? []), service] });
    }
  return found;
}

/** The ports of a Pod that webhooks call through the Services that select it. */
function calledPorts(
  { pod, of }: SelectedPod,
  facts: Pick<Facts, 'services'>,
  chosen: readonly Callout[],
): ReadonlySet<number> {
  const declared = pod.spec.containers.flatMap(({ ports = [] }) => ports);
  return new Set(
    chosen.flatMap(({ client: { service: reference } }) => {
      if (reference === undefined || !of.includes(keyOf(reference))) return [];
      const service = facts.services.getIfKnown(keyOf(reference));
      const port = service && proxiedPortOf(service, reference.port);
      const target = port?.targetPort ?? port?.port;
      if (typeof target === 'number') return [target];
      return declared.flatMap(({ name, containerPort }) => (name === target ? [containerPort] : []));
    }),
  );
}

/** A container whose log is read. */
interface LoggedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly name: string;
  readonly hasCrashed: boolean;
  /** Only of a crashed one. */
  readonly status: ContainerStatus | undefined;
  /** The Pod of one that has not crashed. */
  readonly running: Pod | undefined;
  /** Lines before this time explain nothing. */
  readonly sinceTime: string | undefined;
}

/** Reads the log of the instance of a container that failed: the previous or the current one. */
async function readLog(
  access: Pick<Access, 'text'>,
  { namespace, pod, name, hasCrashed, status, sinceTime }: LoggedContainer,
): Promise<Reading<string>> {
  const read = (previous: boolean) =>
    access.text(podLogs, pod, {
      namespace,
      query: {
        container: name,
        ...(previous ? { previous } : {}),
        ...defined({ sinceTime }),
        // A stack trace or a long usage text may follow the reason. If the limit of bytes is exceeded, the
        // last lines are missing.
        tailLines: hasCrashed ? 500 : 200,
        limitBytes: hasCrashed ? 262_144 : 65_536,
      },
    });
  // If the container is terminated, `previous` would select an older instance, whose log may no longer
  // exist (kubelet_pods.go validateContainerLogStatus).
  const previous = status?.state?.terminated === undefined;
  const first = await read(hasCrashed && previous);
  if (!isRead(first) || !hasCrashed) return first;
  // Since its Pod was read, the container may have ended, and its older instance is removed; or it may have started again.
  const restarts = status?.restartCount ?? 0;
  const isOther = previous ? isKubeletError(first.value) : restarts > 0 && first.value.trim() === '';
  return isOther ? read(!previous) : first;
}

/** The lines of a log that explain a failure, name ports or show a wait, and its last ones, in their order. */
function keptLines(log: string, { name, hasCrashed, running }: LoggedContainer): string {
  const relevant = relevantLogLines(log, mostLines);
  const isInit = running !== undefined && initStatuses(running).some((one) => one.name === name);
  const waits = running?.status.containerStatuses?.some((one) => one.name === name && !one.ready);
  const ofRunning = waits ? mostOfWaiting : undefined;
  const most = hasCrashed || isInit ? mostLast : ofRunning;
  const last = most === undefined ? [] : lastLogLines(log, most);
  const served = [
    servedPort,
    healthPort,
    panicFrame,
    skippedHandler,
    skippedPart,
    registeredHandler,
    throttledRequest,
  ].flatMap((find) => find(log)?.line ?? []);
  // A line of both keeps its place at the end.
  const kept = new Set([relevant, served, last].flat().toReversed());
  return [...kept].toReversed().join('\n');
}

/**
 * Collects log lines of containers of backends that do not serve requests, by `namespace/pod/container`, one
 * container per backend: the lines that explain a failure, and the last lines of one that crashed or is not Ready.
 */
export const logs = defineCollector({
  fact: 'logs',
  needs: ['pods', 'namespacePods', ...brokenFacts],
  permissions: [
    toRead(podLogs, ['get'], 'backends', 'the log of a container that crashes or does not serve'),
  ],
  atMost: 10,
  otherwise: 'the log of a container that serves',
  wants(facts, readOptions) {
    const metered = readOptions.examineAll ? readOptions.chosen.filter(isMetricsApi) : [];
    const silent = new Set([
      ...brokenBackends(facts, readOptions).flatMap(({ key, failedProbe, distrusted, serves }) =>
        failedProbe && !(distrusted && serves) ? [key] : [],
      ),
      // They report there why autoscalers get no metrics.
      ...serviceKeys(metered),
    ]);
    const keyIn = (pods: readonly Pod[], containerOf: (pod: Pod) => string | undefined): string | undefined =>
      pods
        .map((pod) => [pod, containerOf(pod)] as const)
        .flatMap(([{ metadata }, name]) => (name === undefined ? [] : [`${keyOf(metadata)}/${name}`]))[0];
    const calledBy = groupBy(readOptions.chosen, ({ client: { service } }) => service && keyOf(service));
    const backends = [...facts.pods.entries()].map(([key, all]) => {
      // A Pod that was evicted has no log.
      const pods = all.filter(({ status }) => status.phase !== 'Failed');
      return {
        crashed: keyIn(pods, downContainer) ?? keyIn(pods, crashedContainer),
        unready: keyIn(pods, (pod) => runningContainer(pod, undefined)),
        quiet: keyIn(pods, (pod) =>
          runningContainer(
            pod,
            silent.has(key) ? calledPorts({ pod, of: [key] }, facts, calledBy.get(key) ?? []) : undefined,
          ),
        ),
      };
    });
    const running = backends.filter(({ crashed }) => crashed === undefined);
    // Ready Pods may only have denied a test object.
    const quiet = [
      ...running.flatMap(({ unready = [] }) => unready),
      ...running.flatMap(({ unready, quiet: ready = [] }) => (unready === undefined ? ready : [])),
    ];
    return new Set([
      ...backends.flatMap(({ crashed }) => crashed ?? []),
      ...failedWriterPods(facts)
        .slice(0, mostWriters)
        .flatMap((pod) => keyIn([pod], crashedContainer) ?? []),
      ...(readOptions.examineAll ? quiet : quiet.slice(0, mostRunning)),
    ]);
  },
  read(access, keys, { pods, namespacePods, services }, readOptions) {
    const crashed = new Map(
      [...pods.all().flat(), ...failedWriterPods({ namespacePods })].map((pod) => {
        const name = crashedContainer(pod);
        return [`${keyOf(pod.metadata)}/${name}`, containerStatuses(pod).find((one) => one.name === name)];
      }),
    );
    const known = podsByName(pods);
    return eachKey(keys, async (key) => {
      const [namespace = '', pod = '', name = ''] = key.split('/');
      const running = crashed.has(key) ? undefined : known.get(`${namespace}/${pod}`);
      const ports = running && calledPorts(running, { services }, readOptions.chosen);
      const container: LoggedContainer = {
        namespace,
        pod,
        name,
        status: crashed.get(key),
        hasCrashed: crashed.has(key),
        running: running?.pod,
        sinceTime: running && ports && healthyAt(running.pod, name, ports),
      };
      const reading = await readLog(access, container);
      if (!isRead(reading)) return reading;
      return { value: isKubeletError(reading.value) ? '' : keptLines(reading.value, container) };
    });
  },
});
