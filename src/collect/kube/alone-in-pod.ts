import { readFileSync } from 'node:fs';

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
