import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from './wait.ts';

const root = '/sys/fs/cgroup';

/** cgroup v2 has one tree, v1 one per controller. */
function hierarchies(): string[] {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root];
  return readdirSync(root).map((name) => join(root, name));
}

/**
 * Creates the folder `name` in every hierarchy, for the kubelet's `cgroupRoot`. Returns the cgroup.procs
 * files for our processes.
 */
export function createCgroups(name: string): string[] {
  for (const hierarchy of hierarchies()) {
    const folder = join(hierarchy, name);
    mkdirSync(folder, { recursive: true });
    // A new cpuset of v1 is empty and accepts no process.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const own = join(folder, file);
      const parent = join(hierarchy, file);
      if (existsSync(own) && existsSync(parent)) writeFileSync(own, readFileSync(parent));
    }
  }
  const tree = hierarchies().find((folder) => folder.endsWith('/pids')) ?? hierarchies()[0];
  if (tree === undefined) return [];
  const ours = join(tree, name, 'harness');
  mkdirSync(ours, { recursive: true });
  return [join(ours, 'cgroup.procs')];
}

/** Kills the remaining processes in the cgroups `name` (shims, containers), then removes the folders. */
export async function removeCgroups(name: string): Promise<void> {
  const tops = hierarchies()
    .map((hierarchy) => join(hierarchy, name))
    .filter((folder) => existsSync(folder));
  if (tops.length === 0) return;
  const processes = () => tops.flatMap(below).flatMap(members);
  await waitFor(
    `the processes of cgroup ${name} to end`,
    () => {
      const alive = processes();
      for (const pid of alive) kill(pid);
      return alive.length === 0;
    },
    { timeout: 20_000, interval: 50 },
  );
  await waitFor(
    `cgroup ${name} to go`,
    () => {
      for (const folder of tops.filter((top) => existsSync(top)).flatMap(below)) rmdirSync(folder);
      return true;
    },
    { timeout: 10_000, interval: 50 },
  );
}

/** A folder and all below it, deepest first: the order in which rmdir works. */
function below(folder: string): string[] {
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...children.flatMap((entry) => below(join(folder, entry.name))), folder];
}

function members(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended in between.
  }
}
