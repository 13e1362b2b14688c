import { unavailableCode } from '../../../apiserver/admission/failure-policy.ts';
import { verifyServerCertificate } from '../../../apiserver/certificate/verify/verify-server-certificate.ts';
import { connectionRefused } from '../../../apiserver/next-call/among-replicas.ts';
import type { EvaluatedResponse } from '../../../apiserver/response/raw-response.ts';
import { evaluateResponse } from '../../../apiserver/response/response.ts';
import { effectivePath } from '../../../apiserver/routing/effective-path.ts';
import { type Route, routeTo } from '../../../apiserver/routing/route.ts';
import { callSentence } from '../../../apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout, ServiceReference } from '../../../facts/callout.ts';
import type { ApiState } from '../api-request.ts';
import { CallFailed, callBackend } from '../backend-call.ts';
import { type ObjectsOf, podNamed, serviceNamed, slicesOf, uidOf } from '../object-store.ts';
import { NotSupported } from '../status.ts';
import type { AdmissionAttributes } from './admit.ts';

/** Go's error for the server's leaf certificate; undefined if it is valid. There are no system roots. */
function verifyLeaf(
  presented: Uint8Array,
  caBundle: string | undefined,
  host: string,
  now: Date,
): string | undefined {
  const verdict = verifyServerCertificate({ presented: [presented], caBundle, host, now });
  if (verdict.outcome === 'accepted') return undefined;
  return verdict.outcome === 'rejected' ? verdict.faults[0].text : verdict.error;
}

/** The route to a Service by its ClusterIP, the default (kube-aggregator pkg/apiserver/resolvers.go). */
export function routeIn(store: ObjectsOf, reference: ServiceReference): Route {
  const service = serviceNamed(store, reference.namespace, reference.name);
  const slices = service === undefined ? [] : slicesOf(store, service);
  return routeTo({ reference, service, slices }, 'cluster-ip');
}

/** Whether the result depends on neither routing mode nor node: a scenario may leave both open. */
export const isReachable = (route: Route): boolean =>
  route.kind === 'refused'
    ? route.reason !== 'headless'
    : route.via === 'cluster-ip' && !route.localOnly && route.unproxied === undefined;

/** The endpoint that kube-proxy sends the connection to: always the first usable one. */
function targetOf(reference: ServiceReference, { store }: ApiState) {
  const route = routeIn(store, reference);
  if (!isReachable(route)) throw new NotSupported('a Service that ClusterIP routing may not reach');
  if (route.kind === 'refused') throw new CallFailed(route.text);
  const { address, endpoints } = route;
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new CallFailed(connectionRefused(address));
  const { namespace } = reference;
  const pod = podNamed(store, namespace, endpoint.pod?.name);
  if (pod?.status.podIPs?.some(({ ip }) => ip === endpoint.address) !== true)
    throw new NotSupported('an endpoint that belongs to no Pod');
  return { pod: `${namespace}/${pod.metadata.name}`, port: endpoint.port, dialled: address };
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

const review = (request: AdmissionAttributes, uid: string) => {
  const { group, version, kind, resource, subresource, namespace, operation, dryRun, user } = request;
  const of = { kind: { group, version, kind }, resource: { group, version, resource } };
  const sub = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    ...{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' },
    request: {
      ...{ uid, ...of, ...sub, requestKind: of.kind, requestResource: of.resource },
      ...{ name: request.name, ...(namespace === undefined ? {} : { namespace }), operation, userInfo: user },
      ...{ object: request.object ?? null, oldObject: request.oldObject ?? null, dryRun },
      options: {
        ...{ kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' },
        ...(dryRun ? { dryRun: ['All'] } : {}),
      },
    },
  };
};

/** Calls a webhook for a write request over HTTPS, as the API server does. */
export async function callWebhook(
  webhook: AdmissionCallout,
  request: AdmissionAttributes,
  signal: AbortSignal,
  state: ApiState,
): Promise<EvaluatedResponse> {
  const { client, timeoutSeconds } = webhook;
  const { service } = client;
  if (service === undefined) throw new NotSupported('a webhook with a URL');
  const serverName = `${service.name}.${service.namespace}.svc`;
  const uid = uidOf('AdmissionReview', webhook.webhook, request.name);
  const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await callBackend(state.network, targetOf(service, state), {
      ...{ scheme: 'https', method: 'POST', serverName },
      path: `${effectivePath(service.path)}?timeout=${timeoutSeconds}s`,
      headers: {
        host: `${serverName}:${service.port}`,
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'user-agent': 'kube-apiserver-admission',
      },
      body: JSON.stringify(review(request, uid)),
      signal: AbortSignal.any([signal, deadline]),
      notTls: 'http: server gave HTTP response to HTTPS client',
      verify: (presented) => verifyLeaf(presented, client.caBundle, serverName, state.now()),
    });
    const { kind } = webhook;
    return evaluateResponse(response, {
      ...{ webhook: webhook.webhook, kind, version: 'v1', uid, object: request.object },
    });
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const cause = deadline.aborted ? 'context deadline exceeded' : error.message;
    const text = callSentence(webhook, cause);
    return { outcome: 'call-failure', text, complete: true, code: unavailableCode(undefined) };
  }
}
