import { closedApi } from '../../../apiserver/aggregation/closed-api.ts';
import { refusesCreation } from '../../../apiserver/deadlock/refused-creation.ts';
import type { Backend } from '../../../apiserver/routing/backends.ts';
import { namedWebhook } from '../../../apiserver/sentences/call-error/named-webhook.ts';
import {
  cleanLines,
  exitReason,
  isHandled,
  panicFrame,
  relevantLogLines,
} from '../../../apiserver/sentences/logs/log-lines.ts';
import { lostLease } from '../../../apiserver/sentences/logs/lost-lease.ts';
import { failsOpen, isAdmission } from '../../../facts/callout.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import { keyOf, refText } from '../../../facts/object-ref.ts';
import type { Event } from '../../../facts/objects/event.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastEnd, lastingContainers } from '../../../facts/workloads/container-crash.ts';
import { configMapOfVariables, configurationFile } from '../../../facts/workloads/pod-context.ts';
import { logOf } from '../../../facts/workloads/pod-logs.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { listed } from '../../../phrases/lists.ts';
import { type BadReplicas, inState, type PodWithState, podEvidence } from '../../../pods/bad-replicas.ts';
import { leaseOfSurvivor, onlyTheLeader } from '../../../pods/leadership.ts';
import { probedElsewhere, probeTimedOut, sharedPort } from '../../../pods/listening.ts';
import {
  isSignalled,
  type KilledBy,
  killEvent,
  probeOf,
  secondsToFail,
  stoppedBy,
} from '../../../pods/stopped-by-kubelet.ts';
import { type Finding, latent, type Messages, partial } from '../../check.ts';
import { badPodsCheck, type ReportBadPods } from '../bad-pods-check.ts';
import { missingVolume } from '../pod-start/replica-volume-missing.ts';

/** A status by which a server refuses the request of a probe: it has started. */
const wrongRequest = /statuscode: (?<status>4\d\d)$/;

/** The API server's NotFound error for a workload (apimachinery NewNotFound), often its own under a name that it expects. */
const missingWorkload =
  /\b(?:deployment|statefulset|daemonset)s?(?:\.(?:apps|extensions))? \\*"[^"\\]+\\*" not found/;

/** The error of client-go if a group cannot be discovered (discovery_client.go ErrGroupDiscoveryFailed). */
const discovery =
  /((?:unable to retrieve|failed to get) the complete list of server APIs: \S+: .*?)["\\]*\}?$/;

/** An API that the last lines of a crashed container's log report as unavailable, and its APIService. */
function unavailableApi(
  pod: Pod,
  container: string,
  facts: Pick<Facts, 'logs' | 'callouts'>,
): { readonly api: string; readonly detail: string } | undefined {
  for (const line of relevantLogLines(logOf(pod, container, facts), 2)) {
    const [, detail = ''] = discovery.exec(line) ?? [];
    const groupVersions: readonly string[] = detail.match(/[\w.-]+\/v\w+(?=: )/g) ?? [];
    const closed = facts.callouts.find(
      (callout) =>
        callout.kind === 'aggregated-api' &&
        closedApi(callout) !== undefined &&
        groupVersions.includes(`${callout.group}/${callout.version}`),
    );
    if (closed !== undefined) return { api: closed.configuration, detail };
  }
  return undefined;
}

/** A webhook of the same Service that rejects requests while these Pods are down: the error for which they exit. */
const ownWebhook = (line: string, { key }: Backend, { callouts }: Pick<Facts, 'callouts'>) =>
  namedWebhook(
    line,
    callouts
      .filter(isAdmission)
      .filter((one) => !failsOpen(one) && one.client.service && keyOf(one.client.service) === key),
  );

/**
 * A runtime error of the program, its place, and the error that the program logged before it: many continue after an error,
 * and use what they did not get.
 */
function panicOf(log: string) {
  const { place, error, before = '' } = panicFrame(log) ?? {};
  if (place === undefined || error === undefined) return undefined;
  const earlier = exitReason(before);
  const panic = { place, detail: brief(error) };
  return { panic, earlier: earlier === undefined || isHandled(earlier) ? undefined : earlier };
}

/** How the crashed container ended, and how often. */
function endOf({ state: { container, reason } }: PodWithState) {
  const end = container && lastEnd(container);
  return {
    container: container?.name ?? '',
    code: end?.exitCode ?? '?',
    reason: end?.reason ?? reason ?? 'no reason given',
    restarts: container?.restartCount ?? 0,
  };
}

const podsOf = ({ each }: BadReplicas): readonly Pod[] => each.map(({ pod }) => pod);

/** The Pod to report: the log of one of the crashing Pods was read. */
const crashOf = ({ each, first }: BadReplicas, { logs }: Pick<Facts, 'logs'>): PodWithState =>
  each.find(
    ({ pod, state }) => logs.getIfKnown(`${keyOf(pod.metadata)}/${state.container?.name}`) !== undefined,
  ) ?? first;

const eventEvidence = (pod: Pod, event: Event | undefined): readonly Evidence[] =>
  event?.message === undefined ? [] : [{ object: refOfPod(pod), field: 'events', value: event.message }];

const changePort =
  '[template] Change one of the two ports: `kubectl -n {namespace} edit {probed}`. [end] If this is the port of the webhook, change `targetPort` of the Service as well: `kubectl -n {namespace} edit service {service}`.';

/** The steps to find out who sends a signal. */
const findSender =
  '[look] Find out who sends the signal. [look] Wait for the next restart: `kubectl -n {namespace} get events --watch --field-selector involvedObject.name={pod}`. [template] If the kubelet reports a failed probe, correct its port, path or `timeoutSeconds`, or add a `startupProbe`: `kubectl -n {namespace} edit {probed}`. [look] If the kubelet reports no failed probe, compare memory usage and limit: `kubectl -n {metered} top pod`. [see] The log of the container: `kubectl -n {namespace} logs {pod} -c {container} --previous`.';

const loggedText =
  'Container {container} is crash-looping in {pods}: {detail} (exit code {code}, restart count {restarts})';

/** What can use the port of a container in its Pod. */
function holderText(pod: Pod, container: string): string {
  const others = lastingContainers(pod).flatMap(({ name }) =>
    name === container ? [] : [`container ${name}`],
  );
  return listed([...others, 'another server of its process'], { word: 'or' });
}

const advice =
  '[look] Read the log of the container that exited: `kubectl -n {namespace} logs {pod} -c {container} --previous`. [end] If the crashes began with a new version, undo the rollout: `kubectl -n {namespace} rollout undo {revised}`.';

const messages = {
  all: 'Container {container} is crash-looping in {pods}: exit code {code} ({reason}), restart count {restarts}',
  unseen: {
    text: 'The node or container runtime of {pods} has restarted without a record of how container {container} exited (exit code {code}, {reason}), restart count {restarts}',
    advice:
      '[look] Read why the node or its container runtime restarts: `kubectl describe node {node}`. [end] When the node runs again, the kubelet starts the container.',
  },
  absent: {
    text: loggedText,
    advice:
      '[end] Create the missing object as the manifests of this release declare it: run `helm upgrade`, or apply the manifests again. [template] If the object has another name (`kubectl -n {namespace} get configmaps,secrets`), correct the argument or variable that names it: `kubectl -n {namespace} edit {probed}`. [end] If the crashes began with a new version, undo the rollout: `kubectl -n {namespace} rollout undo {revised}`.',
  },
  absentWorkload: {
    text: loggedText,
    advice:
      '[template] If the workload in the error has another name here (`kubectl -n {namespace} get deployments,statefulsets,daemonsets`), correct the argument or variable that names it: `kubectl -n {namespace} edit {probed}`. [end] If the program expects this name, install the program with the names of its manifests. [end] If the workload was deleted, create it again: run `helm upgrade`, or apply the manifests.',
  },
  absentBlocked: {
    text: 'Container {container} is crash-looping in {pods} (restart count {restarts}): {what} is missing, and {webhook}, which they serve, refuses its creation',
    advice:
      '[end] Let the webhook fail open: `kubectl webhook failopen {configuration} --for 30m`. [end] Create the object as the manifests of this release declare it: run `helm upgrade`, or apply the manifests again. [end] If the configuration remained from an earlier installation, delete it instead: `kubectl delete {kind} {configuration}`. [prevent] To prevent this deadlock, exclude this namespace by `namespaceSelector`.',
  },
  allLogged: {
    text: loggedText,
    advice:
      '[end] Fix the error that the log reports. [template] If an argument or a variable of the Pod template is wrong, correct it: `kubectl -n {namespace} edit {probed}`. [end] If a variable from the ConfigMap is wrong, correct it there: `kubectl -n {namespace} edit {variables}`. [end] If the crashes began with a new version, undo the rollout: `kubectl -n {namespace} rollout undo {revised}`.',
  },
  ended: {
    text: 'Container {container} in {pods} ends with exit code 0 instead of serving (restart count {restarts})',
    advice:
      '[template] Correct `command` and `args`, which may start another program, or print only a help text: `kubectl -n {namespace} edit {probed}`. [see] The log of the container: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  mounted: {
    text: 'Container {container}, which mounts {holder}, is crash-looping in {pods}: {detail} (exit code {code}, restart count {restarts})',
    advice:
      '[end] Correct the file: `kubectl -n {namespace} edit {mounted}`. [with] If a chart or repository declares the file, correct it there. [with] The container reads the file at its next restart.',
  },
  panicked: {
    text: 'Container {container} is crash-looping in {pods}: its program panics at {place}: {detail} (exit code {code}, restart count {restarts})',
    advice:
      '[end] Use a version of the program without this error. [end] If the crashes began with a new version, undo the rollout: `kubectl -n {namespace} rollout undo {revised}`. [end] If certain objects cause it, exclude them by `objectSelector` or `matchConditions` until then: `kubectl edit {kind} {configuration}`. [see] The stack trace for its developers: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  sharedPort: {
    text: 'Container {container} is crash-looping in {pods}: {users} use the same port {port}',
    advice: changePort,
  },
  portInPod: {
    text: 'Container {container} is crash-looping in {pods}: in this Pod, port {port} is already used by {holder}',
    advice: changePort,
  },
  api: {
    text: 'Container {container} is crash-looping in {pods}, because APIService {api} is not Available: {detail}',
    advice: 'Fix that APIService first: `kubectl webhook doctor {api}`.',
  },
  lostLease: {
    text: 'Container {container} is crash-looping in {pods}: it lost Lease {lease}, because the API server did not respond in time',
    advice:
      '[look] Check the API server and its etcd: `kubectl get --raw "/readyz?verbose"`. [look] If other programs lose their Leases too, the API server or etcd is overloaded, or a webhook delays writes of Leases: `kubectl webhook doctor`. [look] Otherwise check the network plugin on the node: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`.',
  },
  writesThrough: {
    text: 'Container {container} is crash-looping in {pods}: at startup it writes objects that its own webhook {webhook} intercepts',
    advice:
      '[end] Fail open until a Pod is Ready: `kubectl webhook failopen {blocker} --for 30m`. [prevent] To prevent this deadlock, exclude these objects or their namespace in the webhook, or use a version of the program that serves before it writes them.',
  },
  kubelet: {
    text: 'The kubelet restarts container {container} in {pods}: {detail} (restart count {restarts})',
    advice:
      '[template] Compare port, scheme and path of the probe with those of the server: `kubectl -n {namespace} edit {probed}`. [end] If the process is slow, add a `startupProbe`, or raise `timeoutSeconds` or the CPU limit. [look] Read the log of the container: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  signalled: {
    text: 'A signal ends container {container} in {pods} (exit code {code}, restart count {restarts}): the kubelet sends one if a liveness probe fails',
    advice: findSender,
  },
  signalledAfter: {
    text: 'A signal ends container {container} in {pods} (exit code {code}, restart count {restarts}); the last error in its log: {detail}',
    advice: `[end] Fix the error, if it keeps the program from a response to its liveness probe. ${findSender}`,
  },
  noResponse: {
    text: 'The kubelet restarts container {container} in {pods}: its liveness probe gets no response within {timeout} s (restart count {restarts})',
    advice:
      '[end] If the process starts slowly, add a `startupProbe`. [template] If the process is busy, raise `timeoutSeconds` of the probe or the CPU limit: `kubectl -n {namespace} edit {probed}`. [look] If the process is idle, packets from the node to the Pod are lost: check the network plugin there: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`. [see] The CPU usage of the Pod: `kubectl -n {metered} top pod`. [see] The log of the container: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  startup: {
    text: 'Container {container} in {pods} does not start in the {budget} s of its startupProbe, and the kubelet restarts it: {detail} (restart count {restarts})',
    advice:
      '[template] If the process starts slowly, raise `failureThreshold` of its `startupProbe`: `kubectl -n {namespace} edit {probed}`. [end] Otherwise correct port, scheme and path of the probe. [look] Read the log: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  refusedProbe: {
    text: 'The {probe} probe of container {container} in {pods} gets HTTP {status} for the path {path}, and the kubelet restarts the container (restart count {restarts})',
    advice:
      '[template] The server responds: correct path, scheme and port of the probe: `kubectl -n {namespace} edit {probed}`. [see] The log of the container: `kubectl -n {namespace} logs {pod} -c {container} --previous`.',
  },
  hook: {
    text: 'The kubelet stops container {container} in {pods}, because its postStart hook fails (restart count {restarts})',
    advice:
      '[template] Correct or remove the hook: `kubectl -n {namespace} edit {probed}`. [see] The events of the Pod contain its error: `kubectl -n {namespace} describe pod {pod}`.',
  },
  elsewhere: {
    text: 'The kubelet restarts container {container} in {pods}: the liveness probe tries port {port}, and according to its log, the server listens on port {served}',
    advice:
      '[template] Make the port of the server, `containerPort`, and the port of the probe the same: `kubectl -n {namespace} edit {probed}`.',
  },
  reachable: partial(
    'Container {container} exits with code {code} ({reason}) in {pods}, restart count {restarts}; it still receives requests between two crashes',
  ),
  followers: latent(
    'Container {container} crashes in {pods}, not in the leader (Lease {lease}): {detail}; scale to one replica until fixed',
    onlyTheLeader,
  ),
  logged: latent('Container {container} is crash-looping in {pods}: {detail}; other Pods serve requests'),
  some: latent(
    'Container {container} is crash-looping in {pods}: exit code {code} ({reason}), restart count {restarts}; other Pods serve requests',
  ),
} as const satisfies Messages;

type LogFacts = Pick<Facts, 'callouts' | 'version' | 'namespaces' | 'served'>;
type Report = ReportBadPods<typeof messages, typeof advice>;

/** A crashed container, how it ended, and its log. */
interface Crash extends PodWithState {
  readonly end: ReturnType<typeof endOf>;
  readonly log: string;
}

/** Reports the probe or hook for which the kubelet stopped a container. */
function byProbe(
  { pod, state, end: { container, restarts }, log }: Crash,
  { reason, message }: KilledBy,
  report: Report,
): Finding {
  if (reason === 'FailedPostStartHook') return report('hook', { container, restarts });
  const ports = probedElsewhere(message, log);
  if (ports !== undefined) return report('elsewhere', { container, ...ports });
  const stop = { container, restarts, detail: brief(message) };
  const probe = state.container && probeOf(pod, state.container, { message });
  if (probe === undefined) return report('kubelet', stop);
  const isStartup = message.startsWith('Startup');
  const { status } = wrongRequest.exec(message)?.groups ?? {};
  if (status !== undefined) {
    const asked = { probe: isStartup ? 'startup' : 'liveness', path: probe.httpGet?.path ?? '/' };
    return report('refusedProbe', { ...asked, container, restarts, status });
  }
  if (isStartup) return report('startup', { ...stop, budget: secondsToFail(probe) });
  // The kubelet runs an exec probe in the container, and a gRPC probe reports its own errors.
  return (probe.httpGet ?? probe.tcpSocket) !== undefined && probeTimedOut.test(message)
    ? report('noResponse', { container, restarts, timeout: probe.timeoutSeconds ?? 1 })
    : report('kubelet', stop);
}

/** Reports a crash in some of the Pods, while others are Ready or receive requests between two crashes. */
function inSomePods(
  bad: BadReplicas & { readonly backend: Backend },
  crash: Crash,
  {
    killed,
    logged,
    facts,
  }: {
    readonly killed: KilledBy | undefined;
    readonly logged: string | undefined;
    readonly facts: Pick<Facts, 'leases' | 'pods'>;
  },
  report: Report,
): Finding {
  const { container, code, restarts } = crash.end;
  if (bad.extent === 'reachable') return report('reachable', crash.end);
  const lease = leaseOfSurvivor(podsOf(bad), bad.backend, facts);
  const ended = `exit code ${code}, restart count ${restarts}`;
  if (lease !== undefined) return report('followers', { container, lease, detail: logged ?? ended });
  const detail = logged ?? (killed && brief(killed.message));
  return detail === undefined ? report('some', crash.end) : report('logged', { container, detail });
}

/** Errors with which a program stops after a signal: they are not why it was sent. */
const ofShutdown =
  /context canceled|Server closed|stop sequence|shut(?:ting)? ?down|SIGTERM|signal: terminated|graceful|leader ?election lost/i;

const beforeShutdown = (log: string): string =>
  cleanLines(log)
    .filter((line) => !ofShutdown.test(line))
    .join('\n');

/** What the log of a crashed container says last: `line` is the error, `detail` its text with a panic that followed. */
function lastWords(log: string) {
  const { panic, earlier } = panicOf(log) ?? {};
  const line = earlier ?? exitReason(log);
  if (line === undefined) return undefined;
  const detail = earlier && panic ? `${brief(line)}, then ${panic.detail}` : brief(line);
  return { line, detail, panic: earlier === undefined ? panic : undefined };
}

/** Reports a crash of all Pods by the error in the log. */
function byLog(
  { backend }: { readonly backend: Backend },
  { pod, end, log }: Crash,
  { line, detail, panic }: NonNullable<ReturnType<typeof lastWords>>,
  { facts, report }: { readonly facts: LogFacts; readonly report: Report },
): Finding {
  const { container, restarts, code } = end;
  const lease = lostLease(log);
  if (lease !== undefined) return report('lostLease', { container, lease }, { node: pod.spec.nodeName });
  if (panic !== undefined) return report('panicked', { container, code, restarts, ...panic });
  const own = ownWebhook(line, backend, facts);
  if (own !== undefined)
    return report('writesThrough', { container, webhook: own.webhook }, { blocker: own.configuration });
  const shared = sharedPort(pod, line);
  if (shared !== undefined) return ofPort(pod, container, shared, report);
  const absent = missingVolume(line, backend.namespace);
  if (absent !== undefined && refusesCreation(backend.callout, absent, facts)) {
    const data = { container, restarts, what: refText(absent), webhook: backend.callout.webhook };
    return report('absentBlocked', data);
  }
  if (absent !== undefined) return report('absent', { ...end, detail });
  if (missingWorkload.test(line)) return report('absentWorkload', { ...end, detail });
  const file = configurationFile(pod, container, line)?.configMap;
  if (file !== undefined) {
    const holder = refText({ kind: 'ConfigMap', namespace: backend.namespace, name: file });
    return report('mounted', { ...end, detail, holder }, { mounted: `configmap/${file}` });
  }
  const variables = configMapOfVariables(pod, container);
  return report('allLogged', { ...end, detail }, { variables: variables && `configmap/${variables}` });
}

/** Reports a port that the program cannot use, because another server has it. */
const ofPort = (
  pod: Pod,
  container: string,
  { port, users }: NonNullable<ReturnType<typeof sharedPort>>,
  report: Report,
): Finding =>
  users === undefined
    ? report('portInPod', { container, port, holder: holderText(pod, container) })
    : report('sharedPort', { container, port, users });

export const replicaCrashLooping = badPodsCheck({
  id: 'replica-crash-looping',
  title: 'Container is crash-looping',
  why: 'The container exits and the kubelet restarts it with a growing back-off delay; between the restarts, nothing listens on its port. The kubelet also restarts a healthy process when its liveness probe, startup probe or postStart hook fails. The port, scheme or path is wrong, or the timeout is too short.',
  advice,
  messages,
  follows: [
    'pods-cannot-reach-api-server',
    'process-cannot-start',
    'serving-secret-mismatched-key',
    'serving-secret-incomplete',
    'serving-secret-missing',
    'bootstrap-deadlock',
    'conversion-deadlock',
    'service-account-lacks-rights',
    'host-network-port-conflict',
  ],
  references: [
    '/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts',
    '/docs/concepts/workloads/pods/probes/#liveness-probe',
  ],
  alsoRequires: ['leases', 'logs', 'version', 'namespaces', 'served'],
  isBad: inState('crash-looping'),
  // If a probe or hook stops a healthy program, only the Event shows it.
  about(bad, facts) {
    const { pod } = crashOf(bad, facts);
    return { evidence: [...podEvidence(bad.each), ...eventEvidence(pod, killEvent(pod, facts))] };
  },
  run(bad, facts, report) {
    const { pod, state } = crashOf(bad, facts);
    const end = endOf({ pod, state });
    const { container, restarts, code } = end;
    const crash: Crash = { pod, state, end, log: logOf(pod, container, facts) };
    const killed = stoppedBy(crash, facts);
    const words = lastWords(isSignalled(crash) ? beforeShutdown(crash.log) : crash.log);
    if (bad.extent !== 'all') return inSomePods(bad, crash, { killed, logged: words?.detail, facts }, report);
    if (killed !== undefined) return byProbe(crash, killed, report);
    // containerd's status of a container whose task no longer exists when it starts again (internal/cri restart.go).
    if (code === 255 && end.reason === 'Unknown') return report('unseen', end, { node: pod.spec.nodeName });
    const needed = unavailableApi(pod, container, facts);
    if (needed !== undefined)
      return report('api', { container, ...needed }, { api: `apiservice/${needed.api}` });
    if (isSignalled(crash))
      return words === undefined || isHandled(words.line)
        ? report('signalled', { container, code, restarts })
        : report('signalledAfter', { container, code, restarts, detail: words.detail });
    if (words !== undefined) return byLog(bad, crash, words, { facts, report });
    return code === 0 ? report('ended', { container, restarts }) : report('all', end);
  },
});
