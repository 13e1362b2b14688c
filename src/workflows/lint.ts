import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Severity, severities } from '../checks/check.ts';
import { manifestReader, misshapenField } from '../collect/manifest-reader.ts';
import { readCluster } from '../collect/planner.ts';
import { snapshotReader } from '../collect/snapshot-reader.ts';
import { atOrAbove, type FailOn } from '../diagnose/exit-code.ts';
import { fromManifests, writtenFacts } from '../lint/from-manifests.ts';
import { lintReport } from '../lint/lint.ts';
import type { LintReport } from '../lint/lint-report.ts';
import { type Manifest, ManifestProblem, manifestsOf } from '../lint/manifest.ts';
import { CannotStart } from './cannot-start.ts';
import { examineCluster } from './doctor.ts';
import { inputFrom, unreadableFile } from './input-file.ts';

/** What the flags of `lint` ask for. */
export interface LintInput {
  /** Files, directories, `-`. */
  readonly paths: readonly string[];
  /** Of objects that name none. */
  readonly namespace: string;
  readonly version: string | undefined;
  readonly check: readonly string[];
  readonly skip: readonly string[];
  readonly severity: Severity;
  readonly now: Date;
}

const limit = { bytes: 8 * 1024 * 1024 };
const mostFiles = 10_000;
const isManifest = /\.(?:ya?ml|json)$/;

/** A file to read; `named`: by whoever typed the command, so that it has to hold manifests. */
interface InputFile {
  readonly file: string;
  readonly named: boolean;
}

/** The manifests of a directory and those below it, in the order of their names. */
async function filesIn(path: string): Promise<readonly InputFile[]> {
  if (path === '-') return [{ file: '-', named: true }];
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      throw unreadableFile(path, error);
    },
  );
  if (!isDirectory) return [{ file: path, named: true }];
  const names = await readdir(path, { recursive: true });
  const files = names.filter((name) => isManifest.test(name) && !/(^|[\\/])\.|node_modules/.test(name));
  if (files.length === 0) throw new CannotStart(`${path} contains no .yaml, .yml or .json file`);
  if (files.length > mostFiles) throw new CannotStart(`${path} contains more than ${mostFiles} manifests`);
  return files.toSorted().map((name) => ({ file: join(path, name), named: false }));
}

async function manifestsIn({ file, named }: InputFile): Promise<readonly Manifest[]> {
  const bytes = await inputFrom(file, limit);
  const name = file === '-' ? 'standard input' : file;
  if (bytes.includes(0)) throw new CannotStart(`${name} is not a text file`);
  try {
    return manifestsOf(bytes.toString('utf8'), name, named ? 'refused' : 'skipped');
  } catch (error) {
    if (error instanceof ManifestProblem || error instanceof ReferenceError)
      throw new CannotStart(error.message);
    throw error;
  }
}

/** 1: a finding at or above `failOn`. */
export const lintExitCode = ({ summary: { findings } }: LintReport, failOn: FailOn): 0 | 1 =>
  atOrAbove[failOn].some((severity) => findings[severity] > 0) ? 1 : 0;

/** Judges manifests that are not applied yet. Throws CannotStart where there are none. */
export async function lint(input: LintInput): Promise<LintReport> {
  const { paths, namespace, version, check, skip, severity, now } = input;
  const files = (await Promise.all(paths.map(filesIn))).flat();
  const manifests: Manifest[] = [];
  for (const file of files) manifests.push(...(await manifestsIn(file)));
  if (manifests.length === 0) throw new CannotStart(`${paths.join(', ')}: no Kubernetes object found`);
  const question = { callouts: [], deep: true, check: [], skip: [], severity: 'info' as const, now };
  const show = (id: string, grade: Severity): boolean =>
    (check.length === 0 || check.includes(id)) &&
    !skip.includes(id) &&
    severities.indexOf(grade) <= severities.indexOf(severity);
  const misshapen = new Map(
    manifests.flatMap((one): [Manifest, string][] => {
      const field = misshapenField(one.object);
      return field === undefined ? [] : [[one, field]];
    }),
  );
  // One of them must not hide what is wrong with the others.
  const objects = manifests.flatMap((one) => (misshapen.has(one) ? [] : [one.object]));
  const source = readCluster(manifestReader(objects, namespace), {
    now,
    wishes: { topics: ['failures', 'certificates', 'deadlocks'], closely: true },
  });
  source.about((await source.first()).callouts);
  await source.known(writtenFacts);
  const namespaces = objects.flatMap(({ kind, metadata }) =>
    kind === 'Namespace' ? (metadata.name ?? []) : [],
  );
  const known = fromManifests(await source.snapshot(), new Set(namespaces));
  const { report } = await examineCluster(snapshotReader(known, namespace), question);
  return lintReport(
    { files: files.length, manifests, namespace, version, misshapen, show },
    report,
    known.facts,
  );
}
