import { testedMinors } from '../../apiserver/server-version.ts';
import { type Attempts, attempts, metadataOfAll } from '../../collect/attempts.ts';
import type { ClusterReader } from '../../collect/cluster.ts';
import { collectAggregatedApis } from '../../collect/collectors/registration/api-services.ts';
import { collectConversion } from '../../collect/collectors/registration/conversion-webhooks.ts';
import { admissionOf } from '../../collect/collectors/registration/webhook-configurations.ts';
import type { KubeFlags } from '../../collect/kube/kubeconfig/kube-flags.ts';
import { loadKubeconfig } from '../../collect/kube/kubeconfig/kubeconfig-file.ts';
import { openCluster } from '../../collect/kube/open-cluster.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import { pathOf, resources } from '../../facts/resource.ts';
import { settableFields } from '../../what-if/assumption.ts';

/** A suggested word and its description. The description is text of this program. */
export interface Value {
  readonly word: string;
  readonly description?: string;
}

/** A request for completions of a value. */
export interface CompletionRequest {
  readonly typed: string;
  /** kubectl's flags on the command line. */
  readonly flags: KubeFlags;
  /** Aborts every read. */
  readonly signal: AbortSignal;
}

type Source = (options: CompletionRequest) => Promise<readonly Value[]>;

const plainly = (words: Iterable<string>): readonly Value[] => [...words].map((word) => ({ word }));

const inKubeconfig =
  (kind: 'contexts' | 'clusters' | 'users'): Source =>
  async ({ flags }) =>
    plainly(loadKubeconfig(flags.kubeconfig, process.env).config[kind].keys());

async function inCluster<T>(
  { flags, signal }: CompletionRequest,
  read: (reader: ClusterReader) => Promise<T>,
): Promise<T> {
  const reader = await openCluster(flags, process.env, signal);
  try {
    return await read(reader);
  } finally {
    reader.close();
  }
}

const namespaces: Source = (options) =>
  inCluster(options, async (reader) => {
    const { items } = await reader.list<Named>(
      pathOf(resources.Namespace),
      {},
      `${metadataOfAll},application/json`,
    );
    return plainly(items.map(({ metadata }) => metadata.name));
  });

interface Named {
  readonly metadata: Metadata;
}

/** Reads webhooks or APIServices. Throws if a list cannot be read: there are no suggestions then. */
const callouts = (
  options: CompletionRequest,
  collect: (read: Attempts) => Promise<readonly Callout[]>,
): Promise<readonly Callout[]> =>
  inCluster(options, async (reader) => {
    const read = attempts(reader);
    const found = await collect(read);
    const [unread] = read.failed;
    if (unread !== undefined) throw new Error(unread.detail);
    return found;
  });

const depth = (name: string): number => name.split('/').length;

/** Prefixes of names with a slash. */
const kinds: readonly Value[] = [
  { word: 'validating/', description: 'validating webhooks' },
  { word: 'mutating/', description: 'mutating webhooks' },
  { word: 'service/', description: 'webhooks by their Service' },
];
const others = [
  { word: 'crd/', description: 'conversion webhooks of CRDs', collect: collectConversion },
  { word: 'apiservice/', description: 'APIServices with a backend', collect: collectAggregatedApis },
];

/**
 * Names of admission webhooks that start with the typed text: of configurations and of the webhooks in them;
 * after a slash the webhooks of a configuration, and Services. Two configurations with the same name get
 * their kind as a prefix.
 */
const configurations: Source = async (options) => {
  const { typed } = options;
  const found = await callouts(options, async (read) => (await admissionOf(read)).callouts);
  const shared = (name: string): boolean =>
    new Set(found.filter(({ configuration }) => configuration === name).map(({ kind }) => kind)).size > 1;
  const words = found.flatMap(({ kind, configuration, webhook, client: { service } }): readonly Value[] => {
    const id = `${kind}/${configuration}`;
    if (!typed.includes('/'))
      return [
        { word: shared(configuration) ? id : configuration, description: `${kind} webhooks` },
        { word: webhook, description: `a ${kind} webhook` },
      ];
    const backend =
      service === undefined ? [] : [`service/${service.name}`, `${service.namespace}/${service.name}`];
    const all = [id, `${configuration}/${webhook}`, `${id}/${webhook}`, ...backend];
    return plainly(all.filter((word) => depth(word) === depth(typed)));
  });
  const known = typed.includes('/') ? words : [...words, ...kinds];
  return [...new Map(known.map((value) => [value.word, value])).values()];
};

const anyWebhook: Source = async (options) => {
  const other = others.find(({ word }) => options.typed.startsWith(word));
  if (other === undefined) return [...(await configurations(options)), ...others];
  return plainly((await callouts(options, other.collect)).map(calloutId));
};

async function checks(): Promise<readonly Value[]> {
  const { catalogue } = await import('../../checks/catalogue.ts');
  return catalogue.map(({ meta }) => ({ word: meta.id, description: meta.title }));
}

async function remedies(): Promise<readonly Value[]> {
  const { remedyCatalogue } = await import('../../remedies/catalogue.ts');
  return remedyCatalogue.map(({ meta }) => ({ word: meta.id, description: meta.title }));
}

async function scenarios(): Promise<readonly Value[]> {
  const { scenarios: all } = await import('../../demo/scenarios/catalogue.ts');
  return all.map(({ slug }) => ({ word: slug }));
}

/** Recorded changes of this cluster in the journal of this machine that can be undone, newest first. */
const changes: Source = (options) =>
  inCluster(options, async ({ server }) => {
    const { fileJournal, journalFolder, sameCluster } = await import('../../change/journal.ts');
    const { entries } = await fileJournal(journalFolder(process.env)).read();
    return entries
      .filter(({ cluster }) => sameCluster(cluster, { server }))
      .filter(({ state }) => state !== 'undone' && state !== 'refused')
      .toReversed()
      .map(({ id, remedy, at }) => ({ word: id, description: `${remedy}, ${at}` }));
  });

/** Combines several sources; one that cannot be read is omitted. */
const anyOf =
  (...sources: readonly Source[]): Source =>
  async (options) => {
    const lists = await Promise.allSettled(sources.map((source) => source(options)));
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  };

const losses = ['each', 'deployment/', 'node/', 'namespace/'];

/** Values of `what-if --down`: webhooks, and the namespaces after `namespace/`. */
const backends: Source = async (options) =>
  options.typed.startsWith('namespace/')
    ? (await namespaces(options)).map(({ word }) => ({ word: `namespace/${word}` }))
    : [...plainly(losses), ...(await anyWebhook(options))];

/** Names of webhooks, each with every field that `what-if --set` accepts. */
const settings: Source = async (options) =>
  (await configurations(options))
    .filter(({ word }) => !word.endsWith('/'))
    .flatMap(({ word }) => plainly(settableFields.map((field) => `${word}.${field}=`)));

/** Completes the last item of a comma-separated list. */
const listOf =
  (source: Source): Source =>
  async (options) => {
    const before = options.typed.slice(0, options.typed.lastIndexOf(',') + 1);
    return (await source(options)).map((value) => ({ ...value, word: `${before}${value.word}` }));
  };

/** The source for each kind of value. Kinds are as in the help of commands: `WEBHOOK`, `ID`, `CONTEXT`. */
export const valueSources: Readonly<Record<string, Source>> = {
  CONTEXT: inKubeconfig('contexts'),
  CONTEXTS: listOf(inKubeconfig('contexts')),
  CLUSTER: inKubeconfig('clusters'),
  USER: inKubeconfig('users'),
  NAMESPACE: namespaces,
  WEBHOOK: anyWebhook,
  CONFIGURATION: configurations,
  ID: checks,
  CHECK: checks,
  REMEDY: listOf(remedies),
  FINDING: anyOf(checks, anyWebhook),
  CHANGE: anyOf(changes, configurations),
  SCENARIO: scenarios,
  BACKEND: backends,
  'WEBHOOK.FIELD=VALUE': settings,
  VERSION: async () => plainly([`1.${testedMinors.newest}`]),
};
