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

/** The port of the webhook, if a failed readiness probe calls it over HTTP. */
function plainProbeOfWebhook({ pod, state }: PodWithState, { port }: Backend): number | undefined {
  const container = pod.spec.containers.find(({ name }) => name === state.container?.name);
  const { httpGet } = container?.readinessProbe ?? {};
  if (httpGet === undefined || (httpGet.scheme ?? 'HTTP') !== 'HTTP') return undefined;
  const called = targetPortOf(port, pod);
  const isMeant = probePort({ httpGet }, container ?? {}) === called;
  return isMeant && isOfPlainHttp(state.text ?? '') ? called : undefined;
}

/** The kubelet's events about a failed probe: of which kind, and the closed port or the HTTP status (prober.go). */
const failedProbe =
  /^(?<probe>\w+) probe failed: .*?(?::(?<port>\d+): connect: connection refused|statuscode: (?<status>\d+))$/;

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
      scheme: {
        text: '{pods} cannot become Ready: the probe calls port {port} over HTTP, and a webhook must serve HTTPS there',
        advice: 'Set `scheme: HTTPS` in the probe: `kubectl -n {namespace} edit {probed}`.',
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
    const port = plainProbeOfWebhook(bad.first, backend);
    if (port !== undefined) return find('scheme', { pods, port }, evidence, { ...names, probed });
    const request = repeatedRequest(pod, container, facts);
    if (request !== undefined)
      return find('waits', { pods, host: request.host, detail: brief(request.detail) }, evidence, {
        ...names,
        probed,
      });
    const failed = failedProbe.exec(text)?.groups;
    if (failed !== undefined && container !== undefined) {
      const data = { pods, container, probe: failed.probe?.toLowerCase() ?? '' };
      const own = { ...names, probed };
      return failed.port === undefined
        ? find('status', { ...data, status: failed.status ?? '' }, evidence, own)
        : find('refused', { ...data, port: failed.port }, evidence, own);
    }
    return lastingContainers(pod).length > 1 && unready !== undefined
      ? find('container', { container: unready.name, pods, detail }, evidence, names)
      : find('probe', { pods, detail }, evidence, names);
  },
});
