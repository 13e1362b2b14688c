import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './component.ts';
import { attempt, run } from './run-command.ts';

/**
 * Addresses inside a cluster's network namespace, from the ranges for documentation (RFC 5737): no packet
 * leaves the machine. Every namespace uses the same addresses.
 */
export const network = {
  node: '192.0.2.10',
  pods: '198.51.100.0/24',
  services: '203.0.113.0/24',
  /** ClusterIP of the Service `default/kubernetes`: the first address of the range. */
  kubernetesService: '203.0.113.1',
} as const;

const insideVariable = 'KUBECTL_WEBHOOK_TEST_NETNS';

/** A new namespace `name` with the loopback device and a bridge that carries the node's address. */
export async function createNetwork(name: string): Promise<void> {
  await attempt('ip', 'netns', 'del', name);
  await run('ip', ['netns', 'add', name]);
  const inside = (...command: string[]) => run('nsenter', [`--net=/run/netns/${name}`, ...command]);
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'link', 'add', 'node0', 'type', 'bridge');
  await inside('ip', 'addr', 'add', `${network.node}/24`, 'dev', 'node0');
  await inside('ip', 'link', 'set', 'node0', 'up');
  await inside('ip', 'route', 'add', 'default', 'dev', 'node0');
}

/** Whether this process runs inside the namespace `name`. */
export function isInside(name: string): boolean {
  return process.env[insideVariable] === name;
}

/**
 * Replaces this process by the same program, with the same arguments and process id, inside the namespace.
 * `nsenter`, not `ip netns exec`: the latter mounts another /sys and hides the cgroups from runc.
 */
export function enterNetwork(
  name: string,
  command: readonly string[] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
  environment: Readonly<Record<string, string>> = {},
): never {
  const nsenter = findProgram('nsenter');
  if (nsenter === undefined || process.execve === undefined) throw new Error('nsenter is not on PATH');
  return process.execve(nsenter, ['nsenter', `--net=/run/netns/${name}`, ...command], {
    ...(process.env as Record<string, string>),
    ...environment,
    [insideVariable]: name,
  });
}

/** Enables forwarding between Pods and the node; /proc/sys/net is that of the process's namespace. */
export function forwardPackets(): void {
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/**
 * Removes the namespace and those of its Pods, found in the state of CNI for the network of that name. Every
 * Pod has a second entry for its loopback device.
 */
export async function removeNetwork(name: string): Promise<void> {
  const folder = '/var/lib/cni/results';
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const notes = files.map((file) => ({ file, pod: podNamespace(join(folder, file)) }));
  const pods = new Set(notes.filter((note) => note.file.startsWith(`${name}-`)).map((note) => note.pod));
  for (const pod of pods) if (pod !== undefined) await attempt('ip', 'netns', 'del', pod);
  for (const { file, pod } of notes) {
    if (pod !== undefined && pods.has(pod)) rmSync(join(folder, file), { force: true });
  }
  await attempt('ip', 'netns', 'del', name);
}

function podNamespace(note: string): string | undefined {
  try {
    return /netns\/(cni-[0-9a-f-]+)/.exec(readFileSync(note, 'utf8'))?.[1];
  } catch {
    // A Pod of another cluster ended in the meantime.
    return undefined;
  }
}
