import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { run } from '../cluster/run-command.ts';

interface Platform {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly uri: string;
  readonly sha256: string;
  readonly files: readonly { readonly from: string; readonly to: string }[];
  readonly bin: string;
}

/**
 * Installs a plugin as krew does: the platform whose selector matches, its archive if the hash is right, the
 * listed files, one link. `home` is KREW_ROOT in the file system `root`. Returns the link.
 */
export async function krewInstall(
  manifest: string,
  archives: string,
  target: { readonly os: string; readonly arch: string },
  { root, home }: { readonly root: string; readonly home: string },
): Promise<string> {
  const { metadata, spec } = parse(manifest);
  const matching = (spec.platforms as readonly Platform[]).filter(({ selector: { matchLabels } }) =>
    Object.entries(matchLabels).every(([key, value]) => ({ ...target })[key as 'os' | 'arch'] === value),
  );
  const [platform] = matching;
  if (platform === undefined || matching.length > 1) throw new Error(`${matching.length} platforms match`);
  const archive = join(archives, basename(new URL(platform.uri).pathname));
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
  if (sha256 !== platform.sha256) throw new Error(`${archive} is not what the manifest promises`);

  const extracted = mkdtempSync(join(tmpdir(), 'kubectl-webhook-archive-'));
  await run('tar', ['-xzf', archive, '-C', extracted]);
  const store = join(home, 'store', metadata.name, spec.version);
  mkdirSync(join(root, store), { recursive: true });
  for (const { from, to } of platform.files)
    copyFileSync(join(extracted, from), join(root, store, to === '.' ? basename(from) : to));
  mkdirSync(join(root, home, 'bin'), { recursive: true });
  const link = join(home, 'bin', `kubectl-${metadata.name}`);
  symlinkSync(join(store, platform.bin), join(root, link));
  return link;
}
