import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesCommand, nodeCommands } from '../kubernetes.ts';
import { run } from '../run-command.ts';

// node test/cluster/kubernetes/prepare.ts VERSION [COMMAND...]: writes the module for the build of that
// version.

/**
 * go.mod of a module that depends on k8s.io/kubernetes. The `replace k8s.io/x => ./staging/…` lines of
 * Kubernetes do not apply to dependents: here they name the published versions of the same code. Its `go` and
 * `godebug` lines apply.
 */
async function dependentModule(kubernetesModule: string, version: string): Promise<string> {
  const staging = [...kubernetesModule.matchAll(/^\s*(?:replace )?(k8s\.io\/[a-z0-9-]+) => \.\/staging/gm)];
  const published = `v0.${version.split('.').slice(1).join('.')}`;
  const versions = await Promise.all(staging.map(([, name = '']) => nearestPublished(name, published)));
  return [
    'module kubernetes.test/build\n',
    ...(kubernetesModule.match(/^(go|godebug) .*$/gm) ?? []),
    `\nrequire k8s.io/kubernetes v${version}\n`,
    'replace (',
    ...staging.map(([, name], at) => `\t${name} => ${name} ${versions[at]}`),
    ')\n',
  ].join('\n');
}

/**
 * That version of a module, or the last published one before it. A proxy may lack some: only for modules
 * whose go.mod is needed and whose code is not.
 */
async function nearestPublished(name: string, wanted: string): Promise<string> {
  const has = (version: string) =>
    run('go', ['mod', 'download', '-json', `${name}@${version}`]).then(
      () => true,
      () => false,
    );
  if (await has(wanted)) return wanted;
  // Not published, like the samples: then it is not needed.
  const listed = await run('go', ['list', '-m', '-versions', name]).catch(() => '');
  const { compare } = new Intl.Collator('en', { numeric: true });
  const earlier = listed
    .trim()
    .split(' ')
    .slice(1)
    .filter((one) => compare(one, wanted) < 0)
    .toSorted(compare);
  const nearest = earlier.at(-1);
  if (nearest === undefined) return wanted;
  substitutes.add(name);
  return nearest;
}

function toolsFile(commands: readonly KubernetesCommand[]): string {
  const imports = commands.toSorted().map((name) => `\t_ "k8s.io/kubernetes/cmd/${name}"`);
  const comment = '// Package build names the commands, so that `go mod tidy` keeps what they need.';
  return `//go:build tools\n\n${comment}\npackage build\n\nimport (\n${imports.join('\n')}\n)\n`;
}

const substitutes = new Set<string>();
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
const goMod = await dependentModule(readFileSync(downloaded.GoMod, 'utf8'), version);
writeFileSync(join(folder, 'go.mod'), goMod);
const inside = { cwd: folder, env: { GOTOOLCHAIN: `go${toolchain}` } };
// -e: tests may need modules that the proxy lacks; the build itself uses go.sum only.
await run('go', ['mod', 'tidy', '-e'], { ...inside, loud: true });
const linked = await run(
  'go',
  [
    'list',
    '-deps',
    '-f',
    '{{with .Module}}{{.Path}}{{end}}',
    ...commands.map((one) => `k8s.io/kubernetes/cmd/${one}`),
  ],
  inside,
);
// The API server has the types of kube-proxy's configuration file and uses none.
substitutes.delete('k8s.io/kube-proxy');
const wrong = linked.split('\n').filter((name) => substitutes.has(name));
if (wrong.length > 0)
  throw new Error(`Of another version than ${version}: ${[...new Set(wrong)].join(', ')}`);
