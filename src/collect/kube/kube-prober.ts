import { readFileSync } from 'node:fs';
import type { HttpResponse } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import { type ClusterProber, dryRunQuery, plainHeaders } from '../cluster-prober.ts';
import type { ExchangedResponse } from './exchange.ts';
import { ForwardedStream } from './forwarded-stream.ts';
import type { Transport } from './transport.ts';

/** A socket that listens, in a table of Linux: proc_pid_net(5), state 0A; its port, which is written in hexadecimal. */
function listeningPort(line: string): number | undefined {
  const [, local = '', , state] = line.trim().split(/\s+/);
  return state === '0A' ? Number.parseInt(local.split(':')[1] ?? '', 16) : undefined;
}

/**
 * Whether whoever runs in a Pod has its network for itself. False where anything else listens there, as sidecars of a
 * mesh do that take up connections in the name of others, where the Pod shares its node's network, and where nobody can
 * tell.
 *
 * @param ownPort where this program itself listens.
 */
export function isAloneInPod(folder = '/proc/net', ownPort?: number): boolean {
  try {
    const [tcp = '', tcp6 = ''] = ['tcp', 'tcp6'].map((name) => {
      try {
        return readFileSync(`${folder}/${name}`, 'utf8');
      } catch (error) {
        // No IPv6 on this machine.
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
 * Reaches behind an API server with the credentials and the way of `transport`.
 *
 * @param fromPod We run in a Pod of its cluster.
 * @param ownPort where this program listens in it.
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
