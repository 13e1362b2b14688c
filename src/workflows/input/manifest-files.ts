import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { limits } from '../../basics/limits.ts';
import type { NotLookedAt } from '../../facts/unread.ts';
import { yamlValues } from '../../lint/manifest.ts';
import { shellWord } from '../../phrases/advice.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { unreadableFile } from './input-file.ts';

/** A file to read; `named`: given on the command line, so that it must contain manifests. */
export interface InputFile {
  readonly file: string;
  readonly named: boolean;
}

/** Files to read, and parts of a directory that must be rendered first. */
export interface InputFiles {
  readonly files: readonly InputFile[];
  readonly unrendered: readonly NotLookedAt[];
}

const isManifest = /\.(?:ya?ml|json)$/;
const isKustomization = /^(?:kustomization\.ya?ml|Kustomization)$/;
const isChart = /^Chart\.ya?ml$/;

/** A chart or kustomization whose manifests are only known after it is rendered. */
export const unrendered = (what: string, chart = 'CHART'): NotLookedAt => ({
  what,
  why: 'not rendered',
  detail: `helm template ${chart} | kubectl webhook lint -f -`,
});

/** The files in `resources` of a kustomization; undefined if the file is not one of kustomize. */
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

/** The innermost of these directories that contains the file. */
function around(file: string, directories: ReadonlySet<string>): string | undefined {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (directories.has(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}

/**
 * The manifests in a directory and its subdirectories, sorted by name. Excludes templates of charts, and in a
 * kustomization all files that it does not list as resources, such as patches.
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
  return {
    files,
    unrendered: outermost.toSorted().map((chart) => unrendered(`Helm chart ${chart}`, shellWord(chart))),
  };
}
