import { isJsonObject, type JsonObject } from '../../basics/collections.ts';
import { limits } from '../../basics/limits.ts';
import type { GivenObject } from '../../facts/sample.ts';
import { resourceOfKind, type ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { ManifestProblem, yamlValues } from '../../lint/manifest.ts';
import { listed } from '../../phrases/lists.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, deadlineOf } from '../cluster/with-cluster.ts';
import { inItsShare } from '../time-slice.ts';
import { inputFrom, inputName } from './input-file.ts';

/** Maximum number of objects in one `-f`: each one is a call to every Pod of the backend. */
const atMost = 20;

interface Located {
  readonly value: unknown;
  readonly line: number;
}

/** The documents of a file, each with its first line. Throws CannotStart with file and line. */
function documentsOf(text: string, file: string): readonly Located[] {
  const found: Located[] = [];
  try {
    for (const { value, line } of yamlValues(text, file)) {
      if (!isJsonObject(value)) throw new ManifestProblem(file, line, 'this is not a Kubernetes object');
      found.push({ value, line });
    }
  } catch (error) {
    throw error instanceof ManifestProblem ? new CannotStart(error.message) : error;
  }
  return found;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Parses a manifest: YAML documents or JSON, with lists split into their items. Throws CannotStart. */
export function givenObjects(text: string, file: string): readonly GivenObject[] {
  const found = documentsOf(text, file).flatMap(({ value, line }): readonly Located[] => {
    const { kind, items } = value as JsonObject;
    const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
    return isList ? items.map((item) => ({ value: item, line })) : [{ value, line }];
  });
  if (found.length === 0) throw new CannotStart(`${file} contains no object`);
  if (found.length > atMost)
    throw new CannotStart(`${file} contains ${found.length} objects: -f accepts at most ${atMost}`);
  return found.map(({ value, line }) => {
    const { apiVersion, kind, metadata } = isJsonObject(value) ? value : {};
    const { name, generateName } = isJsonObject(metadata) ? metadata : {};
    const missing = [
      ...(isText(apiVersion) ? [] : ['apiVersion']),
      ...(isText(kind) ? [] : ['kind']),
      ...(isText(name) || isText(generateName) ? [] : ['metadata.name']),
    ];
    if (missing.length > 0)
      throw new CannotStart(`${file}, line ${line}: the object must have ${listed(missing)}`);
    return value as GivenObject;
  });
}

/** {@link givenObjects} of a file, within the time limit of a run. */
export async function objectsIn(
  file: string,
  options: Pick<ClusterOptions, 'milliseconds' | 'interrupted'>,
): Promise<readonly GivenObject[]> {
  const { deadline, until } = deadlineOf(options);
  const name = inputName(file);
  const bytes = await inputFrom(file, { bytes: limits.file, deadline });
  return inItsShare({ until }, 1, `while ${name} was read`, () => givenObjects(bytes.toString('utf8'), name));
}

/** The resource of an object's kind. Throws CannotStart if there is none, or discovery could not be read. */
export function servedKind(
  { apiVersion, kind }: GivenObject,
  { served }: Pick<Facts, 'served'>,
): ServedResource {
  const unread = served.why('served');
  if (unread !== undefined)
    throw new CannotStart(`whether this cluster serves ${kind} is unknown: discovery could not be read`);
  const found = resourceOfKind({ apiVersion, kind }, served.get('served'));
  if (found !== undefined) return found;
  const { resources = [], stale = [] } = served.get('served') ?? {};
  const below = resources.find((one) => one.kind === kind && one.resource.includes('/'));
  if (below !== undefined)
    throw new CannotStart(`${kind} is a request to ${below.resource}: subresources are not examined`);
  const isStale = stale.includes(apiVersion);
  throw new CannotStart(
    isStale
      ? `whether this cluster serves ${kind} is unknown: discovery of ${apiVersion} fails`
      : `this cluster serves no ${kind} of ${apiVersion}`,
  );
}

/** Throws CannotStart if an object is a Secret: its data would be sent to the Pods of the backend. */
export function refuseSecrets(objects: readonly GivenObject[]): void {
  const secret = objects.find(({ apiVersion, kind }) => kind === 'Secret' && apiVersion === 'v1');
  if (secret === undefined) return;
  throw new CannotStart(
    `Secret ${secret.metadata.name ?? secret.metadata.generateName} would be sent to every Pod of the webhook, with its data`,
    'To allow that, add --yes.',
  );
}
