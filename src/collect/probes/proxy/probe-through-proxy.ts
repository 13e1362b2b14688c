import * as http from 'node:http';
import { findCause } from '../../../apiserver/sentences/call-error/find-cause.ts';
import type { ProxyResponse } from '../../../facts/probes.ts';
import type { Unread } from '../../../facts/unread.ts';
import { tlsHandshake } from '../connection/handshake.ts';
import type { Peer, PodPort } from '../connection/peer.ts';
import { decisiveTimeout } from '../connection/shared-connections.ts';
import { isUnread, orCutOff, type ProbeRun } from '../run.ts';
import { type ProxyScheme, proxyText, requestThroughProxy } from './proxies.ts';

/** True if a connection of the proxy to the Pod was closed before a response. */
export const isClosed = (answer: ProxyResponse | Unread): boolean =>
  !isUnread(answer) && !answer.reached && findCause(answer.text)?.kind === 'connection-closed';

/** True if the proxy responded, but received no response from the Pod. */
export const hasNoResponse = (answer: ProxyResponse | Unread): boolean =>
  isClosed(answer) || (!isUnread(answer) && !answer.reached && answer.status === 0);

/** Milliseconds after which a GET has no response: it is not the call, which may take longer. */
const longestTimeout = 10_000;

/**
 * Sends a GET through the API server's proxy to a Pod; one request for all webhooks and APIServices that need
 * it.
 *
 * @param how `again` repeats a request.
 */
export async function probeThroughProxy(
  run: ProbeRun,
  target: PodPort,
  timeout: number,
  how: ProxyScheme | 'again' = 'https',
): Promise<ProxyResponse | Unread> {
  const { namespace, pod, port } = target;
  const what = proxyText(target);
  const permission = { resource: 'pods/proxy', verb: 'get', namespace };
  const before = run.refused.known(permission);
  if (before !== undefined) return before;
  const answer = await orCutOff(run, what, () =>
    run.proxies(`${namespace}/${pod}:${port} ${how}`, () =>
      run.slot(
        async () =>
          run.refused.known(permission) ??
          requestThroughProxy(
            run.prober,
            { ...target, scheme: how === 'http' ? how : 'https' },
            Math.min(timeout, longestTimeout),
            run.signal,
          ),
      ),
    ),
  );
  if (isUnread(answer)) run.refused.remember(permission, answer);
  return answer;
}

/**
 * True if a peer responds to a GET of `/`, as the API server's proxy sends it, within `timeout` milliseconds.
 * False: it does not respond, or the request was not possible. Throws the signal's reason.
 */
async function respondsToGet(
  peer: Peer,
  timeout: number,
  version: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const agent = new http.Agent();
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  try {
    const started = performance.now();
    const stream = await peer.open(timeout, either);
    const wish = { serverName: peer.serverName, timeout, version, only: false, signal: either, started };
    const { socket } = await tlsHandshake(stream, wish);
    agent.createConnection = () => socket;
    return await new Promise<boolean>((resolve) => {
      const request = http.get({ agent, path: '/', signal: either });
      request.on('response', (response) => {
        response.on('error', () => undefined).destroy();
        resolve(true);
      });
      request.on('error', () => resolve(false));
    });
  } catch {
    if (signal.aborted) throw signal.reason;
    return false;
  } finally {
    agent.destroy();
  }
}

/**
 * Repeats the proxy request if the Pod responds on another connection: a proxy that is only busy must not be
 * reported as packet loss. Undefined: the Pod does not respond to the same request on the other connection
 * either, for example because its process ended at the first one.
 */
export async function againTo(
  run: ProbeRun,
  peer: Peer,
  target: PodPort,
  timeout: number,
): Promise<ProxyResponse | Unread | undefined> {
  const patient = Math.min(Math.max(timeout, decisiveTimeout), longestTimeout);
  const what = `a GET to Pod ${target.namespace}/${target.pod}`;
  const [response, answers] = await Promise.all([
    probeThroughProxy(run, target, patient, 'again'),
    orCutOff(run, what, async () => ({
      answers: await respondsToGet(peer, patient, run.facts.version, run.signal),
    })),
  ]);
  const decides = isUnread(response) || response.reached || isUnread(answers) || answers.answers;
  return decides ? response : undefined;
}
