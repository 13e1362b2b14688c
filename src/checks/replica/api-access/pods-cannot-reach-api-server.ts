import { probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { probedEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import {
  type ComponentTextKind,
  findComponentText,
} from '../../../apiserver/sentences/component-texts/component-texts.ts';
import { exitReason } from '../../../apiserver/sentences/logs/log-lines.ts';
import { lostLease } from '../../../apiserver/sentences/logs/lost-lease.ts';
import { firstResult } from '../../../basics/collections.ts';
import { type Callout, calloutId } from '../../../facts/callout.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts, World } from '../../../facts/snapshot.ts';
import { isCrashing, lastingStatuses } from '../../../facts/workloads/container-crash.ts';
import { logEvidence, logOf } from '../../../facts/workloads/pod-logs.ts';
import { isPodReady } from '../../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../../facts/workloads/replicas.ts';
import { clusterDns } from '../../../facts/workloads/system-pods.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { listed } from '../../../phrases/lists.ts';
import { podsText } from '../../../pods/bad-replicas.ts';
import { apiServerPorts, policiesAgainstApiServer, policiesAgainstDns } from '../../../pods/egress.ts';
import { type CheckStep, defineCheck, type Messages } from '../../check.ts';

/** The error of a request to the API server in a log, perhaps in a quoted field: method, URL and reason. */
const requestError =
  /(?:Get|Post|Put|Patch|Delete|List|Watch) \\?"?https?:\/\/[^"\\\s]*\\?"?: (?<reason>(?:[^"\\]|\\.)*)/;

const messageOfText: Readonly<
  Partial<Record<ComponentTextKind, 'unreachable' | 'variable' | 'untrusted' | 'tokenRefused'>>
> = {
  'api-server-unreachable': 'unreachable',
  'proxy-of-pod': 'variable',
  'api-server-not-trusted': 'untrusted',
  'token-refused': 'tokenRefused',
};

/** A connection whose packets were lost: not a timeout of DNS, or of a request over a connection. */
const noResponse = /\bdial tcp (?:\[[^\]\s]+\]|[\w.-]+):\d+: (?:i\/o timeout|connect: connection timed out)/;

/** A program that cannot reach the API server retries: lines before these may be from its start. */
const latestLines = 30;

/** The last line of the log of a Pod in which a request to the API server fails before it is authorized. */
function failedRequest(pod: Pod, facts: Pick<Facts, 'logs' | 'takenAt'>) {
  const lines = lastingStatuses(pod).flatMap((status) => {
    const container = status.name;
    const log = logOf(pod, container, facts);
    const all = log.trimEnd().split('\n');
    // A leader that loses its Lease has had a connection before.
    if (isCrashing(status, facts.takenAt) && lostLease(log) !== undefined) return [];
    const latest = isCrashing(status, facts.takenAt) ? all : all.slice(-latestLines);
    return latest.map((line) => ({ container, line }));
  });
  return lines.reverse().flatMap(({ container, line }) => {
    const message = messageOfText[findComponentText(line)?.kind ?? 'crash-loop'];
    return message === undefined ? [] : [{ container, line, message }];
  })[0];
}

/** Where clients of the API server read their token (client-go rest.InClusterConfig). */
const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The volume with the token for the API server, if that is for another audience. */
function otherAudience({ spec }: Pod, container: string) {
  const { volumeMounts = [] } = spec.containers.find(({ name }) => name === container) ?? {};
  const mounted = volumeMounts.find(({ mountPath }) => mountPath.replace(/\/$/, '') === tokenFolder)?.name;
  const { projected } = (spec.volumes ?? []).find(({ name }) => name === mounted) ?? {};
  const audience = (projected?.sources ?? []).flatMap(
    ({ serviceAccountToken }) => serviceAccountToken?.audience ?? [],
  )[0];
  return mounted === undefined || audience === undefined ? undefined : { volume: mounted, audience };
}

/**
 * The variable of the container that sets the proxy to which the client in the log connects. KUBERNETES_SERVICE_HOST is
 * not meant: it is set on purpose where kube-proxy does not run, and every outage would show its address.
 */
function addressVariable({ spec }: Pod, container: string, line: string) {
  const host = /(?:dial tcp|lookup) (?:lookup )?(?<host>[\w.-]*\w)/.exec(line)?.groups?.host;
  const { env = [] } = spec.containers.find(({ name }) => name === container) ?? {};
  return env.find(
    ({ name, value = '' }) =>
      host !== undefined && /^(?:https?|all)_proxy$/i.test(name) && value.split(/[/:@]+/).includes(host),
  )?.name;
}

/** Go's resolver, for a name that it does not find, or a DNS server that does not respond. */
const failedLookup = /\blookup (?<host>\S+) on \[?(?<server>[^\s\]]+)\]?:\d+: (?<reason>.*)/;

/** Why a name in the log of a Pod cannot be resolved: by the DNS settings of the Pod, or by the DNS server. */
function failedName({ spec }: Pod, line: string) {
  const { host, server = '', reason = '' } = failedLookup.exec(line)?.groups ?? {};
  if (host === undefined) return undefined;
  const found = { host, server };
  if (spec.dnsConfig?.nameservers?.includes(server)) return { ...found, why: 'nameserver' } as const;
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false } = spec;
  const ofNode = dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && hostNetwork);
  if (/no such host/.test(reason)) return ofNode ? ({ ...found, why: 'namesOfNode' } as const) : undefined;
  if (!/i\/o timeout|refused|unreachable|no route/.test(reason)) return undefined;
  return { ...found, why: ofNode ? 'resolverOfNode' : 'noResolver' } as const;
}

/** What a crashed Pod of cluster DNS logs, if that is the DNS server and none of its Pods is Ready. */
function crashedResolver(
  { server, host }: { readonly server: string; readonly host: string },
  facts: Pick<Facts, 'pods' | 'services' | 'logs'>,
) {
  const { clusterIP, clusterIPs = [] } = facts.services.getIfKnown(clusterDns)?.spec ?? {};
  const own = facts.pods.getIfKnown(clusterDns) ?? [];
  if (![clusterIP, ...clusterIPs].includes(server) || own.some(isPodReady)) return undefined;
  return firstResult(own, (pod) => {
    const { name } = pod.metadata;
    return firstResult(pod.spec.containers, ({ name: container }) => {
      const line = exitReason(logOf(pod, container, facts));
      const said = { host, resolver: name, reason: brief(line ?? '') };
      return line === undefined
        ? undefined
        : { said, evidence: logEvidence(refOfPod(pod), container, line), names: { holder: name } };
    });
  });
}

/** The policies that isolate the Pods, if each Pod is isolated; with the evidence. */
function isolation(pods: readonly Pod[], text: string, policiesOf: (pod: Pod) => readonly string[]) {
  const isolating = pods.map(policiesOf);
  if (!isolating.every(({ length }) => length > 0)) return undefined;
  const names = [...new Set(isolating.flat())];
  const namespace = pods[0]?.metadata.namespace ?? '';
  const evidence = names.map((name) => ({
    object: { kind: 'NetworkPolicy', namespace, name },
    field: 'spec.egress',
    value: `selects ${text}`,
  }));
  return { policies: listed(names), evidence };
}

const useClusterNames =
  '[end] Let the Pod use cluster DNS: set `dnsPolicy: ClusterFirst` (`ClusterFirstWithHostNet` with `hostNetwork`), and remove `dnsConfig.nameservers`: `kubectl -n {namespace} edit {workload}`.';

/** Whether an `ipBlock` is compared with the address of a Service or of its endpoint is not defined. */
const allowEgress =
  '[look] Read the policies that select the Pods: `kubectl -n {namespace} describe networkpolicies`. [end] Allow egress to the API server with an `ipBlock` for its endpoints and for the address of its Service: `kubectl -n default get services,endpointslices`.';

const loadAuthority =
  '[end] Restart the Pods, so that they load the current CA of the API server: `kubectl -n {namespace} rollout restart {workload}`. [end] If that does not help, compare the certificate of the API server with the ConfigMap `kube-root-ca.crt` of the namespace.';
const getToken =
  '[end] Restart the Pods, so that they get a new token: `kubectl -n {namespace} rollout restart {workload}`. [look] If that does not help, check that their ServiceAccount exists: `kubectl -n {namespace} get serviceaccounts`.';

const messages = {
  policy: {
    text: '{pods} cannot reach the API server: no egress to its addresses is allowed by NetworkPolicy {policies}, and the log reports {detail}',
    advice: allowEgress,
  },
  policyPort: {
    text: '{pods} cannot reach the API server: NetworkPolicy {policies} allows no egress to its port {port}, and the log reports {detail}',
    advice:
      '[end] Add the port of the API server to the egress rule that has 443: `kubectl -n {namespace} describe networkpolicies`. [look] Network plugins usually compare the port of the endpoint: `kubectl -n default get endpointslices`.',
  },
  policyOnly: {
    text: 'No egress of {pods} to the API server is allowed by NetworkPolicy {policies}, and no replica listens on the webhook port',
    advice: allowEgress,
  },
  policyNotReady: {
    text: 'No egress of {pods} to the API server is allowed by NetworkPolicy {policies}, and none is Ready',
    advice: allowEgress,
    explains: false,
    consequence: 'none',
    severity: 'warning',
  },
  unreachable: { text: '{pods} cannot reach the API server: {detail}', sharedCause: true },
  variable: {
    text: '{pods} cannot reach the API server at the address in variable {variable} of container {container}: {detail}',
    advice:
      '[end] Correct or remove the variable: `kubectl -n {namespace} edit {workload}`. [end] For a proxy, add the address of the API server to `NO_PROXY`: `kubectl -n default get service kubernetes`.',
  },
  nameserver: {
    text: '{pods} cannot resolve {host} with nameserver {server}, which `dnsConfig` of the Pod names: {detail}',
    advice: useClusterNames,
  },
  namesOfNode: {
    text: '{pods} cannot resolve {host} with the DNS of the node, which `dnsPolicy` of the Pod selects: {detail}',
    advice: useClusterNames,
  },
  noResolver: {
    sharedCause: true,
    text: '{pods} cannot resolve {host}, because DNS server {server} does not respond: {detail}',
    advice:
      '[look] Check that the Pods of cluster DNS are Ready: `kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide`. [look] Then check kube-proxy and the network plugin on the node: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`. [look] A NetworkPolicy for egress must allow port 53: `kubectl -n {namespace} describe networkpolicies`.',
  },
  dnsDown: {
    sharedCause: true,
    text: '{pods} cannot resolve {host}, because no Pod of cluster DNS is Ready ({resolver}): {reason}',
    advice:
      '[end] Correct the error in the log of cluster DNS: `kubectl -n kube-system logs {holder} --previous`. [end] If the log reports an error of the Corefile, correct it, usually in this ConfigMap: `kubectl -n kube-system edit configmap coredns`. [with] Then restart cluster DNS: `kubectl -n kube-system delete pod {holder}`.',
  },
  resolverOfNode: {
    text: '{pods} cannot resolve {host}, because {server}, a DNS server of the node, does not respond: {detail}',
    advice: useClusterNames,
  },
  policyDns: {
    text: '{pods} cannot resolve {host}: NetworkPolicy {policies} allows no egress to port 53, and DNS server {server} does not respond',
    advice:
      '[end] Allow egress to port 53, for UDP and TCP: `kubectl -n {namespace} describe networkpolicies`. [look] If the network plugin does not enforce NetworkPolicies, check the Pods of cluster DNS instead: `kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide`.',
  },
  untrusted: {
    sharedCause: true,
    text: '{pods} cannot verify the certificate of the API server: {detail}',
    advice: loadAuthority,
  },
  audience: {
    text: 'The API server does not accept the token of {pods}: volume {volume} requests it for audience {audience}',
    advice:
      'Remove `audience` of `serviceAccountToken` from the volume, or mount a token without it for the API server: `kubectl -n {namespace} edit {workload}`.',
  },
  tokenRefused: {
    text: 'The API server does not accept the ServiceAccount token of {pods}: {detail}',
    advice: getToken,
  },
} as const satisfies Messages;

const requires = [...probeFacts, 'networkPolicies', 'logs'] as const;

const advice =
  '[look] Check the Pods of kube-proxy and of the network plugin on the node: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`. [look] Then check the policies that block egress, also those of the network plugin itself: `kubectl -n {namespace} describe networkpolicies`.';

type CutFacts = World<(typeof requires)[number]>;
type OwnStep<Subject = Cut> = CheckStep<Subject, typeof requires, typeof messages, typeof advice>;
type SilentPods = { readonly pods: readonly Pod[]; readonly isClosed: boolean };

const serves = (pod: Pod, { takenAt }: Pick<Facts, 'takenAt'>): boolean =>
  isPodReady(pod) && !lastingStatuses(pod).some((status) => isCrashing(status, takenAt));

/** True if every server that was probed refuses the connection. */
function listensNowhere(callout: Callout, facts: CutFacts): boolean {
  const isProbed = facts.probes.why(calloutId(callout)) === undefined;
  const endpoints = isProbed ? probedEndpoints(callout, facts) : [];
  return (
    endpoints.length > 0 &&
    endpoints.every(({ callResult }) => callResult.outcome === 'fails' && callResult.fault === 'refused')
  );
}

/** Pods that policies isolate, and whose logs report no failed request. */
const isolatedOnly: OwnStep<SilentPods> = ({ pods, isClosed }, facts, find) => {
  const text = podsText(pods, pods);
  const isolated = isolation(pods, text, (pod) => policiesAgainstApiServer(pod, facts, 'service'));
  if (isolated === undefined || pods.some(({ status }) => status.phase !== 'Running')) return undefined;
  const data = { pods: text, policies: isolated.policies };
  return find(isClosed ? 'policyOnly' : 'policyNotReady', data, isolated.evidence);
};

/** A failed request in the log of a Pod, and all Pods of the backend. */
type Cut = NonNullable<ReturnType<typeof failedRequest>> & {
  readonly pod: Pod;
  readonly pods: readonly Pod[];
  /** Those with failed requests. */
  readonly text: string;
  /** The error of the request. */
  readonly detail: string;
};

/** A name that cannot be resolved, because of the settings of the Pod, the DNS server, or a policy before it. */
const nameFails: OwnStep = ({ pod, container, line, detail, pods, text }, facts, find) => {
  const name = failedName(pod, line);
  if (name === undefined) return undefined;
  const { why, ...found } = name;
  const data = { ...found, pods: text, detail };
  const logged = logEvidence(refOfPod(pod), container, line);
  if (why === 'noResolver') {
    const down = crashedResolver(found, facts);
    if (down !== undefined)
      return find('dnsDown', { ...data, ...down.said }, [down.evidence, logged], down.names);
    const isolated = isolation(pods, text, (one) => policiesAgainstDns(one, facts));
    if (isolated !== undefined) return find('policyDns', { ...data, policies: isolated.policies }, [logged]);
  }
  return find(why, data, [logged], { node: pod.spec.nodeName });
};

/** A request that fails for the reason in the log. */
const requestFails: OwnStep = (cut, facts, find) => {
  const { pod, container, line, message, detail, text: pods } = cut;
  const logged = logEvidence(refOfPod(pod), container, line);
  const audience = message === 'tokenRefused' ? otherAudience(pod, container) : undefined;
  if (audience !== undefined) return find('audience', { pods, ...audience }, [logged]);
  const isUnreachable = message === 'unreachable';
  const isolated = isUnreachable ? isolationBy(cut, facts) : undefined;
  if (isolated !== undefined) {
    const port = listed(apiServerPorts(facts).map(String));
    const data = { pods, policies: isolated.policies, port, detail };
    return find(isolated.byPort ? 'policyPort' : 'policy', data, [...isolated.evidence, logged]);
  }
  if (isUnreachable || message === 'variable') {
    const variable = addressVariable(pod, container, line);
    if (variable !== undefined) return find('variable', { pods, variable, container, detail }, [logged]);
    if (message === 'variable') return undefined;
  }
  const unresolved = isUnreachable ? nameFails(cut, facts, find) : undefined;
  return unresolved ?? find(message, { pods, detail }, [logged], { node: pod.spec.nodeName });
};

/** The policies that let no packet through to the API server. */
function isolationBy({ pods, text, line }: Cut, facts: CutFacts) {
  const against = (suffices: 'port of service' | 'endpoint') =>
    isolation(pods, text, (pod) => policiesAgainstApiServer(pod, facts, suffices));
  const byAddress = against('port of service');
  if (byAddress !== undefined) return { ...byAddress, byPort: false };
  // A plugin that compares the port of the endpoint lets no packet through, which the log then shows.
  const byPort = noResponse.test(line) ? against('endpoint') : undefined;
  return byPort && { ...byPort, byPort: true };
}

export const podsCannotReachApiServer = defineCheck({
  meta: {
    id: 'pods-cannot-reach-api-server',
    title: 'Pods of the webhook cannot use the API server',
    consequence: 'failing',
    textAdvice: { 'api-server-not-trusted': loadAuthority, 'token-refused': getToken },
    why: 'A process that fills caches, elects a leader or writes its own certificate needs the API server before it serves. Without a connection it does not become Ready, does not listen, or exits, and no caBundle is written.',
    advice,
    noRemedy: 'a-decision',
    messages,
    follows: ['replica-node-not-ready'],
    references: [
      '/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors',
      '/docs/tasks/tls/manual-rotation-of-ca-certificates/',
      '/docs/tasks/debug/debug-application/debug-service/#is-the-kube-proxy-working',
    ],
  },
  requires,
  subjects: examinedBackends,
  run({ callout, key }, facts, find) {
    const pods = replicaPods(facts.pods.get(key) ?? []);
    if (pods.length === 0) return undefined;
    const isClosed = listensNowhere(callout, facts);
    if (!isClosed && pods.some((pod) => serves(pod, facts))) return undefined;
    const failing = pods.flatMap((pod) => {
      const request = failedRequest(pod, facts);
      return request === undefined ? [] : [{ pod, ...request }];
    });
    const [first] = failing;
    if (first === undefined) return isolatedOnly({ pods, isClosed }, facts, find);
    const text = podsText(
      failing.map(({ pod }) => pod),
      pods,
    );
    const { reason = first.line } = requestError.exec(first.line)?.groups ?? {};
    return requestFails({ ...first, pods, text, detail: brief(reason) }, facts, find);
  },
});
