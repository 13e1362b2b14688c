import { createHash } from 'node:crypto';
import type { Pod } from '../../facts/objects/pod.ts';
import type { ApiRequest, ApiState } from './api-request.ts';
import { uidOf } from './object-store.ts';
import type { ResourcePath } from './request.ts';
import { type ApiAnswer, badRequest, methodNotAllowed, objectNotFound, textAnswer } from './status.ts';

const upgradeRequired = (): ApiAnswer => badRequest('Upgrade request required');
const unparsable = (text: string, why: string): ApiAnswer =>
  badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);

function portsIn(query: URLSearchParams): readonly number[] | ApiAnswer {
  const texts = query.getAll('ports');
  const ports: number[] = [];
  for (const text of texts.flatMap((one) => one.split(','))) {
    if (!/^\d+$/.test(text)) return unparsable(text, 'invalid syntax');
    if (Number(text) > 65535) return unparsable(text, 'value out of range');
    ports.push(Number(text));
  }
  // What the API server lets pass, the kubelet refuses.
  if (texts.length === 0) return textAnswer(400, 'query parameter "port" is required');
  const zero = ports.find((port) => port === 0);
  return zero === undefined ? ports : textAnswer(400, `port "${zero}" must be > 0`);
}

const hasSandbox = ({ status }: Pod): boolean =>
  status.podIP !== undefined && status.phase !== 'Failed' && status.phase !== 'Succeeded';

/** GET of pods/portforward: a refusal of the API server or the kubelet, or a 101 with what to forward. */
export function portForwardAnswer(asked: ResourcePath, request: ApiRequest, state: ApiState): ApiAnswer {
  if (request.method !== 'GET' && request.method !== 'POST') return methodNotAllowed();
  const { name = '', namespace = '' } = asked;
  const pod = (state.store.of('', 'Pod') as unknown as readonly Pod[]).find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
  if (pod === undefined) return objectNotFound({ group: '', plural: 'pods' }, name);
  const ports = portsIn(new URL(request.url, 'https://demo').searchParams);
  if ('status' in ports && ports.contentType === 'application/json') return ports;
  if (pod.spec.nodeName === undefined) return badRequest(`pod ${name} does not have a host assigned`);
  if (!request.upgrade) return upgradeRequired();
  if ('status' in ports) return ports;
  if (!hasSandbox(pod)) return textAnswer(500, `pod not found ("${name}_${namespace}")`);
  return {
    ...{ status: 101, contentType: '', body: '' },
    forward: { pod: `${namespace}/${name}`, ports },
  };
}

const sandboxOf = (pod: string): string => createHash('sha256').update(`sandbox ${pod}`).digest('hex');
const inNetns = (pod: string): string =>
  `network namespace "/var/run/netns/cni-${uidOf('netns', undefined, pod)}"`;

/** What a kubelet with containerd says on the error channel of a port. */
export const forwardingError = (pod: string, port: number, cause: string): string =>
  `error forwarding port ${port} to pod ${sandboxOf(pod)}, uid : failed to execute portforward in ${inNetns(pod)}: ${cause}`;

/** Nothing listens on the Pod's loopback. */
export const refusedOnLoopback = (pod: string, port: number): string =>
  forwardingError(
    pod,
    port,
    `failed to connect to localhost:${port} inside namespace "${sandboxOf(pod)}", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found `,
  );
