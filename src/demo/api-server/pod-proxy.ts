import type { ApiRequest, ApiState, ResourcePath } from './api-request.ts';
import { CallFailed, callBackend } from './backend-call.ts';
import { podNamed } from './object-store.ts';
import {
  type ApiAnswer,
  badRequest,
  failureAnswer,
  NotSupported,
  objectNotFound,
  Refused,
} from './status.ts';

/** `name`, `name:port` or `scheme:name:port` (apimachinery pkg/util/net/port_split.go). */
interface Target {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

function targetOf(id: string): Target | undefined {
  const parts = id.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (name === '' || !['', 'http', 'https'].includes(scheme)) return undefined;
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

const unavailable = (message: string): Refused =>
  new Refused(failureAnswer(503, 'ServiceUnavailable', message));

interface Address {
  readonly pod: string;
  readonly address: string;
  readonly port: number;
}
/** pkg/registry/core/pod/strategy.go ResourceLocation */
function addressOfPod({ name, port }: Target, namespace: string, state: ApiState): Address {
  const pod = podNamed(state.store, namespace, name);
  if (pod === undefined) throw new Refused(objectNotFound({ group: '', plural: 'pods' }, name));
  const declared = pod.spec.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort;
  const address = pod.status.podIP;
  if (address === undefined || address === '') throw new Refused(badRequest('address not allowed'));
  const number = port === '' ? declared : Number(port);
  if (number === undefined || !Number.isInteger(number))
    throw new NotSupported('a port that is not a number');
  if (number > 65535)
    throw unavailable(`error trying to reach service: dial tcp: address ${port}: invalid port`);
  return { pod: `${namespace}/${name}`, address, port: number };
}

/** Response of pods/proxy: the API server calls the Pod directly, any TLS will do. */
export async function proxyAnswer(
  requested: ResourcePath,
  request: ApiRequest,
  state: ApiState,
): Promise<ApiAnswer> {
  const { name: id = '', namespace = '', plural } = requested;
  if (plural !== 'pods') throw new NotSupported(`the proxy to ${plural}`);
  const target = targetOf(id);
  if (target === undefined) return badRequest(`invalid pod request ${JSON.stringify(id)}`);
  const found = addressOfPod(target, namespace, state);
  const [, path, query = ''] = /\/proxy(\/[^?]*)?(\?.*)?$/.exec(request.url) ?? [];
  if (path === undefined) {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new NotSupported('writing through a proxy without a path');
    const location = `${request.url.replace(/\?.*/, '')}/${query}`;
    return { status: 301, contentType: '', headers: { location }, body: '' };
  }
  try {
    const dialled = `${found.address.includes(':') ? `[${found.address}]` : found.address}:${found.port}`;
    const { status, headers, body } = await callBackend(
      state.network,
      { ...found, dialled },
      {
        ...{ scheme: target.scheme, method: request.method, path: `${path}${query}`, serverName: '' },
        headers: {
          accept: request.accept,
          ...(request.contentType && { 'content-type': request.contentType }),
        },
        ...{ body: request.body, signal: request.signal },
        notTls: 'tls: first record does not look like a TLS handshake',
      },
    );
    const { 'content-type': contentType = '', location } = headers;
    const text = Buffer.from(body).toString('utf8');
    return { status, contentType, body: text, ...(location === undefined ? {} : { headers: { location } }) };
  } catch (error) {
    if (error instanceof CallFailed) throw unavailable(`error trying to reach service: ${error.message}`);
    throw error;
  }
}
