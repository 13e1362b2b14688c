import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probedCallouts, probeFacts, probesAt, usableMet } from '../../apiserver/connection/probed.ts';
import { parseCallError } from '../../apiserver/sentences/parse-call-error.ts';
import { advise } from '../../facts/advice.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

/** `.svc`, `svc`, `*.svc`, `policy.shop.svc`, each with a port where it has one: golang.org/x/net/http/httpproxy. */
function isExempt(host: string, entry: string): boolean {
  const [name = '', port = '443'] = entry.trim().toLowerCase().replace(/^\*\./, '.').split(':');
  if (name === '*') return true;
  if (name === '' || port !== '443') return false;
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

/** How a kube-apiserver was told to use a proxy for this host; `through` is false where it makes an exception. */
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
    through: !except.split(',').some((entry) => isExempt(host, entry)),
    evidence: [
      // A password may stand in it.
      { object, field: 'env HTTPS_PROXY', value: proxy.replace(/\/\/[^/@]*@/, '//…@') },
      { object, field: 'env NO_PROXY', value: except || 'none' },
    ],
  };
}

export const apiServerProxy = defineCheck({
  meta: {
    id: 'api-server-proxy',
    link: 'network',
    title: 'API server calls the webhook through an HTTP proxy',
    severity: 'error',
    consequence: 'failing',
    explains: {
      proxy: 1,
      'several-backends': 1,
      'gateway-timeout': 2,
      unavailable: 3,
      forbidden: 3,
      'apiservice-discovery-failed': 3,
      'unknown-authority': 5,
      'connection-closed': 5,
    },
    why: 'kube-apiserver uses HTTPS_PROXY from its environment for webhook calls as well. Go compares NO_PROXY with the name `SERVICE.NAMESPACE.svc`: the Service range and `.svc.cluster.local` do not match it. The proxy rejects the connection, or presents a certificate of its own.',
    advice: advise`Add \`.svc\` to NO_PROXY of kube-apiserver, and the Service range for calls by address, on every control-plane node (kubeadm: \`/etc/kubernetes/manifests/kube-apiserver.yaml\`): ${"kubectl -n kube-system get pods -l component=kube-apiserver -o jsonpath='{.items[*].spec.containers[*].env}'"} shows what is set. On a managed control plane, ask the provider.`,
    noRemedy: { because: 'the environment of kube-apiserver is set on its own host' },
    messages: {
      refused: 'The API server calls through an HTTP proxy, which refuses the connection: {said}',
      presents:
        'The API server calls through an HTTP proxy and gets another certificate than the Pods serve: {said}',
      between:
        'The API server gets another certificate than the Pods serve, probably from an HTTP proxy: {said}',
    },
    references: ['https://github.com/kubernetes/kubernetes/issues/97704'],
  },
  requires: [...probeFacts, 'apiServerPods'],
  subjects: probedCallouts,
  run(probed, facts, find) {
    const probes = probesAt(probed, facts);
    const end = probes && ownCallEnd(probed.callout, probes);
    if (probes === undefined || end?.outcome !== 'fails') return undefined;
    const isProxy = parseCallError(end.sentence)?.cause?.kind === 'proxy';
    const met = usableMet(probed, facts);
    const isAccepted =
      met.length > 0 && met.every(({ meeting }) => ['answers', 'denies'].includes(meeting.outcome));
    if (!isProxy && (end.link !== 'tls' || !isAccepted)) return undefined;
    const pods = facts.apiServerPods.getIfKnown('kube-apiserver') ?? [];
    const proxies = pods.map((pod) => proxyOf(pod, probes.serverName));
    const [through] = proxies.filter((proxy) => proxy.through);
    // Whoever it is, it is not a proxy of these.
    if (!isProxy && pods.length > 0 && through === undefined) return undefined;
    const said = brief(end.sentence.replace(/^.*? (Post|Get) "[^"]*": /, ''));
    const evidence = [{ object: probed.ref, value: end.sentence }, ...(through?.evidence ?? [])];
    const message = isProxy ? 'refused' : through === undefined ? 'between' : 'presents';
    return find(message, { said }, evidence, 'observed');
  },
});
