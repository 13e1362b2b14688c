import { run } from './run-command.ts';

/**
 * Drops what this node sends to that address and port, so that callers run into their timeouts; returns how to end it.
 * NetworkPolicies are not enforced here: this is how one is played. Needs `own-node`.
 */
export const dropPackets = (
  address: string,
  port: number,
  which: 'all' | 'new connections' = 'all',
): Promise<() => Promise<void>> =>
  filter(address, port, [...(which === 'all' ? [] : ['--syn']), '-j', 'DROP']);

/**
 * Answers in its place that nobody listens there, on connections that stand as well, or with another kind of refusal.
 * Needs `own-node`.
 */
export const rejectPackets = (
  address: string,
  port: number,
  how: 'tcp-reset' | 'icmp-host-unreachable' = 'tcp-reset',
): Promise<() => Promise<void>> => filter(address, port, ['-j', 'REJECT', '--reject-with', how]);

/** Drops what this node sends to the address of a Service, before kube-proxy's rules lead it to a Pod. Needs `own-node`. */
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
