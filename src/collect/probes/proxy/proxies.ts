import { hostPort } from '../../../apiserver/routing/host-port.ts';
import type { CauseKind } from '../../../apiserver/sentences/call-error/cause-kind.ts';
import { findCause } from '../../../apiserver/sentences/call-error/find-cause.ts';
import type { ProxyResponse } from '../../../facts/probes.ts';
import { pathOf } from '../../../facts/resource.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import { type ClusterProber, ReadError } from '../../cluster.ts';
import { statusOf } from '../../status.ts';
import { isStoppedByAdmission } from '../api-server/stopped-by-admission.ts';
import type { PodPort } from '../connection/peer.ts';
import { connectionUnread } from '../unread.ts';

/** `pods/proxy to shop/policy-1:8443`. */
export const proxyText = ({ namespace, pod, port }: PodPort): string =>
  `pods/proxy to ${hostPort(`${namespace}/${pod}`, port)}`;

/** The permission that a GET through a proxy requires. */
const proxyRule = ({ namespace }: PodPort): AllowRule => ({
  apiGroups: [''],
  resources: ['pods/proxy'],
  verbs: ['get'],
  namespace,
});

const sentence = /^error trying to reach service: (?<net>.*)$/s;

/** Errors of the API server's proxy itself, as opposed to responses that it passes on. */
const ofTheProxy = /^address not allowed|^pods ".*" not found$/;

/**
 * The scheme of a GET through the proxy. `http` to a port that serves TLS: the TLS library refuses it, and the handler
 * never receives it.
 */
export type ProxyScheme = 'https' | 'http';

/** How a TLS server refuses plain HTTP, besides a response of status 400: it closes the connection, or sends an alert. */
const refusesPlain: readonly (CauseKind | undefined)[] = ['connection-closed', 'not-http'];

/**
 * Sends a GET of `/` through the API server's proxy. Any response of the backend shows that it is reachable.
 * `no response in time`: the API server itself tries to connect for up to 30 s.
 */
export async function requestThroughProxy(
  prober: ClusterProber,
  { scheme, ...target }: PodPort & { readonly scheme: ProxyScheme },
  timeout: number,
  signal: AbortSignal,
): Promise<ProxyResponse | Unread> {
  const { namespace, pod, port } = target;
  const what = proxyText(target);
  const base = pathOf({ group: '', version: 'v1', plural: 'pods' }, namespace);
  const started = performance.now();
  const late = AbortSignal.timeout(timeout);
  try {
    const answer = await prober.get(
      `${base}/${scheme}:${pod}:${port}/proxy/`,
      AbortSignal.any([signal, late]),
    );
    const milliseconds = performance.now() - started;
    const { status } = answer;
    const { message = '', details } = statusOf(answer) ?? {};
    if (status === 403 && details?.kind === 'pods' && message.includes('"pods/proxy"'))
      return { what, why: 'forbidden', detail: message, allow: proxyRule(target) };
    if (status >= 400 && isStoppedByAdmission(message)) return { what, why: 'server-error', detail: message };
    const net = status === 503 ? sentence.exec(message)?.groups?.net : undefined;
    if (net !== undefined && !(scheme === 'http' && refusesPlain.includes(findCause(net)?.kind)))
      return { reached: false, status, text: net, milliseconds };
    if (status >= 400 && ofTheProxy.test(message))
      return { reached: false, status, text: message, milliseconds };
    return { reached: true, status, text: '', milliseconds };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted)
      return { reached: false, status: 0, text: '', milliseconds: performance.now() - started };
    if (error instanceof ReadError) return connectionUnread(what, error, proxyRule(target));
    throw error;
  }
}
