import { hostPort } from '../../apiserver/routing/host-port.ts';
import type { ProxyResponse } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import { type ClusterProber, ReadError } from '../cluster.ts';
import { statusOf } from '../status.ts';
import { isStoppedByAdmission } from './stopped-by-admission.ts';
import { connectionUnread } from './unread.ts';

/** A Service or Pod as target of the API server's proxy. */
export interface ProxyTarget {
  readonly way: ProxyResponse['way'];
  readonly namespace: string;
  readonly name: string;
  /** The port of a Service, or of a container. */
  readonly port: number;
}

const pluralOf = ({ way }: ProxyTarget): string => (way === 'service-proxy' ? 'services' : 'pods');

/** The permission that a GET through a proxy requires. */
const proxyRule = (target: ProxyTarget): AllowRule => ({
  apiGroups: [''],
  resources: [`${pluralOf(target)}/proxy`],
  verbs: ['get'],
  namespace: target.namespace,
});

const sentence = /^error trying to reach service: (?<net>.*)$/s;

/** Errors of the API server's proxy itself, as opposed to responses that it passes on. */
const ofTheProxy =
  /^no endpoints available for service|^no service port .* found for service|^address not allowed|^(pods|services|endpoints) ".*" not found$/;

/**
 * Sends a GET of `/` through the API server's proxy. Any response of the backend shows that it is reachable.
 * `no response in time`: the API server itself tries to connect for up to 30 s.
 */
export async function requestThroughProxy(
  prober: ClusterProber,
  target: ProxyTarget,
  timeout: number,
  signal: AbortSignal,
): Promise<ProxyResponse | Unread> {
  const { way, namespace, name, port } = target;
  const plural = pluralOf(target);
  const what = `${plural}/proxy to ${hostPort(`${namespace}/${name}`, port)}`;
  const base = pathOf({ group: '', version: 'v1', plural }, namespace);
  const started = performance.now();
  const late = AbortSignal.timeout(timeout);
  try {
    const answer = await prober.get(`${base}/https:${name}:${port}/proxy/`, AbortSignal.any([signal, late]));
    const milliseconds = performance.now() - started;
    const { status } = answer;
    const { message = '', details } = statusOf(answer) ?? {};
    if (status === 403 && details?.kind === plural && message.includes(`"${plural}/proxy"`))
      return { what, why: 'forbidden', detail: message, allow: proxyRule(target) };
    if (status >= 400 && isStoppedByAdmission(message)) return { what, why: 'server-error', detail: message };
    const net = status === 503 ? sentence.exec(message)?.groups?.net : undefined;
    if (net !== undefined) return { way, reached: false, status, text: net, milliseconds };
    if (status >= 400 && ofTheProxy.test(message))
      return { way, reached: false, status, text: message, milliseconds };
    return { way, reached: true, status, text: '', milliseconds };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted)
      return { way, reached: false, status: 0, text: '', milliseconds: performance.now() - started };
    if (error instanceof ReadError) return connectionUnread(what, error, proxyRule(target));
    throw error;
  }
}
