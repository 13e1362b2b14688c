import { readFileSync } from 'node:fs';
import type { HttpAnswer } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import { type ClusterProber, dryRunQuery, plainHeaders } from '../cluster-prober.ts';
import type { Answer } from './exchange.ts';
import { ForwardedStream } from './forwarded-stream.ts';
import type { Transport } from './transport.ts';

/** A socket that listens, in a table of Linux: proc_pid_net(5), state 0A. */
const listens = (line: string): boolean => line.trim().split(/\s+/)[3] === '0A';

/**
 * Whether whoever runs in a Pod has its network for itself. False where anything else listens there, as sidecars of a
 * mesh do that take up connections in the name of others, where the Pod shares its node's network, and where nobody can
 * tell. This program itself listens nowhere.
 */
export function isAloneInPod(folder = '/proc/net'): boolean {
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
    return tcp !== '' && ![...tcp.split('\n'), ...tcp6.split('\n')].some(listens);
  } catch {
    return false;
  }
}

const asHttpAnswer = ({ status, headers, body }: Answer): HttpAnswer => ({
  status,
  headers: plainHeaders(headers),
  body,
});

const podPortForward = { group: '', version: 'v1', plural: 'pods/portforward' };

/**
 * Reaches behind an API server with the credentials and the way of `transport`.
 *
 * @param fromPod We run in a Pod of its cluster.
 */
export function kubeProber(transport: Transport, fromPod = false): ClusterProber {
  return {
    amongPods: fromPod && isAloneInPod(),
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
        verb === 'create'
          ? ({ method: 'POST', body: object } as const)
          : ({ method: 'PATCH', body: object ?? {}, contentType: 'application/merge-patch+json' } as const);
      return asHttpAnswer(await transport.aside({ ...request, path, query: dryRunQuery, signal }));
    },
    clock: transport.clock,
    ended: transport.ended,
  };
}
