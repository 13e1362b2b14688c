import * as http from 'node:http';
import { shakeHands } from './handshake.ts';
import type { Peer } from './peer.ts';

/**
 * True if a peer responds to a GET of `/`, as the API server's proxy sends it, within `timeout` milliseconds.
 * False: it does not respond, or the request was not possible. Throws the signal's reason.
 */
export async function respondsToGet(
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
    const { socket } = await shakeHands(stream, wish);
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
