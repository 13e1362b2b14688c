import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Severity, severities } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { certificatesOnly, type RawSecret } from '../collect/collectors/secrets.ts';
import { manifestReader, misshapenField } from '../collect/manifest-reader.ts';
import { readCluster } from '../collect/planner.ts';
import { snapshotReader } from '../collect/snapshot-reader.ts';
import { atOrAbove, type FailOn } from '../diagnose/exit-code.ts';
import type { DefinitionObject } from '../facts/callout-of.ts';
import { limits } from '../facts/limits.ts';
import { lookup } from '../facts/lookup.ts';
import { keyOf, type ObjectRef } from '../facts/object-ref.ts';
import type { CertificateSecret } from '../facts/objects/secret.ts';
import { resourcesOf } from '../facts/served-resources.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { fromManifests, writtenFacts } from '../lint/from-manifests.ts';
import { type LintQuestion, lintReport } from '../lint/lint.ts';
import type { LintReport } from '../lint/lint-report.ts';
import { type Manifest, type ManifestObject, ManifestProblem, manifestsOf } from '../lint/manifest.ts';
import { withObjects } from '../what-if/with-objects.ts';
import { CannotStart } from './cannot-start.ts';
import { examineCluster } from './doctor.ts';
import { inputFrom, inputName, unreadableFile } from './input-file.ts';
import { inItsShare } from './time-slice.ts';
import { type ClusterOptions, endOf, withCluster } from './with-cluster.ts';

/** What the flags of `lint` ask for. */
export interface LintInput {
  /** Files, directories, `-`. */
  readonly paths: readonly string[];
  /** Of objects that name none; that of the cluster's context, or default, unless told. */
  readonly namespace: string | undefined;
  /** How long it may take, and the cluster or snapshot to which the manifests would be applied, if it asks one. */
  readonly way: ClusterOptions;
  readonly against: boolean;
  readonly version: string | undefined;
  readonly check: readonly string[];
  readonly skip: readonly string[];
  readonly severity: Severity;
  readonly now: Date;
}

const isManifest = /\.(?:ya?ml|json)$/;

/** A file to read; `named`: by whoever typed the command, so that it has to hold manifests. */
type RunEnd = Pick<ClusterReader, 'until'>;

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
  if (files.length > limits.manifests)
    throw new CannotStart(`${path} contains more than ${limits.manifests} manifests`);
  return files.toSorted().map((name) => ({ file: join(path, name), named: false }));
}

async function manifestsIn(
  { file, named }: InputFile,
  { deadline, ...end }: RunEnd & { readonly deadline: AbortSignal },
): Promise<readonly Manifest[]> {
  const bytes = await inputFrom(file, { bytes: limits.file, deadline });
  const name = inputName(file);
  if (bytes.includes(0)) throw new CannotStart(`${name} is not a text file`);
  try {
    return await inItsShare(end, 1, `while ${name} was read`, () =>
      manifestsOf(bytes.toString('utf8'), name, named ? 'refused' : 'skipped'),
    );
  } catch (error) {
    if (error instanceof ManifestProblem || error instanceof ReferenceError)
      throw new CannotStart(error.message);
    throw error;
  }
}

/** 1: a finding at or above `failOn`. 3: none, but something of the cluster could not be read. */
export const lintExitCode = (
  { summary: { findings }, notLookedAt = [] }: LintReport,
  failOn: FailOn,
): 0 | 1 | 3 =>
  atOrAbove[failOn].some((severity) => findings[severity] > 0) ? 1 : notLookedAt.length > 0 ? 3 : 0;

type SecretManifest = ManifestObject & RawSecret & { readonly stringData?: Readonly<Record<string, string>> };

const isSecret = (object: ManifestObject): object is SecretManifest =>
  object.kind === 'Secret' && object.apiVersion === 'v1';

const keyIn = ({ metadata: { name, namespace } }: SecretManifest, home: string): string =>
  keyOf({ namespace: namespace ?? home, name });

/** Its certificates, and no key. */
function certificatesIn({ stringData = {}, data, ...secret }: SecretManifest): CertificateSecret {
  const written = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return certificatesOnly({ ...secret, data: { ...data, ...Object.fromEntries(written) } });
}

/** What manifests hold, as facts. */
async function factsOf(
  manifests: readonly Manifest[],
  namespace: string,
  now: Date,
  end: RunEnd,
): Promise<Snapshot> {
  const objects = manifests.map(({ object }) => object);
  const source = readCluster(
    { ...manifestReader(objects, namespace), ...end },
    {
      now,
      wishes: { topics: ['failures', 'certificates', 'deadlocks'], closely: true },
    },
  );
  source.about((await source.first()).callouts);
  await source.known(writtenFacts);
  const namespaces = objects.flatMap(({ kind, metadata }) =>
    kind === 'Namespace' ? (metadata.name ?? []) : [],
  );
  const read = fromManifests(await source.snapshot(), new Set(namespaces));
  const secrets = new Map(
    objects.filter(isSecret).map((secret) => [keyIn(secret, namespace), certificatesIn(secret)]),
  );
  return { ...read, facts: { ...read.facts, secrets: lookup(secrets, read.facts.secrets.gaps) } };
}

const isDefinition = (object: ManifestObject): object is ManifestObject & DefinitionObject =>
  object.kind === 'CustomResourceDefinition';

const everything = { callouts: [], check: [], skip: [], severity: 'info' } as const;

/** The cluster with the manifests applied, and as it is. */
async function applied(reader: ClusterReader, manifests: readonly Manifest[], written: Snapshot, now: Date) {
  const { callouts } = written.facts;
  const objects = manifests.map(({ object }) => object);
  const { snapshot, report } = await examineCluster(reader, {
    ...everything,
    deep: false,
    closelyIn: callouts.flatMap(({ client }) => client.service?.namespace ?? []),
    now,
  });
  const facts = withObjects(snapshot.facts, {
    facts: written.facts,
    hold: ({ kind, name }: ObjectRef) =>
      objects.some((object) => object.kind === kind && object.metadata.name === name),
    defines: objects.filter(isDefinition).flatMap(resourcesOf),
    aggregates: callouts.flatMap((one) =>
      one.kind === 'aggregated-api' ? `${one.group}/${one.version}` : [],
    ),
  });
  return { snapshot: { ...snapshot, facts }, destination: { report, before: snapshot.facts, after: facts } };
}

/** Judges manifests that are not applied yet. Throws CannotStart where there are none. */
export async function lint(input: LintInput): Promise<LintReport> {
  const { paths, way, against, version, check, skip, severity, now } = input;
  const { deadline, until, rest } = endOf(way);
  const end = { until, deadline };
  const files = (await Promise.all(paths.map(filesIn))).flat();
  const manifests: Manifest[] = [];
  let values = 0;
  for (const file of files) {
    const found = await manifestsIn(file, end);
    for (const { size } of found) values += size;
    if (values > limits.manifestValues)
      throw new CannotStart(
        `the manifests have more than ${limits.manifestValues} keys and items together`,
        'Check fewer of them at a time.',
      );
    manifests.push(...found);
  }
  if (manifests.length === 0) throw new CannotStart(`${paths.join(', ')}: no Kubernetes object found`);
  const misshapen = new Map(
    manifests.flatMap((one): [Manifest, string][] => {
      const field = misshapenField(one.object);
      return field === undefined ? [] : [[one, field]];
    }),
  );
  // One of them must not hide what is wrong with the others.
  const wellFormed = manifests.filter((one) => !misshapen.has(one));
  const judged = async (
    snapshot: Snapshot,
    namespace: string,
    there: Pick<LintQuestion, 'version' | 'destination'>,
  ): Promise<LintReport> => {
    const { report } = await examineCluster(
      { ...snapshotReader(snapshot, namespace, 'given'), ...end },
      {
        ...everything,
        deep: true,
        now,
      },
    );
    const show: LintQuestion['show'] = (id, grade) =>
      (check.length === 0 || check.includes(id)) &&
      !skip.includes(id) &&
      severities.indexOf(grade) <= severities.indexOf(severity);
    const question = { files: files.length, manifests, namespace, misshapen, show, ...there };
    return inItsShare(end, 1, 'while the findings were put together', () =>
      lintReport(question, report, snapshot.facts),
    );
  };
  if (!against) {
    const { namespace = 'default' } = input;
    return judged(await factsOf(wellFormed, namespace, now, end), namespace, { version });
  }
  return withCluster({ ...way, ...rest() }, async (reader) => {
    const { namespace } = reader;
    const written = await factsOf(wellFormed, namespace, now, end);
    const { snapshot, destination } = await applied(reader, wellFormed, written, now);
    return judged(snapshot, namespace, { version: version ?? snapshot.cluster.version, destination });
  });
}
