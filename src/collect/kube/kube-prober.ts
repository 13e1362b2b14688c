import { readFileSync } from 'node:fs';
import type { HttpResponse } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import { type ClusterProber, dryRunQuery, plainHeaders } from '../cluster-prober.ts';
import type { ExchangedResponse } from './exchange.ts';
import { ForwardedStream } from './forwarded-stream.ts';
import type { Transport } from './transport.ts';

/**
 * The port of a listening socket in a Linux socket table: proc_pid_net(5), state 0A; the port is hexadecimal.
 */
function listeningPort(line: string): number | undefined {
  const [, local = '', , state] = line.trim().split(/\s+/);
  return state === '0A' ? Number.parseInt(local.split(':')[1] ?? '', 16) : undefined;
}

/**
 * True if this program is the only listener in its Pod's network namespace. False if anything else listens
 * there (sidecars of a service mesh accept connections for other addresses), if the Pod uses the network of
 * its node, or if this is unknown.
 *
 * @param ownPort the port at which this program itself listens.
 */
export function isAloneInPod(folder = '/proc/net', ownPort?: number): boolean {
  try {
    const [tcp = '', tcp6 = ''] = ['tcp', 'tcp6'].map((name) => {
      try {
        return readFileSync(`${folder}/${name}`, 'utf8');
      } catch (error) {
        // This machine has no IPv6.
        if (name === 'tcp6' && (error as NodeJS.ErrnoException).code === 'ENOENT') return '';
        throw error;
      }
    });
    const ports = [...tcp.split('\n'), ...tcp6.split('\n')].map(listeningPort);
    return tcp !== '' && ports.every((port) => port === undefined || port === ownPort);
  } catch {
    return false;
  }
}

const asHttpAnswer = ({ status, headers, body }: ExchangedResponse): HttpResponse => ({
  status,
  headers: plainHeaders(headers),
  body,
});

const podPortForward = { group: '', version: 'v1', plural: 'pods/portforward' };

/**
 * Sends probes through an API server, with the credentials and the connection of `transport`.
 *
 * @param fromPod this program runs in a Pod of the cluster.
 * @param ownPort the port at which this program listens in that Pod.
 */
export function kubeProber(transport: Transport, fromPod = false, ownPort?: number): ClusterProber {
  return {
    amongPods: fromPod && isAloneInPod(undefined, ownPort),
    async portForward(namespace, pod, port, signal) {
      const path = pathOf(podPortForward, namespace, pod);
      const query = { ports: port };
      return new ForwardedStream(
        await transport.upgrade({ path, query, protocol: 'v4.channel.k8s.io', signal }),
      );
    },
    get: async (path, signal, accept) =>
      asHttpAnswer(await transport.aside({ method: 'GET', path, accept, signal })),
    async dryRun({ verb, path, object }, signal) {
      const request =
        verb === 'patch'
          ? ({ method: 'PATCH', body: object ?? {}, contentType: 'application/merge-patch+json' } as const)
          : ({ method: verb === 'create' ? 'POST' : 'PUT', body: object } as const);
      return asHttpAnswer(await transport.aside({ ...request, path, query: dryRunQuery, signal }));
    },
    clock: transport.clock,
    ended: transport.ended,
  };
}
