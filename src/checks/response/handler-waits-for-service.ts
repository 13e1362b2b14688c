import { isDenialBy } from '../../apiserver/connection/own-call.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import {
  hasFailed,
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { responseTimes, slowAmong } from '../../apiserver/connection/response-times.ts';
import { type OutboundError, outboundErrorIn } from '../../apiserver/sentences/logs/outbound-error.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { endpointsIn, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { type Service, selectsPods } from '../../facts/objects/service.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { logEvidence } from '../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief, briefEnd, messageOfLine } from '../../phrases/brief.ts';
import { failedRequest, ownCallIn } from '../../pods/failed-request.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { type RefusedPods, refusedBy, refusedEvidence, refusedText } from '../../pods/refused-pods.ts';
import { defineCheck, type Find, type Finding, fatal, latent, partial } from '../check.ts';
import { admitMeanwhile } from './response-fault-check.ts';

const checkServer =
  '[look] Check that the server runs. [look] Then check DNS, proxies, firewalls and egress NetworkPolicies between the Pods and the server: `kubectl -n {namespace} get networkpolicies`. [end] If a policy of the webhook names the server, correct or delete the policy.';

const meanwhile = admitMeanwhile('denials');
const findPods =
  '[look] Find out why that Service has no ready Pod: `kubectl -n {place} get endpointslices,pods`.';
const admitPods =
  '[end] Exclude the namespace of these Pods from the webhook: `kubectl webhook fix {configuration} --remedy exclude-namespace -n {chosen}`. [look] If the Service has no ready Pod then, read why: `kubectl -n {place} get endpointslices,pods`.';

const requires = [...probeFacts, 'logs', 'failedCreateEvents', 'podControllers'] as const;
type DenialFacts = World<(typeof requires)[number]>;

/** The Service of a name or address in the cluster, with or without a port. */
function serviceAt(host: string, { services }: Pick<Facts, 'services'>): Service | undefined {
  const address = host.replace(/:\d+$/, '');
  const [name, namespace, zone = 'svc'] = address.split('.');
  return services
    .all()
    .find(
      ({ metadata, spec }) =>
        [spec.clusterIP, ...(spec.clusterIPs ?? [])].includes(address) ||
        (zone === 'svc' && metadata.name === name && metadata.namespace === namespace),
    );
}

/** The server, with the Service whose address it is. */
function hostText(host: string, facts: Pick<Facts, 'services'>): string {
  const found = serviceAt(host, facts);
  return found === undefined ? host : `Service ${keyOf(found.metadata)} (${host})`;
}

/** The Service at the host, if it selects Pods and none of them is ready. */
function serviceWithoutPods(host: string, facts: DenialFacts): Service | undefined {
  const found = serviceAt(host, facts);
  const key = found && keyOf(found.metadata);
  if (key === undefined || !selectsPods(found) || !facts.endpointSlices.known(key)) return undefined;
  return endpointsIn(facts.endpointSlices.get(key) ?? []).some(isReadyEndpoint) ? undefined : found;
}

/** Workloads that miss Pods now, because the webhook denied them after a request to the same server had failed. */
const refusedFor = (callout: Callout, host: string, facts: DenialFacts): readonly RefusedPods[] =>
  facts.failedCreateEvents.known('FailedCreate')
    ? refusedBy(callout, facts).filter(
        ({ blame: { error }, event: { message = '' } }) =>
          error.kind === 'denial' && outboundErrorIn(message)?.host === host,
      )
    : [];

/** The server of a failed request, and its error. */
const callData = ({ host, detail }: OutboundError, facts: Pick<Facts, 'services'>) => ({
  host: hostText(host, facts),
  detail: brief(detail),
});

/** The messages about denials after a failed request. */
const denials = {
  denies: latent(
    '{replicas} denied a test object, because a request to {host} failed: {detail}',
    checkServer,
  ),
  deniesDryRun: latent(
    'Dry run of a test object is denied, because a request of the webhook to {host} failed: {detail}',
    checkServer,
  ),
  deniesWithoutPod: latent(
    'Service {service} has no ready Pod, so the webhook denies a test object: {detail}',
    findPods,
  ),
  blocks: {
    ...fatal(
      'The webhook denies {pods} of {workloads}, because its request to {host} fails: {detail}',
      `${checkServer} ${meanwhile}`,
    ),
    implies: 'refused-anyway',
  },
  blocksWithoutPod: {
    ...fatal(
      'Service {service} has no ready Pod, so the webhook denies {pods} of {workloads}: {detail}',
      `${findPods} ${meanwhile}`,
    ),
    implies: 'refused-anyway',
  },
  blocksBesideService: {
    ...fatal(
      'Service {service} has no ready Pod, so the webhook denies {pods} of {workloads} in the same namespace: {detail}',
      admitPods,
    ),
    implies: 'refused-anyway',
  },
} as const;

/** A denial of a test object: by a Pod, or only in a dry run. */
interface Denial {
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly pod?: string | undefined;
  readonly replicas?: string;
}

/** The failed request that a denial reports, and the Pods that are denied for the same; undefined if it reports none. */
function deniedAfter(
  { message, evidence: own, pod, replicas }: Denial,
  callout: Callout,
  facts: DenialFacts,
  find: Find<typeof denials>,
): Finding | undefined {
  const error = outboundErrorIn(message);
  if (error === undefined) return undefined;
  const { host, detail } = callData(error, facts);
  const server = serviceWithoutPods(error.host, facts)?.metadata;
  const place = server?.namespace;
  const refused = refusedFor(callout, error.host, facts);
  const evidence = [...own, ...refusedEvidence(refused)];
  const blocked = { ...refusedText(refused), detail };
  const namespaces = refused.map(({ workload }) => workload.namespace);
  const chosen = namespaces.find((one) => one === place) ?? namespaces[0];
  const names = { place, chosen, pod };
  if (refused.length > 0) {
    // The missing Pods may be those of the Service: a deadlock.
    const withoutPod = chosen === place ? 'blocksBesideService' : 'blocksWithoutPod';
    return {
      ...(server === undefined
        ? find('blocks', { ...blocked, host }, evidence, names, 'observed')
        : find(withoutPod, { ...blocked, service: keyOf(server) }, evidence, names, 'observed')),
      sentence: message,
    };
  }
  if (server !== undefined)
    return find('deniesWithoutPod', { service: keyOf(server), detail }, evidence, names, 'observed');
  return replicas === undefined
    ? find('deniesDryRun', { host, detail }, evidence, {}, 'observed')
    : find('denies', { host, detail, replicas }, evidence, { pod }, 'observed');
}

/** The endpoints that sent no response in time; `bad`: these, or else those with an HTTP error. */
function withoutAnswer(callout: Callout, facts: ProbeFacts, usable: readonly ProbedEndpoint[]) {
  const slow = new Set(
    slowAmong(responseTimes(callout, facts), callout.timeoutSeconds).map(({ endpoint }) => endpoint),
  );
  const hasFault = (endpoint: ProbedEndpoint, ...faults: readonly string[]): boolean =>
    hasFailed(endpoint) && faults.includes(endpoint.callResult.fault);
  const late = usable.filter((endpoint) => slow.has(endpoint) || hasFault(endpoint, 'hangs', 'late'));
  const bad = late.length > 0 ? late : usable.filter((endpoint) => hasFault(endpoint, 'server-error'));
  return { late, bad };
}

const evidenceOf = ({ pod, container, line }: NonNullable<ReturnType<typeof ownCallIn>>) => [
  logEvidence(refOfPod(pod), container, line),
];

const userOf = ({ metadata, spec }: Pod): string =>
  `system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName ?? 'default'}`;

export const handlerWaitsForService = defineCheck({
  meta: {
    id: 'handler-waits-for-service',
    title: 'Request of the webhook to another service fails',
    consequence: 'failing',
    why: 'The handler calls another server, such as a registry or a policy service, before it responds. If that server or its DNS name does not respond, the review exceeds timeoutSeconds, or the webhook denies objects that are not at fault.',
    advice:
      '[look] Read the error: `kubectl -n {namespace} logs {pod}`. [look] Check DNS, proxies, firewalls and egress NetworkPolicies between the Pod and that server: `kubectl -n {namespace} get networkpolicies`. [end] If that server refuses the request, correct the credentials of the webhook. [end] Configure a timeout for the requests of the webhook that is shorter than timeoutSeconds.',
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas} sent no response in time; the log reports a failed request to {host}: {detail}',
      some: partial(
        '{bad} of {total} replicas sent no response in time; the log reports a failed request to {host}: {detail}',
      ),
      itself: {
        text: '{replicas} sent no response in time: its handler sends a request that calls this webhook again ({detail})',
        advice:
          '[end] Exclude the ServiceAccount of the Pods in `matchConditions` of the webhook, with the expression `request.userInfo.username != "{user}"`: `kubectl edit {kind} {configuration}`. [end] Or write such objects after the response.',
      },
      errors: '{replicas} returned an HTTP error; the log reports a failed request to {host}: {detail}',
      ...denials,
    },
    follows: ['replica-node-not-ready'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts'],
  },
  requires,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const [denying] = usable;
    if (denying === undefined || usable.every(({ callResult }) => callResult.outcome === 'undecided')) {
      const message = probesAt(callout, facts)?.dryRun?.message ?? '';
      const evidence = [{ object: callout.ref, field: 'a server-side dry run', value: message }];
      return isDenialBy(callout, message)
        ? deniedAfter({ message, evidence }, callout, facts, find)
        : undefined;
    }
    const { late, bad } = withoutAnswer(callout, facts, usable);
    const replicas = namesText(bad.length === 0 ? usable : bad, serverNames(callout, facts));
    if (bad.length === 0) {
      if (!usable.every(({ callResult }) => callResult.outcome === 'denies')) return undefined;
      const message = replicaErrorText(denying);
      const evidence = [probedEndpointEvidence(callout, denying, message)];
      return deniedAfter({ message, evidence, pod: denying.pod, replicas }, callout, facts, find);
    }
    const all = bad.length === usable.length;
    const fails = bad.some(hasFailed);
    const names = new Set(bad.map(({ pod }) => pod));
    const pods = knownPods(callout, facts).filter(({ metadata }) => names.has(metadata.name));
    const own = all && fails && late.length > 0 ? ownCallIn(pods, callout, facts) : undefined;
    if (own !== undefined) {
      const detail = briefEnd(messageOfLine(own.line));
      const { metadata } = own.pod;
      return find('itself', { replicas, detail }, evidenceOf(own), {
        pod: metadata.name,
        user: userOf(own.pod),
      });
    }
    const request = failedRequest(pods, facts);
    if (request === undefined) return undefined;
    const data = { ...callData(request.error, facts), replicas };
    const named = { pod: request.pod.metadata.name };
    if (!all || (late.length > 0 && !fails))
      return find('some', { ...data, bad: bad.length, total: usable.length }, evidenceOf(request), named);
    return find(late.length === 0 ? 'errors' : 'all', data, evidenceOf(request), named);
  },
});
