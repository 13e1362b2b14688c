import type { ClusterReader } from '../../collect/cluster-reader.ts';
import type { RawClientConfig } from '../../collect/collectors/webhook-configurations.ts';
import type { KubeFlags } from '../../collect/kube/kube-flags.ts';
import { loadKubeconfig } from '../../collect/kube/kubeconfig-file.ts';
import { openCluster } from '../../collect/kube/open-cluster.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import { pathOf, type Resource, resources } from '../../facts/resource.ts';

/** A word that may stand for something, and in words of ours what it is. */
export interface Value {
  readonly word: string;
  readonly description?: string;
}

/** One press of Tab at a place where a value is due. */
export interface CompletionRequest {
  /** What is typed so far of the word. */
  readonly typed: string;
  /** kubectl's flags, as they stand on the line. */
  readonly flags: KubeFlags;
  /** Ends every read. */
  readonly signal: AbortSignal;
}

type Source = (question: CompletionRequest) => Promise<readonly Value[]>;

const plainly = (words: Iterable<string>): readonly Value[] => [...words].map((word) => ({ word }));

/** Names of something in the kubeconfig. */
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

const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

interface Named {
  readonly metadata: Metadata;
}

async function names(reader: ClusterReader, resource: Resource): Promise<readonly string[]> {
  const { items } = await reader.list<Named>(pathOf(resource), {}, metadataOnly);
  return items.map(({ metadata }) => metadata.name);
}

const configurationKinds = [
  ['validating', resources.ValidatingWebhookConfiguration],
  ['mutating', resources.MutatingWebhookConfiguration],
] as const;

interface Configuration extends Named {
  readonly webhooks?: readonly { readonly name: string }[] | null;
}

/** `[validating/]CONFIGURATION/…`: the webhooks of the configurations that are meant so far. */
async function webhooks(reader: ClusterReader, typed: string): Promise<readonly Value[]> {
  const [first = '', second] = typed.split('/');
  const chosen = configurationKinds.find(([kind]) => kind === first);
  const name = chosen === undefined ? first : (second ?? '');
  const prefix = chosen === undefined ? '' : `${first}/`;
  const found = await Promise.all(
    (chosen === undefined ? configurationKinds : [chosen]).map(([, resource]) =>
      reader.get<Configuration>(pathOf(resource, undefined, name)),
    ),
  );
  return found.flatMap((configuration) =>
    (configuration?.webhooks ?? []).map((webhook) => ({ word: `${prefix}${name}/${webhook.name}` })),
  );
}

/** Configurations; behind a slash, what is in them. Two of one name are told apart by their kind. */
const configurations: Source = (question) =>
  inCluster(question, async (reader) => {
    const { typed } = question;
    const kind = configurationKinds.find(([name]) => typed.startsWith(`${name}/`));
    const parts = typed.split('/').length;
    if (parts > (kind === undefined ? 1 : 2)) return webhooks(reader, typed);
    if (kind !== undefined) {
      const [name, resource] = kind;
      return (await names(reader, resource)).map((one) => ({ word: `${name}/${one}` }));
    }
    const lists = await Promise.all(
      configurationKinds.map(async ([name, resource]) =>
        (await names(reader, resource)).map((one) => [name, one] as const),
      ),
    );
    const all = lists.flat();
    const count = (name: string): number => all.filter(([, other]) => other === name).length;
    return all.map(([name, one]) => ({
      word: count(one) > 1 ? `${name}/${one}` : one,
      description: `${name} webhooks`,
    }));
  });

interface Callable extends Named {
  readonly spec?: {
    readonly service?: unknown;
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: { readonly clientConfig?: RawClientConfig };
    };
  };
}

/** CRDs with a conversion webhook, APIServices with a Service: `crd/NAME`, `apiservice/NAME`. */
const others = [
  {
    prefix: 'crd/',
    resource: resources.CustomResourceDefinition,
    called: ({ spec }: Callable) => spec?.conversion?.strategy === 'Webhook',
    description: 'conversion webhooks of CRDs',
  },
  {
    prefix: 'apiservice/',
    resource: resources.APIService,
    called: ({ spec }: Callable) => spec?.service !== undefined && spec.service !== null,
    description: 'APIServices with a backend',
  },
];

const callouts: Source = async (question) => {
  const other = others.find(({ prefix }) => question.typed.startsWith(prefix));
  if (other === undefined) {
    const kinds = others.map(({ prefix, description }) => ({ word: prefix, description }));
    return [...(await configurations(question)), ...kinds];
  }
  return inCluster(question, async (reader) => {
    const { items } = await reader.list<Callable>(pathOf(other.resource));
    return items.filter(other.called).map(({ metadata }) => ({ word: `${other.prefix}${metadata.name}` }));
  });
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

/** Changes of this cluster that this machine remembers and that can be taken back, the newest first. */
const changes: Source = (question) =>
  inCluster(question, async ({ server }) => {
    const { fileJournal, journalFolder, sameCluster } = await import('../../change/journal.ts');
    const { entries } = await fileJournal(journalFolder(process.env)).read();
    return entries
      .filter(({ cluster }) => sameCluster(cluster, { server }))
      .filter(({ state }) => state !== 'undone' && state !== 'refused')
      .toReversed()
      .map(({ id, remedy, at }) => ({ word: id, description: `${remedy}, ${at}` }));
  });

/** Several kinds of things may stand there; what cannot be read leaves the others. */
const anyOf =
  (...sources: readonly Source[]): Source =>
  async (question) => {
    const lists = await Promise.allSettled(sources.map((source) => source(question)));
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  };

/** Where the words for each kind of value come from. Kinds are as commands name them: `WEBHOOK`, `ID`, `CONTEXT`. */
export const valueSources: Readonly<Record<string, Source>> = {
  CONTEXT: inKubeconfig('contexts'),
  CLUSTER: inKubeconfig('clusters'),
  USER: inKubeconfig('users'),
  NAMESPACE: (question) =>
    inCluster(question, async (reader) => plainly(await names(reader, resources.Namespace))),
  WEBHOOK: callouts,
  CONFIGURATION: configurations,
  ID: checks,
  CHECK: checks,
  REMEDY: remedies,
  FINDING: anyOf(checks, callouts),
  CHANGE: anyOf(changes, configurations),
  SCENARIO: scenarios,
};
