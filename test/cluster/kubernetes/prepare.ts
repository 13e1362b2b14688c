import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesCommand, nodeCommands } from '../kubernetes.ts';
import { run } from '../run-command.ts';

// node test/cluster/kubernetes/prepare.ts VERSION [COMMAND...]: writes the module from which that version is built.

/**
 * go.mod of a module that depends on k8s.io/kubernetes. The `replace k8s.io/x => ./staging/…` lines of Kubernetes do not
 * count for a dependent: here they name the published versions of the same code. Its `go` and `godebug` lines do matter.
 */
function dependentModule(kubernetesModule: string, version: string): string {
  const staging = [...kubernetesModule.matchAll(/^\s*(?:replace )?(k8s\.io\/[a-z0-9-]+) => \.\/staging/gm)];
  const published = `v0.${version.split('.').slice(1).join('.')}`;
  return [
    'module kubernetes.test/build\n',
    ...(kubernetesModule.match(/^(go|godebug) .*$/gm) ?? []),
    `\nrequire k8s.io/kubernetes v${version}\n`,
    'replace (',
    ...staging.map(([, name]) => `\t${name} => ${name} ${published}`),
    ')\n',
  ].join('\n');
}

function toolsFile(commands: readonly KubernetesCommand[]): string {
  const imports = commands.toSorted().map((name) => `\t_ "k8s.io/kubernetes/cmd/${name}"`);
  const comment = '// Package build names the commands, so that `go mod tidy` keeps what they need.';
  return `//go:build tools\n\n${comment}\npackage build\n\nimport (\n${imports.join('\n')}\n)\n`;
}

const [version, ...given] = process.argv.slice(2);
if (version === undefined) throw new Error('Which version?');
const commands = nodeCommands.filter((name) => given.length === 0 || given.includes(name));
const downloaded = JSON.parse(
  await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`]),
) as { Dir: string; GoMod: string };
const folder = join(import.meta.dirname, version);
mkdirSync(folder, { recursive: true });
const toolchain = readFileSync(join(downloaded.Dir, '.go-version'), 'utf8').trim();
writeFileSync(join(folder, '.go-version'), `${toolchain}\n`);
writeFileSync(join(folder, 'tools.go'), toolsFile(commands));
writeFileSync(join(folder, 'go.mod'), dependentModule(readFileSync(downloaded.GoMod, 'utf8'), version));
await run('go', ['mod', 'tidy'], { cwd: folder, env: { GOTOOLCHAIN: `go${toolchain}` }, loud: true });
