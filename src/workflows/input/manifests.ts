import { groupBy } from '../../basics/collections.ts';
import { limits } from '../../basics/limits.ts';
import type { ClusterReader } from '../../collect/cluster.ts';
import { certificatesOnly, type RawSecret } from '../../collect/collectors/certificates/secrets.ts';
import { manifestReader, misshapenField } from '../../collect/manifest-reader.ts';
import { readCluster } from '../../collect/planner.ts';
import type { DefinitionObject } from '../../facts/callout-of.ts';
import { lookup } from '../../facts/lookup.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import type { CertificateSecret } from '../../facts/objects/certificate-secret.ts';
import type { Autoscaler } from '../../facts/objects/scaling.ts';
import { resourcesOfDefinition } from '../../facts/served-resources.ts';
import type { Facts, Snapshot } from '../../facts/snapshot.ts';
import { fromManifests, writtenFacts } from '../../lint/from-manifests.ts';
import type { LintOptions } from '../../lint/lint.ts';
import {
  type Manifest,
  type ManifestObject,
  ManifestProblem,
  manifestsOf,
  UnrenderedTemplate,
} from '../../lint/manifest.ts';
import { withObjects } from '../../what-if/with-objects.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { inItsShare } from '../time-slice.ts';
import { inputFrom, inputName } from './input-file.ts';
import { type InputFile, manifestFiles, unrendered } from './manifest-files.ts';

type RunEnd = Pick<ClusterReader, 'until'>;

/** The manifests of a file; undefined for a template. */
async function manifestsIn(
  { file, named }: InputFile,
  { deadline, ...end }: RunEnd & { readonly deadline: AbortSignal },
): Promise<readonly Manifest[] | undefined> {
  const bytes = await inputFrom(file, { bytes: limits.file, deadline });
  const name = inputName(file);
  if (bytes.includes(0)) throw new CannotStart(`${name} is not a text file`);
  try {
    return await inItsShare(end, 1, `while ${name} was read`, () =>
      manifestsOf(bytes.toString('utf8'), name, named ? 'refused' : 'skipped'),
    );
  } catch (error) {
    if (error instanceof UnrenderedTemplate && !named) return undefined;
    if (error instanceof ManifestProblem || error instanceof ReferenceError)
      throw new CannotStart(error.message);
    throw error;
  }
}

type SecretManifest = ManifestObject & RawSecret & { readonly stringData?: Readonly<Record<string, string>> };

const isSecret = (object: ManifestObject): object is SecretManifest =>
  object.kind === 'Secret' && object.apiVersion === 'v1';

const isAutoscaler = (object: ManifestObject): object is ManifestObject & Autoscaler =>
  object.kind === 'HorizontalPodAutoscaler' && misshapenField(object) === undefined;

const keyIn = ({ metadata: { name, namespace } }: SecretManifest, home: string): string =>
  keyOf({ namespace: namespace ?? home, name });

function certificatesIn({ stringData = {}, data, ...secret }: SecretManifest): CertificateSecret {
  const written = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return certificatesOnly({ ...secret, data: { ...data, ...Object.fromEntries(written) } });
}

/** The facts in manifests. */
export async function factsOf(
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
      readOptions: { topics: ['failures', 'certificates', 'deadlocks'], examineAll: true },
    },
  );
  source.choose((await source.first()).callouts);
  await source.known(writtenFacts);
  const namespaces = objects.flatMap(({ kind, metadata }) =>
    kind === 'Namespace' ? (metadata.name ?? []) : [],
  );
  const read = fromManifests(await source.snapshot(), new Set(namespaces));
  const secrets = new Map(
    objects.filter(isSecret).map((secret) => [keyIn(secret, namespace), certificatesIn(secret)]),
  );
  const autoscalers = groupBy(
    objects.filter(isAutoscaler),
    ({ metadata }) => metadata.namespace ?? namespace,
  );
  return {
    ...read,
    facts: {
      ...read.facts,
      secrets: lookup(secrets, read.facts.secrets.gaps),
      autoscalers: lookup(autoscalers, read.facts.autoscalers.gaps),
    },
  };
}

const lastOfEach = (manifests: readonly Manifest[]): readonly Manifest[] => [
  ...new Map(
    manifests.map((one, at) => {
      const { apiVersion, kind, metadata } = one.object;
      const { namespace, name = at } = metadata;
      return [JSON.stringify([apiVersion.split('/')[0], kind, namespace, name]), one];
    }),
  ).values(),
];

const isDefinition = (object: ManifestObject): object is ManifestObject & DefinitionObject =>
  object.kind === 'CustomResourceDefinition';

/** Manifests from files, directories and standard input. */
export interface ReadManifests extends Pick<LintOptions, 'files' | 'templates' | 'manifests' | 'misshapen'> {
  /**
   * The objects that can be evaluated. If several have the same name, only the last one, which is in effect after
   * they are applied.
   */
  readonly wellFormed: readonly Manifest[];
}

/** Reads manifests. Throws CannotStart if there are none. */
export async function readManifests(
  paths: readonly string[],
  end: RunEnd & { readonly deadline: AbortSignal },
): Promise<ReadManifests> {
  const given = await Promise.all(paths.map(manifestFiles));
  const files = given.flatMap((one) => one.files);
  const templates = given.flatMap((one) => one.unrendered);
  const manifests: Manifest[] = [];
  let values = 0;
  for (const file of files) {
    const found = await manifestsIn(file, end);
    if (found === undefined) {
      templates.push(unrendered(file.file));
      continue;
    }
    for (const { size } of found) values += size;
    if (values > limits.manifestValues)
      throw new CannotStart(
        `the manifests have more than ${limits.manifestValues} keys and items together`,
        'Check fewer of them at a time.',
      );
    manifests.push(...found);
  }
  const [template] = templates;
  if (manifests.length === 0)
    throw new CannotStart(
      `${paths.join(', ')}: no Kubernetes object found`,
      template && `${template.what}: ${template.detail}`,
    );
  const misshapen = new Map(
    manifests.flatMap((one): [Manifest, string][] => {
      const field = misshapenField(one.object);
      return field === undefined ? [] : [[one, field]];
    }),
  );
  const wellFormed = lastOfEach(manifests.filter((one) => !misshapen.has(one)));
  return { files: files.length, templates, manifests, misshapen, wellFormed };
}

/** The facts of a cluster with the manifests applied. `written`: the facts in the manifests. */
export function withManifests(cluster: Facts, manifests: readonly Manifest[], written: Facts): Facts {
  const objects = manifests.map(({ object }) => object);
  return withObjects(cluster, {
    facts: written,
    includes: ({ kind, name }: ObjectRef) =>
      objects.some((object) => object.kind === kind && object.metadata.name === name),
    defines: objects.filter(isDefinition).flatMap(resourcesOfDefinition),
    aggregates: written.callouts.flatMap((one) =>
      one.kind === 'aggregated-api' ? `${one.group}/${one.version}` : [],
    ),
  });
}
