import { closedApi } from '../../apiserver/aggregation/closed-api.ts';
import { ownCallEnd, proxyLike } from '../../apiserver/connection/own-call.ts';
import { ownEndOf } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts, probesAt } from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { wantsProxy } from '../../apiserver/routing/no-proxy.ts';
import type { CauseKind } from '../../apiserver/sentences/call-error/cause-kind.ts';
import { secondsSince } from '../../basics/time.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Container, Pod } from '../../facts/objects/pod.ts';
import type { World } from '../../facts/snapshot.ts';
import { lastingContainers } from '../../facts/workloads/container-crash.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import { sidecarOf } from '../../pods/listening.ts';
import { defineCheck } from '../check.ts';

/** The proxy settings of a kube-apiserver for this host; `through` is false if NO_PROXY excludes the host. */
function proxyOf(
  pod: Pod,
  host: string,
): { readonly through: boolean; readonly evidence: readonly Evidence[] } {
  const env = pod.spec.containers.flatMap((container) => container.env ?? []);
  const setting = (name: string): string | undefined =>
    env.find((one) => one.name === name)?.value || env.find((one) => one.name === name.toLowerCase())?.value;
  const proxy = setting('HTTPS_PROXY');
  const except = setting('NO_PROXY') ?? '';
  const object = refOfPod(pod);
  if (proxy === undefined) return { through: false, evidence: [] };
  return {
    through: wantsProxy(host, '443', except),
    evidence: [
      // The URL may contain a password.
      { object, field: 'env HTTPS_PROXY', value: proxy.replace(/\/\/[^/]*@/, '//…@') },
      { object, field: 'env NO_PROXY', value: except || 'none' },
    ],
  };
}

const required = [...probeFacts, 'apiServerPods'] as const;
type ProxyFacts = World<(typeof required)[number]>;

/** The message of the condition of an APIService that is not Available: responses contain less. */
const conditionMessage = (callout: Callout): string | undefined =>
  callout.kind === 'aggregated-api' && closedApi(callout)?.kind !== undefined
    ? callout.conditions.find(({ type }) => type === 'Available')?.message
    : undefined;

const serviceKey = (callout: Callout): string | undefined =>
  isServiceBacked(callout) ? keyOf(callout.client.service) : undefined;

/** The failure of the API server's own call, if every server that it can reach responds to probes. */
function endBesideHealthyPods(callout: Callout, facts: ProxyFacts) {
  const end = ownEndOf(callout, facts);
  if (end?.outcome !== 'fails') return undefined;
  const usable = usableEndpoints(callout, facts);
  const isHealthy =
    usable.length > 0 && usable.every(({ callResult }) => ['answers', 'denies'].includes(callResult.outcome));
  return isHealthy ? end : undefined;
}

/**
 * Services for which the API server's calls fail in the same way although their Pods respond, without the
 * sidecar of a service mesh.
 */
function endingAlike(kind: CauseKind | undefined, facts: ProxyFacts): ReadonlySet<string> {
  if (!proxyLike.includes(kind)) return new Set();
  return new Set(
    probedCallouts(facts).flatMap((callout) => {
      const key = serviceKey(callout);
      if (key === undefined || endBesideHealthyPods(callout, facts)?.kind !== kind) return [];
      return knownPods(callout, facts).some((pod) => sidecarOf(pod) !== undefined) ? [] : [key];
    }),
  );
}

/** The containers beside the one that declares the called port: probes reach that one without its Pod's network. */
function besideWebhook(callout: Callout, facts: ProxyFacts): ReadonlySet<string> {
  const port = usableEndpoints(callout, facts).find(({ probe }) => probe !== undefined)?.probe?.port;
  const serves = ({ ports = [] }: Container): boolean =>
    ports.some(({ containerPort }) => containerPort === port);
  return new Set(
    knownPods(callout, facts).flatMap((pod) => {
      const all = lastingContainers(pod);
      return all.some(serves) ? all.filter((one) => !serves(one)).map(({ name }) => name) : [];
    }),
  );
}

/** Seconds within which an API server may still call with the previous version of a configuration. */
const settlesWithin = 60;

/** True if the spec was written a moment ago: two programs may overwrite each other's caBundle. */
const isJustWritten = ({ metadata: { managedFields = [] } }: Callout, takenAt: string): boolean =>
  managedFields.some(
    ({ subresource, time }) =>
      (subresource ?? '') === '' && (secondsSince(time, takenAt) ?? settlesWithin) < settlesWithin,
  );

export const apiServerProxy = defineCheck({
  meta: {
    id: 'api-server-proxy',
    title: 'Proxy responds to the API server instead of the webhook',
    consequence: 'failing',
    why: 'kube-apiserver uses HTTPS_PROXY from its environment for webhook calls too. It compares NO_PROXY with the name `SERVICE.NAMESPACE.svc`, which the Service range and `.svc.cluster.local` do not match. The proxy refuses the connection, or presents a certificate of its own.',
    advice:
      "[look] Read the proxy variables: `kubectl -n kube-system get pods -l component=kube-apiserver -o jsonpath='{.items[*].spec.containers[*].env}'`. [end] Add `.svc` and the Service range to NO_PROXY of kube-apiserver, on every control plane node (kubeadm: `/etc/kubernetes/manifests/kube-apiserver.yaml`). [end] On a managed control plane, ask the provider.",
    noRemedy: { because: 'the environment of kube-apiserver is set on its own host' },
    messages: {
      refused: {
        sharedCause: true,
        text: 'The API server calls through an HTTP proxy, which refuses the connection: {detail}',
      },
      presents:
        'The API server calls through an HTTP proxy and gets another certificate than the Pods serve: {detail}',
      between:
        'The API server gets another certificate than the Pods serve, probably from an HTTP proxy: {detail}',
      container: {
        text: 'The API server gets another certificate than the webhook serves in its Pod, from container {containers} of the Pod or from an HTTP proxy: {detail}',
        advice:
          '[end] If a mesh sidecar or another container intercepts the connections to the Pod, exclude the port of the webhook in the Pod template: `kubectl -n {namespace} edit {workload}`. [end] If no container intercepts them, add `.svc` and the Service range to NO_PROXY of kube-apiserver, on every control plane node.',
      },
      alike: {
        sharedCause: true,
        text: 'Calls to {count} Services fail in the same way although their Pods respond, probably in an HTTP proxy: {detail}',
      },
    },
    references: ['https://github.com/kubernetes/kubernetes/issues/97704'],
  },
  requires: required,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const probes = probesAt(callout, facts);
    const end = probes && ownCallEnd(callout, probes);
    if (probes === undefined || end?.outcome !== 'fails') return undefined;
    const isProxy = end.kind === 'proxy';
    const alike = isProxy ? new Set<string>() : endingAlike(end.kind, facts);
    // An alert of the server shows no other certificate.
    const isStrange =
      (end.link === 'tls' && end.kind !== 'tls-alert') ||
      (alike.size > 1 && alike.has(serviceKey(callout) ?? ''));
    if (!isProxy && !(isStrange && endBesideHealthyPods(callout, facts) !== undefined)) return undefined;
    const pods = facts.apiServerPods.getIfKnown('kube-apiserver') ?? [];
    const words = conditionMessage(callout) ?? end.sentence;
    // An APIService is called at an IP address, a webhook by the name of its Service.
    const [, address = probes.serverName] = /https:\/\/\[?([0-9a-f.:]+?)\]?(?::\d+)?\//.exec(words) ?? [];
    const proxies = pods.map((pod) => proxyOf(pod, address));
    const [through] = proxies.filter((proxy) => proxy.through);
    // The cause is not a proxy of these API servers, or the call was made with the caBundle before the last change.
    const isDoubtful = pods.length > 0 || (end.link === 'tls' && isJustWritten(callout, facts.takenAt));
    if (!isProxy && isDoubtful && through === undefined) return undefined;
    const detail = brief(words.replace(/^.*? (Post|Get) "[^"]*": /, ''));
    const evidence = [{ object: callout.ref, value: words }, ...(through?.evidence ?? [])];
    if (alike.size > 1) {
      const confidence = through === undefined ? 'derived' : 'observed';
      return find('alike', { count: alike.size, detail }, evidence, confidence);
    }
    const containers = isProxy || through !== undefined ? new Set<string>() : besideWebhook(callout, facts);
    if (containers.size > 0) {
      const data = { containers: listed(containers, { word: 'or' }), detail };
      return find('container', data, evidence, 'derived');
    }
    if (isProxy) return find('refused', { detail }, evidence, 'observed');
    return find(through === undefined ? 'between' : 'presents', { detail }, evidence, 'observed');
  },
});
