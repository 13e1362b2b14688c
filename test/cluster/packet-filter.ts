import { run } from './run-command.ts';

/**
 * Drops packets of this node to that address and port, so that callers time out; returns how to stop it.
 * NetworkPolicies are not enforced here; this simulates one. Needs `own-node`.
 */
export const dropPackets = (
  address: string,
  port: number,
  which: 'all' | 'new connections' = 'all',
): Promise<() => Promise<void>> =>
  filter(address, port, [...(which === 'all' ? [] : ['--syn']), '-j', 'DROP']);

/**
 * Rejects these packets as a closed port does, also on established connections, or with another kind of
 * rejection. Needs `own-node`.
 */
export const rejectPackets = (
  address: string,
  port: number,
  how: 'tcp-reset' | 'icmp-host-unreachable' = 'tcp-reset',
): Promise<() => Promise<void>> => filter(address, port, ['-j', 'REJECT', '--reject-with', how]);

/**
 * Drops packets of this node to the address of a Service, before kube-proxy's rules apply. Needs `own-node`.
 */
export async function dropToService(address: string): Promise<() => Promise<void>> {
  const rule = ['OUTPUT', '-t', 'mangle', '-d', address, '-j', 'DROP'];
  await run('iptables', ['-w', '-I', ...rule]);
  return async () => {
    await run('iptables', ['-w', '-D', ...rule]);
  };
}

async function filter(address: string, port: number, how: readonly string[]): Promise<() => Promise<void>> {
  const rule = ['OUTPUT', '-d', address, '-p', 'tcp', '--dport', String(port), ...how];
  await run('iptables', ['-w', '-I', ...rule]);
  return async () => {
    await run('iptables', ['-w', '-D', ...rule]);
  };
}
