import { X509Certificate } from 'node:crypto';
import { posix } from 'node:path';
import type { Service } from '../../../facts/objects/service.ts';
import { rfc3339 } from '../../../facts/seconds.ts';
import type { ApiState } from '../api-request.ts';
import { CallFailed, callBackend } from '../backend-call.ts';
import { podNamed, serviceNamed, slicesOf, uidOf } from '../object-store.ts';
import { NotSupported } from '../status.ts';
import type { AdmissionAttributes, StoredWebhook } from './matching.ts';
import { judgeReviewAnswer, type ReviewVerdict } from './review-answer.ts';

function outOfTime(certificate: X509Certificate, now: Date): string | undefined {
  const { validFromDate, validToDate } = certificate;
  const what = `x509: certificate has expired or is not yet valid: current time ${rfc3339(now)}`;
  if (now < validFromDate) return `${what} is before ${rfc3339(validFromDate)}`;
  return now > validToDate ? `${what} is after ${rfc3339(validToDate)}` : undefined;
}

function wrongName(leaf: X509Certificate, serverName: string): string | undefined {
  if (leaf.checkHost(serverName, { subject: 'never', partialWildcards: false }) !== undefined)
    return undefined;
  const names = (leaf.subjectAltName ?? '').split(', ').filter((name) => name.startsWith('DNS:'));
  if (names.length === 0) throw new NotSupported('a certificate without names');
  return `x509: certificate is valid for ${names.map((name) => name.slice(4)).join(', ')}, not ${serverName}`;
}

function notSigned(leaf: X509Certificate, authority: X509Certificate, now: Date): string | undefined {
  const unknown = 'x509: certificate signed by unknown authority';
  if (leaf.issuer !== authority.subject) return unknown;
  if (leaf.verify(authority.publicKey)) return outOfTime(authority, now);
  if (authority.publicKey.asymmetricKeyType !== 'ed25519') throw new NotSupported('keys of this kind');
  const name = /^CN=(.*)$/.exec(authority.subject)?.[1] ?? '';
  return `${unknown} (possibly because of "x509: Ed25519 verification failure" while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}

/**
 * Go's error for a leaf that a CA of the caBundle must have signed; undefined if it is valid. Checks time,
 * name and signer in Go's order. Longer chains are not verified.
 */
function verifyLeaf(
  presented: Uint8Array,
  caBundle: string | undefined,
  serverName: string,
  now: Date,
): string | undefined {
  const bundle = Buffer.from(caBundle ?? '', 'base64').toString();
  if (bundle.split('-----BEGIN').length !== 2)
    throw new NotSupported('a caBundle of other than one certificate');
  const leaf = new X509Certificate(presented);
  const fault =
    outOfTime(leaf, now) ?? wrongName(leaf, serverName) ?? notSigned(leaf, new X509Certificate(bundle), now);
  return fault === undefined ? undefined : `tls: failed to verify certificate: ${fault}`;
}

interface Endpoint {
  /** `namespace/name` */
  readonly pod: string;
  readonly port: number;
}

/** The endpoint that kube-proxy sends connections for a Service port to: always the first usable one. */
function endpointOf(service: Service, portName: string, { store }: ApiState): Endpoint | undefined {
  const { namespace = '' } = service.metadata;
  const all = slicesOf(store, service).flatMap(({ ports, endpoints }) => {
    const port = ports?.find((one) => (one.name ?? '') === portName)?.port;
    return port === undefined ? [] : (endpoints ?? []).map((endpoint) => ({ port, endpoint }));
  });
  const chosen =
    all.find(({ endpoint: { conditions } }) => conditions?.ready !== false) ??
    // Without a ready endpoint: those that are serving and terminating (KEP-1669).
    all.find(({ endpoint: { conditions } }) => conditions?.serving && conditions.terminating);
  if (chosen === undefined) return undefined;
  const { addresses, targetRef } = chosen.endpoint;
  const pod = podNamed(store, namespace, targetRef?.name);
  if (pod?.status.podIPs?.some(({ ip }) => ip === addresses[0]) !== true)
    throw new NotSupported('an endpoint that belongs to no Pod');
  return { pod: `${namespace}/${pod.metadata.name}`, port: chosen.port };
}

/** The default address for a Service: its ClusterIP (kube-aggregator pkg/apiserver/resolvers.go). */
function targetOf(webhook: StoredWebhook, state: ApiState) {
  const { service: reference } = webhook.clientConfig;
  if (reference === undefined) throw new NotSupported('a webhook with a URL');
  const { namespace, name, port } = reference;
  const service = serviceNamed(state.store, namespace, name);
  if (service === undefined) throw new CallFailed(`service "${name}" not found`);
  const { type = 'ClusterIP', clusterIP = '', ports = [], internalTrafficPolicy } = service.spec;
  if (type === 'ExternalName' || clusterIP === 'None' || internalTrafficPolicy === 'Local')
    throw new NotSupported('a Service that ClusterIP routing may not reach');
  const declared = ports.find((one) => one.port === port);
  if (declared === undefined) throw new CallFailed(`no service port ${port} found for service "${name}"`);
  if ((declared.protocol ?? 'TCP') !== 'TCP') throw new NotSupported('a port that is not for TCP');
  const dialled = `${clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP}:${port}`;
  const endpoint = endpointOf(service, declared.name ?? '', state);
  if (endpoint === undefined) throw new CallFailed(`dial tcp ${dialled}: connect: connection refused`);
  return { ...endpoint, dialled };
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

const nameOf = ({ object, oldObject }: AdmissionAttributes): string =>
  (object ?? oldObject)?.metadata.name ?? '';

const review = (attributes: AdmissionAttributes, uid: string, user: string) => {
  const { resource, subresource, namespace, operation, object, oldObject, dryRun } = attributes;
  const { group, version, kind, plural } = resource;
  const of = { kind: { group, version, kind }, resource: { group, version, resource: plural } };
  const sub = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    ...{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' },
    request: {
      ...{ uid, ...of, ...sub, requestKind: of.kind, requestResource: of.resource },
      ...{ name: nameOf(attributes), ...(namespace === undefined ? {} : { namespace }), operation },
      userInfo: { username: user, groups: ['system:authenticated'] },
      ...{ object: operation === 'DELETE' ? null : object, oldObject: oldObject ?? null, dryRun },
      options: {
        ...{ kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' },
        ...(dryRun ? { dryRun: ['All'] } : {}),
      },
    },
  };
};

/** Calls a webhook for a write request over HTTPS, as the API server does. */
export async function callWebhook(
  webhook: StoredWebhook,
  request: AdmissionAttributes,
  { user, signal }: { readonly user: string; readonly signal: AbortSignal },
  state: ApiState,
): Promise<ReviewVerdict> {
  const { clientConfig, timeoutSeconds } = webhook;
  const { namespace = '', name = '', port, path = '' } = clientConfig.service ?? {};
  const serverName = `${name}.${namespace}.svc`;
  const cleaned = posix.join('/', path).replace(/(.)\/$/, '$1');
  const call = {
    uid: uidOf('AdmissionReview', webhook.name, nameOf(request)),
    webhook: webhook.name,
  };
  const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await callBackend(state.network, targetOf(webhook, state), {
      ...{ scheme: 'https', method: 'POST', path: `${cleaned}?timeout=${timeoutSeconds}s`, serverName },
      headers: {
        host: `${serverName}:${port}`,
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'user-agent': 'kube-apiserver-admission',
      },
      body: JSON.stringify(review(request, call.uid, user)),
      signal: AbortSignal.any([signal, deadline]),
      notTls: 'http: server gave HTTP response to HTTPS client',
      verify: (presented) => verifyLeaf(presented, clientConfig.caBundle, serverName, state.now()),
    });
    return judgeReviewAnswer(response, call);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const words = deadline.aborted ? 'context deadline exceeded' : error.message;
    const url = `https://${serverName}:${port}${cleaned}?timeout=${timeoutSeconds}s`;
    return { is: 'failed', message: `failed to call webhook: Post "${url}": ${words}` };
  }
}
