// node scripts/transcript/record.ts KREW KUBECTL KUBECONFIG: writes docs/transcript.md. Requires Linux and
// root; KREW is a krew binary (docs/release.md), the cluster is empty (`npm run cluster -- up NAME
// --api-server-only`), and dist/ contains the archive of linux_amd64.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { bareRoot } from '../../test/support/bare-root.ts';
import { root } from '../bundle.js';
import { krewManifest } from '../release/krew-manifest.ts';
import { archiveName, platformName, platforms } from '../release/platforms.ts';
import { leftBehind, steps, transcriptFile, transcriptPage } from './steps.ts';

const [krew, kubectl, kubeconfig] = process.argv.slice(2);
if (krew === undefined || kubectl === undefined || kubeconfig === undefined)
  throw new Error('node scripts/transcript/record.ts KREW KUBECTL KUBECONFIG');
const platform = platforms.find((one) => platformName(one) === 'linux_amd64');
if (platform === undefined) throw new Error('linux_amd64 is not released');

/** A root file system like that of common images, with kubectl, krew and a shell. */
async function smallRoot(): Promise<string> {
  // The plugin is Node, and needs the same libraries.
  const small = await bareRoot(process.execPath);
  const programs = { 'kubectl-krew': krew, kubectl, sh: '/bin/sh', rm: '/bin/rm' };
  for (const [name, file = ''] of Object.entries(programs)) {
    copyFileSync(file, join(small, 'bin', name));
    chmodSync(join(small, 'bin', name), 0o755);
  }
  mkdirSync(join(small, 'dev'));
  writeFileSync(join(small, 'dev', 'null'), '');
  return small;
}

const small = await smallRoot();
const home = join(small, 'home', 'you');
mkdirSync(home, { recursive: true });
const archive = readFileSync(join(root, 'dist', archiveName(platform)));
const sha256 = createHash('sha256').update(archive).digest('hex');
writeFileSync(join(home, archiveName(platform)), archive);
writeFileSync(join(home, 'webhook.yaml'), krewManifest([{ platform, sha256 }]));
mkdirSync(join(home, '.kube'));
copyFileSync(kubeconfig, join(home, '.kube', 'config'));
// krew uninstalls nothing without an index; an empty folder is enough.
mkdirSync(join(home, '.krew', 'index', 'default', '.git'), { recursive: true });
const admin = (args: readonly string[], input = '') =>
  execFileSync(kubectl, ['--kubeconfig', kubeconfig, ...args], { input });
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
admin(['apply', '-f', '-'], [shop, leftBehind('shop')].map((object) => stringify(object)).join('---\n'));
admin(['delete', 'configmap', 'menu', '-n', 'shop', '--ignore-not-found']);

/** Runs a command line with a shell in the home directory of that root file system. */
function shell(line: string): { readonly status: number | null; readonly printed: string } {
  const env = {
    PATH: '/home/you/.krew/bin:/bin:/usr/sbin',
    HOME: '/home/you',
    LANG: 'C.UTF-8',
    COLUMNS: '100',
  };
  const { status, stdout } = spawnSync('chroot', [small, '/bin/sh', '-c', `cd && { ${line}; } 2>&1`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  return { status, printed: stdout };
}

const version = /GitTag\s+(\S+)/.exec(shell('kubectl krew version').printed)?.[1] ?? 'of an unknown version';
const printed = steps.map(({ line, exitCode = 0 }) => {
  const { status, printed } = shell(line);
  if (status !== exitCode) throw new Error(`${line} ended with ${status}:\n${printed}`);
  return printed.replace(/ +$/gm, '');
});
writeFileSync(transcriptFile, transcriptPage(version, printed));
