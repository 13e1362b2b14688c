import { closedApi, mayPrecedeEndpoints } from '../../apiserver/aggregation/closed-api.ts';
import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { cleanLines } from '../../apiserver/sentences/logs/log-lines.ts';
import { reviewOf, unservedReview } from '../../apiserver/sentences/logs/unserved-review.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { secondsSince } from '../../basics/time.ts';
import type { AggregatedApiCallout, Callout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Condition } from '../../facts/objects/metadata.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence, logOf } from '../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { type CheckStep, defineCheck, fatal, firstReported, type Messages } from '../check.ts';

/** Seconds until the API server reads the discovery of an APIService that became available. */
const patience = 60;

/** The API server's message about a backend that does not know the path (available_controller.go). */
const notServed = /bad status from https:\/\/[^/\s]+(?<path>\/\S+): 404$/;

/** The API server's message about a backend that rejects its identity, or cannot verify it. */
const refusedDiscovery = /bad status from https:\/\/\S+: (?<code>40[13]|500)$/;

/** The errors of a backend that cannot verify the API server (k8s.io/apiserver authentication). */
const clientFaults = {
  old: unservedReview,
  name: /x509: subject with cn=(?<name>\S+) is not in the allowed list: \[(?<names>[^\]]*)/,
  authority: /Unable to authenticate the request.*x509: certificate signed by unknown authority/,
};

/** What the log of the backend says about the request of the API server, which it rejects with this status. */
function clientFault(code: string, callout: Callout, facts: Pick<Facts, 'pods' | 'logs'>) {
  const lines = knownPods(callout, facts).flatMap((pod) =>
    pod.spec.containers.flatMap(({ name: container }) =>
      cleanLines(logOf(pod, container, facts)).map((line) => ({ pod, container, line })),
    ),
  );
  const find = (fault: keyof typeof clientFaults) => {
    const logged = lines.findLast(({ line }) => clientFaults[fault].test(line));
    return logged && { fault, ...logged, groups: clientFaults[fault].exec(logged.line)?.groups };
  };
  return find('old') ?? (code === '401' ? (find('name') ?? find('authority')) : undefined);
}

/** `a, b`; `a, b, c, …` for a longer list, which the log line may not contain completely. */
const firstNames = (names: string): string =>
  brief(
    names
      .split(' ')
      .slice(0, 4)
      .map((name, at) => (at < 3 ? name : '…'))
      .join(', '),
  );

/** Available APIServices by their Service. */
const availableApis = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(
    callouts.flatMap((one) =>
      one.kind === 'aggregated-api' && one.client.service && closedApi(one) === undefined
        ? { key: keyOf(one.client.service), configuration: one.configuration }
        : [],
    ),
    ({ key }) => key,
  ),
);

/** An Available APIService of the same Service: the reference is right, and the program runs. */
const servedBeside = ({ client: { service } }: Callout, facts: Pick<Facts, 'callouts'>): string | undefined =>
  service && availableApis(facts).get(keyOf(service))?.[0]?.configuration;

/** The prefix before the reason of a failed discovery. */
const calledWithoutResponse = /^failing or missing response from \S+: (?:Get "[^"]*": )?/;

const advice =
  '[look] Read the condition: `kubectl get apiservice {configuration} -o yaml`. [end] Fix the problem that the condition names. [with] The API server updates the condition within a minute. [end] If no client needs the API any longer, delete the APIService.';

const messages = {
  unavailable: fatal('The condition Available is {status} since {since} ({reason}): {detail}'),
  refused: {
    text: 'The backend responds {code}: it rejects the client certificate of the API server, or cannot verify it',
    consequence: 'failing',
    advice:
      '[look] Read the log of the backend: `kubectl -n {namespace} logs {backend}`. [see] The ServiceAccount of the backend needs the Role `extension-apiserver-authentication-reader` in kube-system and the ClusterRole `system:auth-delegator`: `kubectl get rolebindings,clusterrolebindings -A -o wide`. [look] Check also that no proxy is in front of the backend.',
  },
  notAllowed: {
    text: 'The backend responds {code}: the client certificate of the API server is for {name}; the allowed names are {names}',
    consequence: 'failing',
    advice:
      '[end] Add the name to `--requestheader-allowed-names` of each kube-apiserver, or let `--proxy-client-cert-file` have a certificate for a name of the list. [see] The backend reads the list from a ConfigMap: `kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml`. [end] If the backend still rejects the name, restart its Pods: `kubectl -n {namespace} rollout restart {workload}`.',
  },
  otherAuthority: {
    text: 'The backend responds {code}: it does not trust the CA of the client certificate of the API server',
    consequence: 'failing',
    advice:
      '[end] Restart the Pods of the backend: some programs read this CA only when they start: `kubectl -n {namespace} rollout restart {workload}`. [look] If new Pods still reject the certificate, compare `requestheader-client-ca-file` with the CA of `--proxy-client-cert-file` of kube-apiserver: `kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml`.',
  },
  oldProgram: {
    text: 'The backend responds {code}: its release calls a version of {review} that this cluster does not serve',
    consequence: 'failing',
    advice:
      '[end] Update the program to a release for this version of Kubernetes (1.22 removed v1beta1 of TokenReview and SubjectAccessReview). [look] To read the image that runs: `kubectl -n {namespace} get {workload} -o wide`.',
  },
  notServed: {
    text: 'The backend responds 404 to {path}: it does not serve this API',
    consequence: 'failing',
    advice:
      '[look] Compare group and version with the APIs of the program that the Service selects: `kubectl -n {namespace} logs {backend}`. [end] Correct `spec.service`: `kubectl edit apiservice {configuration}`. [end] If no program serves this API any longer, delete the APIService: `kubectl delete apiservice {configuration}`.',
  },
  notConfigured: {
    text: 'The backend responds 404 to {path}, but serves {other}: its configuration does not enable this API, or its release does not have it',
    consequence: 'failing',
    advice:
      '[end] If nothing uses this API, delete the APIService: `kubectl delete apiservice {configuration}`. [end] Otherwise enable the API in the configuration of the program, such as rules for these metrics in an adapter: `kubectl -n {namespace} describe {backend}`. [end] If this release of the program does not have the API, use a release that has it.',
  },
  checkedBefore: {
    text: 'The condition Available is {status} since {since}, but the endpoints may be newer than the last check: {detail}',
    consequence: 'failing',
    advice:
      '[safe] Wait for the next check, 30 seconds at most: `kubectl webhook wait apiservice/{configuration}`. [end] If the condition is still not True, run `kubectl webhook doctor apiservice/{configuration}` again.',
  },
  stale: {
    text: 'The API is Available, but discovery marks it Stale: kubectl and controllers do not find its resources',
    consequence: 'degraded',
    advice:
      '[look] Find out why the backend does not return the discovery document within 5 seconds: `kubectl -n {namespace} logs {backend}`. [end] If no client needs the API any longer, delete the APIService.',
  },
  empty: {
    text: 'The API is Available, and its backend returns an empty discovery document: its resources are not found, and clients without aggregated discovery fail',
    consequence: 'degraded',
    advice:
      '[look] Find out why the backend sends no body: `kubectl -n {namespace} logs {backend}`. [end] Restart or repair the backend. [end] If no client needs the API, delete the APIService: `kubectl delete apiservice {configuration}`.',
  },
  opened: {
    text: 'The condition Available was {status} since {since} ({reason}: {detail}), and requests are forwarded again',
    severity: 'info',
    advice:
      '[with] No action is required. [look] If the condition is False again, check why the backend is interrupted: `kubectl -n {namespace} describe {backend}`.',
  },
} as const satisfies Messages;

const requires = ['callouts', 'probes', 'served', 'services', 'endpointSlices', 'pods', 'logs'] as const;

/** An APIService with its condition Available. */
interface ReportedApi {
  readonly callout: AggregatedApiCallout;
  readonly available: Condition;
  /** The API server just forwarded a request. */
  readonly passes?: boolean;
}

type OwnStep = CheckStep<ReportedApi, typeof requires, typeof messages, typeof advice>;

const conditionEvidence = ({ callout: { ref }, available: { message = '' } }: ReportedApi): Evidence => ({
  object: ref,
  field: 'status.conditions[type=Available].message',
  value: message,
});

/** An API that is Available, and whose discovery is not read. */
const stale: OwnStep = ({ callout: { ref, group, version }, available }, facts, find) => {
  // The discovery of a new APIService is not fetched yet.
  const age = secondsSince(available.lastTransitionTime, facts.takenAt) ?? 0;
  const isStale = facts.served.getIfKnown('served')?.stale.includes(`${group}/${version}`) === true;
  const evidence = { object: ref, field: 'GET /apis', value: 'freshness: Stale' };
  return isStale && age >= patience ? find('stale', {}, [evidence]) : undefined;
};

/**
 * The discovery document has no content. Aggregated discovery then has the API without resources, and not as Stale
 * (kube-aggregator handler_discovery.go); clients that fetch the document fail (client-go `0-length response`).
 */
const empty: OwnStep = ({ callout }, facts, find) => {
  const { isEmpty, status = 0 } = probesOf(callout, facts)?.discovery ?? {};
  const path = `GET /apis/${callout.group}/${callout.version}`;
  const evidence = { object: callout.ref, field: path, value: `${status}, 0 bytes` };
  return isEmpty === true ? find('empty', {}, [evidence]) : undefined;
};

/** The backend does not know the path. */
const notServedApi: OwnStep = (api, facts, find) => {
  const path = notServed.exec(api.available.message ?? '')?.groups?.path;
  if (path === undefined) return undefined;
  const other = servedBeside(api.callout, facts);
  const evidence = [conditionEvidence(api)];
  return other === undefined
    ? find('notServed', { path }, evidence)
    : find('notConfigured', { path, other }, evidence);
};

const messageOfFault = { old: 'oldProgram', name: 'notAllowed', authority: 'otherAuthority' } as const;

/** The backend rejects the identity of the API server. */
const refused: OwnStep = (api, facts, find) => {
  const code = refusedDiscovery.exec(api.available.message ?? '')?.groups?.code;
  if (code === undefined) return undefined;
  const { fault, pod, container = '', line = '', groups } = clientFault(code, api.callout, facts) ?? {};
  if (code === '500' && fault === undefined) return undefined;
  const { name = '', names = '', by = '' } = groups ?? {};
  const logged = pod === undefined ? [] : [logEvidence(refOfPod(pod), container, line)];
  const data = { code, name: brief(name), names: firstNames(names), review: reviewOf(by) };
  const messageId = fault === undefined ? 'refused' : messageOfFault[fault];
  return find(messageId, data, [conditionEvidence(api), ...logged]);
};

/** The condition alone. */
const unavailable: OwnStep = (api, facts, find) => {
  const { status, reason = '', message = '', lastTransitionTime: since = 'its creation' } = api.available;
  const data = { status, since, reason, detail: brief(message.replace(calledWithoutResponse, '')) };
  const unopened = mayPrecedeEndpoints(api.callout, facts) ? 'checkedBefore' : 'unavailable';
  return find(api.passes ? 'opened' : unopened, data, [conditionEvidence(api)]);
};

export const apiserviceUnavailable = defineCheck({
  meta: {
    id: 'apiservice-unavailable',
    title: 'APIService is not Available',
    severity: 'error',
    confidence: 'observed',
    why: 'The API server checks the backend every 30 seconds, and returns 503 `service unavailable` for every request to this API while condition Available is not True. No namespace can be deleted, and kubectl and controllers do not find its resources. An API whose discovery document cannot be read stays Available, but its resources are not found either.',
    advice,
    noRemedy: 'only-follows',
    messages,
    follows: 'every-break',
    references: ['/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/'],
  },
  requires,
  subjects: ({ callouts }: Pick<Facts, 'callouts'>) =>
    callouts.filter((callout) => callout.kind === 'aggregated-api'),
  run(callout, facts, find) {
    const closed = closedApi(callout);
    const available = callout.conditions.find(({ type }) => type === 'Available');
    if (available === undefined) return undefined;
    if (closed === undefined) return firstReported(empty, stale)({ callout, available }, facts, find);
    const probes = probesOf(callout, facts);
    const passes = probes !== undefined && ownCallEnd(callout, probes).outcome === 'passes';
    const found = firstReported(...(passes ? [] : [notServedApi, refused]), unavailable);
    const finding = found({ callout, available, passes }, facts, find);
    return finding && { ...finding, link: closed.link };
  },
});
