import { run } from './run-command.ts';

/**
 * Drops what this node sends to that address and port, so that callers run into their timeouts; returns how to end it.
 * NetworkPolicies are not enforced here: this is how one is played. Needs `own-node`.
 */
export async function dropPackets(address: string, port: number): Promise<() => Promise<void>> {
  const rule = ['OUTPUT', '-d', address, '-p', 'tcp', '--dport', String(port), '-j', 'DROP'];
  await run('iptables', ['-w', '-I', ...rule]);
  return async () => {
    await run('iptables', ['-w', '-D', ...rule]);
  };
}
