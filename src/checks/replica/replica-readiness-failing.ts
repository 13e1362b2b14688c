import { type Backend, examinedBackends, targetPortOf } from '../../apiserver/routing/backends.ts';
import { lastingContainers } from '../../facts/container-crash.ts';
import type { Pod } from '../../facts/objects.ts';
import { logLines, logOf } from '../../facts/pod-logs.ts';
import { probePort } from '../../facts/pod-ports.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, type PodWithState, podEvidence } from '../../pods/bad-replicas.ts';
import { repeatedRequest } from '../../pods/failed-request.ts';
import { isOfPlainHttp, probedElsewhere } from '../../pods/listening.ts';
import { defineCheck, latent } from '../check.ts';

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
  if (called === undefined || probePort(probe, container ?? {}) !== called) return undefined;
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

/** True for a running Pod that is not Ready; a completed Pod does not count. */
const runsUnready = ({ state }: PodWithState): boolean => state.state === 'not-ready';

export const replicaReadinessFailing = defineCheck({
  meta: {
    id: 'replica-readiness-failing',
    title: 'Pod is running but not Ready',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'webhook-not-ready-in-time': 2,
      'client-speaks-http': 1,
      'readiness-probe': 1,
      'restart-probe': 2,
      'service-called-by-pod': 1,
      'webhook-server-not-started': 2,
      'cache-not-synced': 4,
      'no-endpoints': 4,
    },
    why: 'A Pod that is not Ready is not a ready endpoint of the Service. It receives no requests, even if its process could serve them.',
    advice:
      'Read the probe and its error: `kubectl -n {namespace} describe pod {pod}`. Then read the log: `kubectl -n {namespace} logs {pod} -c {container}`. Common causes are a missing certificate, a cache that does not sync, and a wrong probe port.',
    messages: {
      probe: '{pods} cannot become Ready: {detail}',
      container: 'Container {container} keeps {pods} from becoming Ready: {detail}',
      refused: {
        text: '{pods} cannot become Ready: the {probe} probe of container {container} calls port {port}, which is closed',
        advice:
          'If the server uses another port, correct the probe: `kubectl -n {namespace} edit {probed}`. Otherwise find in the log what the process waits for: `kubectl -n {namespace} logs {pod} -c {container}`.',
      },
      status: {
        text: '{pods} cannot become Ready: the {probe} probe of container {container} returns HTTP {status}',
        advice:
          'Find in the log what the process waits for, or which of its checks fails: `kubectl -n {namespace} logs {pod} -c {container}`. If the path of the probe is wrong, correct it: `kubectl -n {namespace} edit {probed}`.',
      },
      waits: {
        text: '{pods} cannot become Ready; the log repeats a failed request to {host}: {detail}',
        advice:
          'Start that server, or correct its address in the settings: `kubectl -n {namespace} edit {probed}`. Then check DNS, NetworkPolicy for egress and firewall between the Pod and that server: `kubectl -n {namespace} get networkpolicies`.',
      },
      distrusts: {
        text: '{pods} cannot become Ready; the log repeats that the process rejects the certificate of {host}: {detail}',
        advice:
          'Give that server a certificate with the name or address that the process calls, or give the process the CA of that server: `kubectl -n {namespace} edit {probed}`.',
      },
      late: {
        text: '{pods} cannot become Ready: the {probe} probe of container {container} gets no response within its timeoutSeconds, {seconds} s',
        advice:
          'If the process needs longer to respond, raise `timeoutSeconds` of the probe: `kubectl -n {namespace} edit {probed}`. Otherwise find in the log what it waits for: `kubectl -n {namespace} logs {pod} -c {container}`.',
      },
      command: {
        text: '{pods} cannot become Ready: the {probe} probe of container {container} runs {command}, which its image does not have',
        advice:
          'Replace `exec` in the probe by `httpGet` with `scheme: HTTPS`, or use an image that has the program: `kubectl -n {namespace} edit {probed}`.',
      },
      scheme: {
        text: '{pods} cannot become Ready: the probe calls port {port} over {protocol}, and a webhook must serve HTTPS there',
        advice: 'Use `httpGet` with `scheme: HTTPS` in the probe: `kubectl -n {namespace} edit {probed}`.',
      },
      itself: {
        text: '{pods} cannot become Ready: the process waits for its own Service {service}, which has no other ready Pod',
        advice:
          'Start the process without the call to its own Service, or publish the address earlier (`publishNotReadyAddresses: true`): `kubectl -n {namespace} edit service {service}`.',
      },
      elsewhere: {
        text: '{pods} cannot become Ready: the readiness probe tries port {port}, and by its log, the server listens on port {served}',
        advice:
          'Make the port of the server, `containerPort`, and the port of the probe the same: `kubectl -n {namespace} edit {probed}`.',
      },
      gate: {
        text: '{pods} cannot become Ready because of a readiness gate: {detail}',
        advice:
          'Find the controller that sets the condition of the gate, and read its log. If there is none, remove `readinessGates` from the Pod template: `kubectl -n {namespace} edit {workload}`.',
      },
      silent: 'Ready condition of {pods} is False without a reported reason',
      some: latent('{pods} cannot become Ready ({detail}); other Pods serve requests'),
    },
    follows: [
      'pods-cannot-reach-api-server',
      'process-cannot-start',
      'service-account-lacks-rights',
      'serving-secret-missing',
      'host-network-port-conflict',
    ],
    references: ['/docs/concepts/workloads/pods/probes/#readiness-probe'],
  },
  requires: [...backendPodFacts, 'logs'],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, runsUnready);
    if (bad === undefined) return undefined;
    const { pods } = bad;
    const { reason, text, container: unready } = bad.first.state;
    const evidence = podEvidence(bad.each);
    const detail = brief(text ?? reason ?? 'no reason given');
    const { pod } = bad.first;
    const container = unready?.name ?? pod.spec.containers[0]?.name;
    const names = { ...bad.names, container };
    if (bad.extent !== 'all') return find('some', { pods, detail }, evidence, names);
    if (reason === 'ReadinessGatesNotReady') return find('gate', { pods, detail }, evidence, names);
    if (bad.each.some(({ pod }) => callsItself(pod, backend, facts))) {
      return find('itself', { pods, service: backend.key }, evidence, names);
    }
    const logs = pod.spec.containers.map(({ name }) => logOf(pod, name, facts));
    const ports = probedElsewhere(text ?? '', logs.join('\n'));
    const probed = workloadArgument(workloadOfPod(pod)) ?? `pod/${pod.metadata.name}`;
    if (ports !== undefined) return find('elsewhere', { pods, ...ports }, evidence, { ...names, probed });
    if (text === undefined) return find('silent', { pods }, evidence, names);
    const plain = plainProbeOfWebhook(bad.first, backend);
    if (plain !== undefined) return find('scheme', { pods, ...plain }, evidence, { ...names, probed });
    const request = repeatedRequest(pod, container, facts);
    if (request !== undefined)
      return find(
        /x509: /.test(request.detail) ? 'distrusts' : 'waits',
        { pods, host: request.host, detail: brief(request.detail.replace(/^.*?(?=x509: )/, '')) },
        evidence,
        { ...names, probed },
      );
    const failed = failedProbe.exec(text)?.groups;
    if (failed !== undefined && container !== undefined) {
      const data = { pods, container, probe: failed.probe?.toLowerCase() ?? '' };
      const own = { ...names, probed };
      const { port, status, command } = failed;
      if (port !== undefined) return find('refused', { ...data, port }, evidence, own);
      if (status !== undefined) return find('status', { ...data, status }, evidence, own);
      if (command !== undefined) return find('command', { ...data, command }, evidence, own);
      const seconds = timeoutOf(pod, container, data.probe);
      return find('late', { ...data, seconds }, evidence, own);
    }
    return lastingContainers(pod).length > 1 && unready !== undefined
      ? find('container', { container: unready.name, pods, detail }, evidence, names)
      : find('probe', { pods, detail }, evidence, names);
  },
});
