import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { limits } from '../facts/limits.ts';
import type { NotLookedAt } from '../facts/unread.ts';
import { yamlValues } from '../lint/manifest.ts';
import { CannotStart } from './cannot-start.ts';
import { unreadableFile } from './input-file.ts';

/** A file to read; `named`: by whoever typed the command, so that it has to hold manifests. */
export interface InputFile {
  readonly file: string;
  readonly named: boolean;
}

/** Files to read, and what of a directory has to be rendered first. */
export interface InputFiles {
  readonly files: readonly InputFile[];
  readonly unrendered: readonly NotLookedAt[];
}

const isManifest = /\.(?:ya?ml|json)$/;
const isKustomization = /^(?:kustomization\.ya?ml|Kustomization)$/;
const isChart = /^Chart\.ya?ml$/;

/** What has to be rendered before its manifests are known. */
export const unrendered = (what: string): NotLookedAt => ({
  what,
  why: 'not rendered',
  detail: 'helm template CHART | kubectl webhook lint -f -',
});

/** Files that a kustomization uses as they are; undefined: it is none of kustomize's. */
async function resourcesOf(file: string): Promise<readonly string[] | undefined> {
  try {
    const [first] = yamlValues(await readFile(file, 'utf8'), file);
    const { apiVersion = 'kustomize.config.k8s.io', resources } = (first?.value ?? {}) as {
      readonly apiVersion?: string;
      readonly resources?: readonly unknown[];
    };
    if (!apiVersion.startsWith('kustomize.config.k8s.io')) return undefined;
    return (Array.isArray(resources) ? resources : []).map((one) =>
      normalize(join(dirname(file), String(one))),
    );
  } catch {
    return undefined;
  }
}

/** The innermost of these directories that holds the file. */
function around(file: string, directories: ReadonlySet<string>): string | undefined {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (directories.has(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}

/**
 * The manifests of a directory and those below it, in the order of their names: without the templates of charts, and where
 * there is a kustomization without what it does not use as it is, patches above all.
 */
export async function manifestFiles(path: string): Promise<InputFiles> {
  const one = { files: [{ file: path, named: true }], unrendered: [] };
  if (path === '-') return one;
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      throw unreadableFile(path, error);
    },
  );
  if (!isDirectory) return one;
  const names = (await readdir(path, { recursive: true }))
    .filter((name) => !/(^|[\\/])\.|node_modules/.test(name))
    .map((name) => join(path, name));
  const candidates = names.filter((name) => isManifest.test(name));
  if (candidates.length === 0) throw new CannotStart(`${path} contains no .yaml, .yml or .json file`);
  if (candidates.length > limits.manifests)
    throw new CannotStart(`${path} contains more than ${limits.manifests} manifests`);
  const charts = new Set(names.filter((name) => isChart.test(basename(name))).map((name) => dirname(name)));
  const kustomized = new Set<string>();
  const used = new Set<string>();
  for (const name of names.filter((file) => isKustomization.test(basename(file)))) {
    const resources = await resourcesOf(name);
    if (resources === undefined) continue;
    kustomized.add(dirname(name));
    for (const resource of resources) used.add(resource);
  }
  const isTemplate = (file: string): boolean => {
    const chart = around(file, charts);
    return chart !== undefined && file.startsWith(join(chart, 'templates') + sep);
  };
  const files = candidates
    .filter((file) => !isTemplate(file) && (used.has(file) || around(file, kustomized) === undefined))
    .toSorted()
    .map((file) => ({ file, named: false }));
  const outermost = [...charts].filter((chart) => around(chart, charts) === undefined);
  return { files, unrendered: outermost.toSorted().map((chart) => unrendered(`Helm chart ${chart}`)) };
}
