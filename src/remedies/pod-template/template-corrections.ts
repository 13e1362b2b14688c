import { healthPort, servedPort } from '../../apiserver/sentences/logs/log-lines.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Container, Pod, PodSpec, Probe } from '../../facts/objects/pod.ts';
import type { World } from '../../facts/snapshot.ts';
import { lastEnd } from '../../facts/workloads/container-crash.ts';
import { mountOf, podContext } from '../../facts/workloads/pod-context.ts';
import { logOf } from '../../facts/workloads/pod-logs.ts';
import { probePort, serverSettings } from '../../facts/workloads/pod-ports.ts';
import type { PodState } from '../../facts/workloads/pod-state.ts';
import { isOfPlainHttp, probeTimedOut } from '../../pods/listening.ts';
import { loggedCause } from '../../pods/logged-cause.ts';
import type { FieldChange } from './template-change.ts';

/** The correction of a Pod template that ends the state of a Pod. */
export interface Correction {
  readonly changes: readonly [FieldChange, ...FieldChange[]];
  /** What the template has from then on: `the readiness probe of container webhook uses HTTPS`. */
  readonly result: string;
  /** What may fail, and what the change takes away. */
  readonly warning?: string;
  /** Why it may not help, as a clause. */
  readonly unsure?: string;
}

type Read = World<'configurations' | 'pods' | 'events' | 'nodes' | 'secrets' | 'logs' | 'served'>;

/** A failing Pod, the template that it was made from, and the port of the webhook. */
export interface FailingPod {
  readonly pod: Pod;
  readonly state: PodState;
  readonly spec: PodSpec;
  readonly port: number;
  readonly facts: Read;
}

type Corrector = (failing: FailingPod) => Correction | undefined;

const corrected = (
  result: string,
  changes: readonly FieldChange[],
  more: Pick<Correction, 'warning' | 'unsure'> = {},
): Correction | undefined => {
  const [first, ...others] = changes;
  return first && { result, changes: [first, ...others], ...more };
};

const lists = ['containers', 'initContainers'] as const;

interface PlacedContainer {
  readonly container: Container;
  /** Its path in the spec. */
  readonly at: readonly (string | number)[];
}

const placed = (spec: PodSpec): readonly PlacedContainer[] =>
  lists.flatMap((list) => (spec[list] ?? []).map((container, index) => ({ container, at: [list, index] })));

const kinds = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const;
const handlers = ['httpGet', 'tcpSocket', 'grpc'] as const;
const words = { readinessProbe: 'readiness', livenessProbe: 'liveness', startupProbe: 'startup' } as const;

interface PlacedProbe extends PlacedContainer {
  readonly kind: (typeof kinds)[number];
  readonly probe: Probe;
  readonly handler: (typeof handlers)[number];
  readonly number: number;
}

/** Every probe of the template that calls this port. */
const probesOf = (spec: PodSpec, port: number): readonly PlacedProbe[] =>
  placed(spec).flatMap(({ container, at }) =>
    kinds.flatMap((kind) => {
      const probe = container[kind];
      const handler = handlers.find((one) => probe?.[one] !== undefined);
      const number = probe && probePort(probe, container);
      return probe === undefined || handler === undefined || number !== port
        ? []
        : [{ container, at: [...at, kind], kind, probe, handler, number }];
    }),
  );

/** The latest error of a probe of the Pod, or of one kind: of its state, else of an Event of the kubelet. */
function probeError({ pod, state, facts }: FailingPod, kind = 'Readiness|Liveness|Startup'): string {
  const pattern = new RegExp(`^(?:${kind}) probe (?:failed|errored)`);
  const isOfProbe = (text = ''): boolean => pattern.test(text);
  if (isOfProbe(state.text)) return state.text ?? '';
  return podContext(pod, facts).events.find(({ message }) => isOfProbe(message))?.message ?? '';
}

const kindIn = (error: string): (typeof kinds)[number] | undefined =>
  kinds.find((kind) => error.toLowerCase().startsWith(words[kind]));

/** A probe over HTTP of the port that serves the webhook, which must serve HTTPS. */
const scheme: Corrector = (failing) => {
  const error = probeError(failing);
  const plain = probesOf(failing.spec, failing.port).filter(
    ({ handler, probe }) => handler === 'httpGet' && (probe.httpGet?.scheme ?? 'HTTP') === 'HTTP',
  );
  if (!isOfPlainHttp(error) || !plain.some(({ kind }) => kind === kindIn(error))) return undefined;
  return corrected(
    `the probes of port ${failing.port} use HTTPS`,
    plain.map(({ at }) => ({ at: [...at, 'httpGet', 'scheme'], after: 'HTTPS' })),
  );
};

const closedPort = /dial tcp \S+:(?<port>\d+): connect: connection refused/;

/** The ports that the settings of a container name, and those that it declares. */
const portsOf = (container: Container): ReadonlySet<number> =>
  new Set([
    ...(container.ports ?? []).map(({ containerPort }) => containerPort),
    ...serverSettings(container).map(([, port]) => port),
  ]);

/** A probe of a port on which, by its settings or its log, the container has no server. */
const probedPort: Corrector = (failing) => {
  const error = probeError(failing);
  const port = Number(closedPort.exec(error)?.groups?.port);
  const found = probesOf(failing.spec, port);
  const failed = found.find(({ kind }) => kind === kindIn(error));
  if (failed === undefined) return undefined;
  const { container, probe } = failed;
  const isPlain = probe.httpGet !== undefined && (probe.httpGet.scheme ?? 'HTTP') === 'HTTP';
  // The webhook itself serves HTTPS: a probe over HTTP is for another server.
  const own = new Set([...portsOf(container)].filter((one) => !isPlain || one !== failing.port));
  const log = logOf(failing.pod, container.name, failing.facts);
  const logged = (isPlain ? healthPort(log) : servedPort(log))?.port;
  const [declared, ...others] = own.has(port) ? [] : own;
  const next = logged ?? (others.length === 0 ? declared : undefined);
  if (next === undefined || next === port) return undefined;
  const probes = found.filter((one) => one.container === container);
  // Calls reach no server either.
  const isCalled = !isPlain && port === failing.port;
  const why = isCalled ? `the Service targets port ${port}, too` : 'no log line names that port';
  const doubt = isCalled || logged === undefined ? { unsure: why } : {};
  const name = failed.probe[failed.handler]?.port;
  const named = container.ports?.findIndex((one) => one.name === name) ?? -1;
  // The Service may use the name as well.
  if (named >= 0)
    return corrected(
      `port ${name} of container ${container.name} is ${next} instead of ${port}`,
      [{ at: [...failed.at.slice(0, -1), 'ports', named, 'containerPort'], after: next }],
      doubt,
    );
  return corrected(
    `the probes of container ${container.name} use port ${next} instead of ${port}`,
    probes.map(({ at, handler }) => ({ at: [...at, handler, 'port'], after: next })),
    doubt,
  );
};

/** Exit codes of a program that the kubelet stopped: SIGKILL, SIGTERM, one that handles it, and Go without a handler. */
const stopped: ReadonlySet<number | undefined> = new Set([0, 2, 137, 143]);
const [defaultPeriod, defaultFailures] = [10, 3];
/** Seconds in which the kubelet notices a failure, and the process ends. */
const slack = 40;
/** Seconds that a slow process has from then on. */
const startSeconds = 600;

/** A process that the kubelet stops at the first failures of its liveness or startup probe: it has never been ready. */
const slowStart: Corrector = (failing) => {
  const error = probeError(failing, 'Liveness|Startup');
  // The server responds: another request of the probe would help, not more time.
  if (/statuscode: 4\d\d$/.test(error)) return undefined;
  const failed = kindIn(error);
  // Its port is open, or packets to it are lost.
  if (failed === 'livenessProbe' && probeTimedOut.test(error)) return undefined;
  const { state, spec, port } = failing;
  const status = state.container;
  const end = status && lastEnd(status);
  if (failed === undefined || end?.finishedAt === undefined || !stopped.has(end.exitCode)) return undefined;
  const found = probesOf(spec, port).find(
    ({ kind, container }) => kind === failed && container.name === status?.name,
  );
  if (found === undefined || (failed === 'livenessProbe' && found.container.startupProbe !== undefined))
    return undefined;
  const {
    initialDelaySeconds = 0,
    periodSeconds = defaultPeriod,
    failureThreshold = defaultFailures,
  } = found.probe;
  const ran = secondsSince(end.startedAt, end.finishedAt) ?? Number.POSITIVE_INFINITY;
  if (ran > initialDelaySeconds + failureThreshold * periodSeconds + slack) return undefined;
  const { container, handler, probe } = found;
  const threshold = Math.ceil(startSeconds / periodSeconds);
  if (failed === 'startupProbe' && failureThreshold >= threshold) return undefined;
  const at = [...found.at.slice(0, -1), 'startupProbe'];
  const edit =
    failed === 'startupProbe'
      ? { at: [...at, 'failureThreshold'], after: threshold }
      : { at, after: { [handler]: probe[handler], periodSeconds, failureThreshold: threshold } };
  return corrected(
    `container ${container.name} has up to ${startSeconds / 60} minutes to open port ${port} (startupProbe)`,
    [edit],
    {
      warning: 'It helps a process that starts slowly, not one that never opens the port.',
      unsure: 'the process may never open the port',
    },
  );
};

/** The user of a container: an additional group helps any user. */
const groupOf = (spec: PodSpec, container: Container | undefined): number => {
  const of = [container?.securityContext, spec.securityContext];
  return of.map((one) => one?.runAsGroup ?? one?.runAsUser).find((id) => id !== undefined && id > 0) ?? 1000;
};

/** A program that cannot start, by its log. */
const logged: Corrector = ({ pod, state, spec, facts }) => {
  const found = loggedCause(pod, facts);
  const container = spec.containers.find(({ name }) => name === state.container?.name);
  const volumeOf = (path: string): number => {
    const { volume } = mountOf({ spec }, container?.name, path) ?? {};
    return (spec.volumes ?? []).findIndex(({ name }) => name === volume?.name);
  };
  switch (found?.cause) {
    case 'token':
      return spec.automountServiceAccountToken === true
        ? undefined
        : corrected('the token of the ServiceAccount is mounted', [
            { at: ['automountServiceAccountToken'], after: true },
          ]);
    case 'items': {
      const at = volumeOf(found.what);
      const name = spec.volumes?.[at]?.name;
      return spec.volumes?.[at]?.secret?.items === undefined
        ? undefined
        : corrected(`volume ${name} provides every key of the Secret under its own name`, [
            { at: ['volumes', at, 'secret', 'items'], after: undefined },
          ]);
    }
    case 'unreadable': {
      if (spec.securityContext?.fsGroup !== undefined) return undefined;
      const group = groupOf(spec, container);
      return corrected(`group ${group} can read the files of its volumes (fsGroup)`, [
        { at: ['securityContext', 'fsGroup'], after: group },
      ]);
    }
    default:
      return undefined;
  }
};

/** The only port of the node that the template reserves: a Service does not need it. */
const hostPort: Corrector = ({ state, spec }) => {
  if (!/didn't have free ports/.test(state.text ?? '') || spec.hostNetwork === true) return undefined;
  const [only, ...others] = placed(spec).flatMap(({ container, at }) =>
    (container.ports ?? []).flatMap((port, index) =>
      port.hostPort === undefined ? [] : [{ at: [...at, 'ports', index, 'hostPort'], port: port.hostPort }],
    ),
  );
  if (only === undefined || others.length > 0) return undefined;
  return corrected(
    `its Pods do not use port ${only.port} of the node (hostPort)`,
    [{ at: only.at, after: undefined }],
    {
      warning:
        'Clients that call the port on the address of the node do not reach these Pods: calls through the Service do.',
    },
  );
};

/** The number of the user that images without root conventionally have. */
const nonRoot = 65532;

/** The kubelet, for `runAsNonRoot` (pkg/kubelet/kuberuntime/security_context.go). */
const user: Corrector = ({ state, spec }) => {
  if (!/image will run as root|image has non-numeric user/.test(state.text ?? '')) return undefined;
  const at = placed(spec).find(({ container }) => container.name === state.container?.name);
  return (
    at &&
    corrected(
      `container ${at.container.name} runs as user ${nonRoot}`,
      [{ at: [...at.at, 'securityContext', 'runAsUser'], after: nonRoot }],
      {
        warning: 'A program that needs files of root, or a port below 1024, fails as another user.',
        unsure: 'the program may need root',
      },
    )
  );
};

const defaultScheduler = 'default-scheduler';

/** A scheduler that has made no decision about the Pod. */
const scheduler: Corrector = ({ state, spec: { schedulerName = defaultScheduler } }) =>
  state.reason === 'NoScheduler' && schedulerName !== defaultScheduler
    ? corrected(
        `Pods use scheduler ${defaultScheduler} instead of ${schedulerName}`,
        [{ at: ['schedulerName'], after: defaultScheduler }],
        { warning: `What only ${schedulerName} considers (quotas, groups of Pods) does not apply to them.` },
      )
    : undefined;

/** The corrections for the findings of each check, the most certain first. */
export const correctors: Readonly<Record<string, readonly Corrector[]>> = {
  'replica-readiness-failing': [scheme, probedPort],
  'replica-crash-looping': [scheme, probedPort, slowStart],
  'replica-init-stuck': [probedPort],
  'replica-unschedulable': [scheduler],
  'process-cannot-start': [logged],
  'host-network-port-conflict': [hostPort],
  'replica-config-error': [user],
};
