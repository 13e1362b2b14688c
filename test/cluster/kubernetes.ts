import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheRoot, contentKey, withLock } from './cache.ts';
import { run } from './run-command.ts';

/** The commands of a one-node cluster. */
export const nodeCommands = [
  'kube-apiserver',
  'kubelet',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
] as const;

export type KubernetesCommand = (typeof nodeCommands)[number];

/** The default version. */
export const defaultVersion = '1.35.4';

/** The later release that predictions of an upgrade are held to. */
export const newerVersion = '1.37.2';

const modules = join(import.meta.dirname, 'kubernetes');

/** Versions with a committed go.mod, the oldest first. */
export function knownVersions(): string[] {
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted(new Intl.Collator('en', { numeric: true }).compare);
}

/**
 * Folder with the commands of that Kubernetes version, built from Go modules if they are not cached (minutes
 * for the first version). The Go toolchain is the release's own (`.go-version`), because crypto/x509 differs
 * between Go versions.
 */
export async function kubernetesBinaries(
  version: string,
  commands: readonly KubernetesCommand[],
): Promise<string> {
  const source = join(modules, version);
  if (!existsSync(source)) {
    throw new Error(`No go.mod for Kubernetes ${version}; there is one for ${knownVersions().join(', ')}`);
  }
  const flags = linkerFlags(version);
  const files = ['go.mod', 'go.sum', '.go-version'].map((name) => readFileSync(join(source, name)));
  const folder = join(
    cacheRoot(),
    `kubernetes-${version}-${contentKey(...files, flags, process.platform, process.arch)}`,
  );
  const missing = () => commands.filter((name) => !existsSync(join(folder, name)));
  if (missing().length > 0) {
    await withLock(`${folder}.lock`, async () => {
      if (missing().length > 0) await build(source, version, flags, missing(), folder);
    });
  }
  return folder;
}

async function build(
  source: string,
  version: string,
  flags: string,
  commands: readonly KubernetesCommand[],
  folder: string,
): Promise<void> {
  console.error(
    `Building ${commands.join(', ')} ${version}: minutes the first time, seconds from Go's cache`,
  );
  const toolchain = readFileSync(join(source, '.go-version'), 'utf8').trim();
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  await run(
    'go',
    [
      'build',
      '-mod=readonly',
      '-trimpath',
      '-buildvcs=false',
      `-ldflags=${flags}`,
      '-o',
      `${partial}/`,
      ...commands.map((name) => `k8s.io/kubernetes/cmd/${name}`),
    ],
    { cwd: source, env: { GOTOOLCHAIN: `go${toolchain}` } },
  );
  if (!existsSync(folder)) {
    renameSync(partial, folder);
    return;
  }
  for (const name of commands) renameSync(join(partial, name), join(folder, name));
  rmSync(partial, { recursive: true });
}

/** Without these the server reports v0.0.0 (k8s.io/component-base/version). */
function linkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  const variable = 'k8s.io/component-base/version';
  return `-s -w -X ${variable}.gitVersion=v${version} -X ${variable}.gitMajor=${major} -X ${variable}.gitMinor=${minor}`;
}
