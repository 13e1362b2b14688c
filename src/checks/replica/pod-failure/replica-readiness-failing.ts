import { type Backend, targetPortOf } from '../../../apiserver/routing/backends.ts';
import { calloutId } from '../../../facts/callout.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { failureIn } from '../../../facts/probes.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastingContainers } from '../../../facts/workloads/container-crash.ts';
import { electsLeader } from '../../../facts/workloads/leaders.ts';
import { logLines, logOf } from '../../../facts/workloads/pod-logs.ts';
import { probePort } from '../../../facts/workloads/pod-ports.ts';
import { brief } from '../../../phrases/brief.ts';
import { inState, type PodWithState } from '../../../pods/bad-replicas.ts';
import { isCutOff } from '../../../pods/cut-off.ts';
import { repeatedRequest } from '../../../pods/failed-request.ts';
import { leaseOfSurvivor, onlyTheLeader, waitIn } from '../../../pods/leadership.ts';
import { isOfPlainHttp, probedElsewhere, startsElsewhere } from '../../../pods/listening.ts';
import { firstReported, latent, type Messages } from '../../check.ts';
import { type BadPodsStep, badPodsCheck } from '../bad-pods-check.ts';

/** True if by its log the Pod calls the Service that it serves, and finds no ready endpoint. */
function callsItself(pod: Pod, { service }: Backend, facts: Pick<Facts, 'logs'>): boolean {
  const host = `//${service.metadata.name}.${service.metadata.namespace}.svc`;
  return logLines(pod, pod.spec.containers, facts).some(
    ({ line }) => line.includes(host) && /connection refused|no endpoints available/.test(line),
  );
}

/** A readiness probe of the webhook's port in a protocol that a webhook does not serve; undefined for others. */
function plainProbeOfWebhook({ pod, state }: PodWithState, { port }: Backend) {
  const container = pod.spec.containers.find(({ name }) => name === state.container?.name);
  const probe = container?.readinessProbe ?? {};
  const called = targetPortOf(port, pod);
  if (probePort(probe, container ?? {}) !== called) return undefined;
  if (probe.grpc !== undefined) return { port: called, protocol: 'gRPC without TLS' };
  const isPlain = probe.httpGet !== undefined && (probe.httpGet.scheme ?? 'HTTP') === 'HTTP';
  return isPlain && isOfPlainHttp(state.text ?? '') ? { port: called, protocol: 'HTTP' } : undefined;
}

/** What failed, by the kubelet's event about a probe (prober.go). */
const failedProbe =
  /^(?<probe>\w+) probe (?:failed: .*?(?::(?<port>\d+): connect: connection refused$|statuscode: (?<status>\d+)$|(?<late>Client\.Timeout exceeded|context deadline exceeded|\btimed out))|errored .*exec: "(?<command>[^"]+)": (?:executable file not found|stat .*no such file))/s;

/** `timeoutSeconds` of a probe: 1 by default. */
function timeoutOf(pod: Pod, name: string, probe: string): number {
  const container = pod.spec.containers.find((one) => one.name === name);
  const { timeoutSeconds = 1 } =
    (probe === 'startup' ? container?.startupProbe : container?.readinessProbe) ?? {};
  return timeoutSeconds;
}

/** True if this program connected to each of these Pods in this run, and got no response either. */
function areSilent(each: readonly PodWithState[], { callout }: Backend, { probes }: Pick<Facts, 'probes'>) {
  const replicas = probes.getIfKnown(calloutId(callout))?.replicas ?? [];
  return each.every(({ pod }) =>
    replicas
      .filter((replica) => replica.pod === pod.metadata.name)
      .flatMap(({ dialogues }) => dialogues)
      .some((connection) => {
        const late = failureIn(connection, 'timed-out');
        return late !== undefined && late.stage !== 'connect';
      }),
  );
}

/** The error of a probe that the process or its container caused. */
const withoutNetwork = /statuscode: \d|\bexec\b/;

/** The container that is not Ready, else the first one. */
const containerOf = ({ pod, state }: PodWithState): string | undefined =>
  state.container?.name ?? pod.spec.containers[0]?.name;

const advice =
  '[look] Read the error of the probe: `kubectl -n {namespace} describe pod {pod}`. [look] Then read the log: `kubectl -n {namespace} logs {pod} -c {container}`. [with] Common causes are a missing certificate, a cache that does not sync, and a wrong probe port.';

const messages = {
  probe: '{pods} cannot become Ready: {detail}',
  container: 'Container {container} keeps {pods} from becoming Ready: {detail}',
  refused: {
    text: '{pods} cannot become Ready: the {probe} probe of container {container} calls port {port}, which is closed',
    advice:
      '[template] If the server uses another port, correct the probe: `kubectl -n {namespace} edit {probed}`. [look] Otherwise find in the log why the process is not ready: `kubectl -n {namespace} logs {pod} -c {container}`.',
  },
  status: {
    text: '{pods} cannot become Ready: the {probe} probe of container {container} returns HTTP {status}',
    advice:
      '[look] Find in the log why the process is not ready, or which of its checks fails: `kubectl -n {namespace} logs {pod} -c {container}`. [template] If the path of the probe is wrong, correct it: `kubectl -n {namespace} edit {probed}`.',
  },
  waits: {
    text: '{pods} cannot become Ready; the log repeats a failed request to {host}: {detail}',
    advice:
      '[template] Start that server, or correct its address in the settings: `kubectl -n {namespace} edit {probed}`. [look] Then check DNS, NetworkPolicy for egress and firewall between the Pod and that server: `kubectl -n {namespace} get networkpolicies`.',
  },
  distrusts: {
    text: '{pods} cannot become Ready; the log repeats that the process rejects the certificate of {host}: {detail}',
    advice:
      '[template] Give that server a certificate with the name or address that the process calls, or give the process the CA of that server: `kubectl -n {namespace} edit {probed}`.',
  },
  'distrusts-kubelet': {
    text: '{pods} cannot become Ready: the process rejects the certificate of the kubelet at {host}: {detail}',
    advice:
      '[end] Let the kubelets request signed certificates (`serverTLSBootstrap: true` in their configuration). [look] List the requests: `kubectl get certificatesigningrequests`. [end] Approve those of your nodes with `kubectl certificate approve` and their names. [template] If unverified kubelets are an acceptable risk, add `--kubelet-insecure-tls` to the arguments of metrics-server: `kubectl -n {namespace} edit {probed}`.',
  },
  late: {
    text: '{pods} cannot become Ready: the {probe} probe of container {container} gets no response within its timeoutSeconds, {seconds} s',
    advice:
      '[template] If the process needs longer to respond, raise `timeoutSeconds` of the probe: `kubectl -n {namespace} edit {probed}`. [look] Otherwise find in the log why the process is slow: `kubectl -n {namespace} logs {pod} -c {container}`. [end] If the process responded before, restart it: `kubectl -n {namespace} rollout restart {workload}`.',
  },
  lost: {
    text: '{pods} cannot become Ready: the process responds inside the Pod, but not to the kubelet and the control plane',
    advice:
      '[with] Packets to the Pod are lost: a restart helps only if the new Pod runs on another node. [look] Check the firewall rules of the node, the network plugin there (`kubectl get pods -A -o wide --field-selector spec.nodeName={node}`), and the NetworkPolicies: `kubectl -n {namespace} get networkpolicies`.',
  },
  hangs: {
    text: '{pods} cannot become Ready: the process of container {container} hangs, and responds neither to its {probe} probe nor to a request of doctor',
    advice:
      '[look] Read the end of the log: `kubectl -n {namespace} logs {pod} -c {container}`. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
  },
  command: {
    text: '{pods} cannot become Ready: the {probe} probe of container {container} runs {command}, which its image does not have',
    advice:
      '[template] Replace `exec` in the probe by `httpGet` with `scheme: HTTPS`, or use an image that has the program: `kubectl -n {namespace} edit {probed}`.',
  },
  scheme: {
    text: '{pods} cannot become Ready: the probe calls port {port} over {protocol}, and a webhook must serve HTTPS there',
    advice:
      '[template] Use `httpGet` with `scheme: HTTPS` in the probe: `kubectl -n {namespace} edit {probed}`.',
  },
  itself: {
    text: '{pods} cannot become Ready: the process waits for its own Service {service}, which has no other ready Pod',
    advice:
      '[end] Let the Service route to Pods that are not Ready (`publishNotReadyAddresses: true`): `kubectl -n {namespace} edit service {service}`. [end] Or use a version of the program that does not call its own Service before it is Ready.',
  },
  elsewhere: {
    text: '{pods} cannot become Ready: the readiness probe tries port {port}, and according to its log, the server listens on port {served}',
    advice:
      '[template] Make the port of the server, `containerPort`, and the port of the probe the same: `kubectl -n {namespace} edit {probed}`.',
  },
  gate: {
    text: '{pods} cannot become Ready because of a readiness gate: {detail}',
    advice:
      '[look] Find the controller that sets the condition of the gate, and read its log. [end] If there is no such controller, remove `readinessGates` from the Pod template: `kubectl -n {namespace} edit {workload}`.',
  },
  silent: 'Ready condition of {pods} is False without a reported reason',
  followers: latent(
    '{pods}, not the leader (Lease {lease}), cannot become Ready: {detail}; scale to one replica until fixed',
    onlyTheLeader,
  ),
  some: latent('{pods} cannot become Ready ({detail}); other Pods serve requests'),
} as const satisfies Messages;

type OwnStep = BadPodsStep<'leases' | 'logs' | 'probes', typeof messages, typeof advice>;

const shortReason = ({ state: { text, reason } }: PodWithState): string =>
  brief(text ?? reason ?? 'no reason given');

/** Other Pods are Ready, perhaps because one of them is the leader. */
const inSomePods: OwnStep = ({ backend, first, each }, facts, report) => {
  const wait = waitIn(logOf(first.pod, containerOf(first), facts));
  if (wait === undefined) return report('some', { detail: shortReason(first) });
  const unready = each.map((one) => one.pod);
  const lease = unready.every(electsLeader) ? leaseOfSurvivor(unready, backend, facts) : undefined;
  const data = { detail: brief(wait), lease: lease ?? '' };
  return report(lease === undefined ? 'some' : 'followers', data);
};

/** No probe fails, or it finds the port closed because the process waits, or listens on another one. */
const notByProbe: OwnStep = ({ backend, first, each }, facts, report) => {
  const { pod, state } = first;
  if (state.reason === 'ReadinessGatesNotReady') return report('gate', { detail: shortReason(first) });
  if (each.some((one) => callsItself(one.pod, backend, facts)))
    return report('itself', { service: backend.key });
  const logs = pod.spec.containers.map(({ name }) => logOf(pod, name, facts));
  const ports = probedElsewhere(state.text ?? '', logs.join('\n'));
  if (ports !== undefined) return report('elsewhere', ports);
  return state.text === undefined ? report('silent') : undefined;
};

/** The probe uses another protocol than the server, or its packets are lost. */
const byProtocol: OwnStep = ({ backend, first, each }, facts, report) => {
  const plain = plainProbeOfWebhook(first, backend);
  if (plain !== undefined) return report('scheme', plain);
  const isLost =
    !withoutNetwork.test(first.state.text ?? '') && each.every(({ pod }) => isCutOff(pod, backend, facts));
  return isLost ? { ...report('lost'), link: 'network' } : undefined;
};

/** A request of the process itself that it repeats, and that fails. */
const byOwnRequest: OwnStep = ({ first }, facts, report) => {
  const request = repeatedRequest(first.pod, containerOf(first), facts);
  if (request === undefined) return undefined;
  const { toKubelet, host, detail } = request;
  const distrusts = toKubelet ? 'distrusts-kubelet' : 'distrusts';
  return report(/x509: /.test(detail) ? distrusts : 'waits', {
    host: toKubelet ? host.replace(/:10250$/, '') : host,
    detail: brief(detail.replace(/^.*?(?=x509: )/, '')),
  });
};

/** The response to the probe, or none. */
const byProbe: OwnStep = ({ backend, first, each }, facts, report) => {
  const { pod, state } = first;
  const container = containerOf(first);
  const failed = failedProbe.exec(state.text ?? '')?.groups;
  if (failed === undefined || container === undefined) {
    const isOne = lastingContainers(pod).length < 2 || state.container === undefined;
    const data = { container: state.container?.name ?? '', detail: shortReason(first) };
    return report(isOne ? 'probe' : 'container', data);
  }
  const data = { container, probe: failed.probe?.toLowerCase() ?? '' };
  const { port, status, command } = failed;
  if (port !== undefined) return report('refused', { ...data, port });
  if (status !== undefined) return report('status', { ...data, status });
  if (command !== undefined) return report('command', { ...data, command });
  if (areSilent(each, backend, facts)) return report('hangs', data);
  return report('late', { ...data, seconds: timeoutOf(pod, container, data.probe) });
};

export const replicaReadinessFailing = badPodsCheck({
  id: 'replica-readiness-failing',
  title: 'Pod is running but not Ready',
  why: 'A Pod that is not Ready is not a ready endpoint of the Service. It receives no requests, even if its process could serve them.',
  advice,
  messages,
  follows: [
    'pods-cannot-reach-api-server',
    'process-cannot-start',
    'service-account-lacks-rights',
    'serving-secret-missing',
    'serving-secret-incomplete',
    'certificate-writer-not-running',
    'host-network-port-conflict',
    'leader-gated-readiness',
    // The probe presents no certificate either.
    'client-certificate-demanded',
    'network-plugin-failing',
  ],
  references: ['/docs/concepts/workloads/pods/probes/#readiness-probe'],
  alsoRequires: ['leases', 'logs', 'probes'],
  isBad: (one, facts) => inState('not-ready')(one) || startsElsewhere(one, facts),
  about: ({ first }) => ({ names: { container: containerOf(first) } }),
  run(bad, facts, report) {
    if (bad.extent === 'all')
      return firstReported(notByProbe, byProtocol, byOwnRequest, byProbe)(bad, facts, report);
    return bad.each.some(inState('not-ready')) ? inSomePods(bad, facts, report) : undefined;
  },
});
