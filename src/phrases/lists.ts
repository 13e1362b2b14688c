/** The form of a word that agrees with a number: `Pod` and `is` for 1, `Pods` and `are` for any other. */
export const agreeing = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** `1 Pod`, `1 request was`, `12 requests were`: a number with a noun and a verb that agree with it. */
export const counted = (count: number, one: string, many?: string): string =>
  `${count} ${agreeing(count, one, many)}`;

/** `once`, `12 times`. */
export const times = (count: number): string => agreeing(count, 'once', `${count} times`);

/** `1 webhook is`, `3 APIServices are`, `17 webhooks and APIServices are`: counts with their kinds. */
export function countedWebhooks(
  those: readonly { readonly kind: string }[],
  [is, are]: readonly [is: string, are: string] = ['', ''],
): string {
  const apis = those.filter(({ kind }) => kind === 'aggregated-api').length;
  const noun = apis === 0 ? 'webhook' : 'APIService';
  if (apis > 0 && apis < those.length) return `${those.length} webhooks and APIServices ${are}`.trim();
  return counted(those.length, `${noun} ${is}`, `${noun}s ${are}`).trim();
}

/** The text if flags select nothing, although something else exists. */
export const noneChosen = (leftOut: number): string =>
  `No webhook matches the namespace (-n) and labels (-l); ${counted(leftOut, 'other is', 'others are')} left out.`;

/** The reason for an empty report: nothing exists, or it could not be read. */
export const noneFound = (notLookedAt: readonly unknown[]): string =>
  notLookedAt.length === 0
    ? 'No webhooks, conversion webhooks or APIServices with a Service in this cluster.'
    : 'No webhook or APIService found, but not everything could be read.';

interface ListOptions {
  /** Maximum number of names; the others are counted. */
  readonly most?: number | undefined;
  readonly word?: 'and' | 'or';
}

/** `a`, `a and b`, `a, b and c`; `a, b and 3 more` if there are more than `most`. */
export function listed(names: Iterable<string>, { most, word = 'and' }: ListOptions = {}): string {
  const all = [...names];
  const cut = most ?? all.length;
  const shown = all.length > cut ? [...all.slice(0, cut), `${all.length - cut} more`] : all;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** `a fails, and b hangs`: joins sentences, with a comma before the last one as well. */
export const clauses = (sentences: readonly string[]): string =>
  [sentences.slice(0, -1).join(', '), sentences.at(-1) ?? ''].filter(Boolean).join(', and ');

/** `Pod a`, `Pods a, b and 3 more`: the kind of the names, and the names. */
export const namedList = (noun: string, names: readonly string[], most?: number): string =>
  `${agreeing(names.length, noun)} ${listed(names, { most })}`;

/** `both Pods`, `all 3 Pods`. Not for sentences with `not` or `cannot`: "all cannot" has two meanings. */
export const allPods = (count: number): string => (count === 2 ? 'both Pods' : `all ${count} Pods`);

/** `the only Pod`, `both Pods`, `1 of 3 Pods`: which of the Pods. */
export function whichPods(count: number, total: number): string {
  if (total === 1) return 'the only Pod';
  return count === total ? allPods(total) : `${count} of ${total} Pods`;
}

/** The first name and the number of others: `a`, `a and 3 more`. */
export const firstOf = (names: readonly string[]): string => listed(names, { most: 1 });

/** The last line of a shortened list: `and 3 more (--all lists them)`. */
export const andMore = (hidden: number, hint?: string): string =>
  `and ${hidden} more${hint === undefined ? '' : ` (${hint})`}`;

/** Requests for several resources with the same result. */
interface Requests {
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`. */
  readonly operations?: readonly string[];
  /** `some`: only requests with certain labels or values. */
  readonly which: 'all' | 'some';
  /** `ConfigMaps`, `any resource`. */
  readonly resources?: readonly string[];
  /** `all namespaces`; absent for cluster-scoped resources. */
  readonly extent?: string;
}

const verbs: Readonly<Record<string, string>> = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  CONNECT: 'connect to',
};

/** Requests that are better known by their command. */
const commandFor: Readonly<Record<string, string>> = {
  'CONNECT pods/exec': 'run `kubectl exec`',
  'CONNECT pods/attach': 'run `kubectl attach`',
  'CONNECT pods/portforward': 'run `kubectl port-forward`',
};

/** The name of all resources of a group; without one, of all groups. */
export const anyResource = (group?: string): string =>
  group === undefined ? every : `${anyOf}${group || 'the core group'}`;
const every = 'any resource';
const anyOf = `${every} of `;

/** Whether a resource of an outage is a name by {@link anyResource}. */
export const isAnyResource = (resource: string): boolean => resource.startsWith(every);

/** `create or update ConfigMaps or Secrets in all namespaces`; of many resources, three and their number. */
export function requestsPhrase({ operations = [], which, resources = [], extent }: Requests): string {
  const some = which === 'some' ? 'some requests to ' : '';
  const does = listed(
    operations.map((one) => verbs[one] ?? one),
    { word: 'or' },
  );
  const where = extent === undefined ? '' : ` in ${extent}`;
  // `any resource of apps or batch`.
  const names = resources.map((name, at) =>
    resources[at - 1]?.startsWith(anyOf) === true && name.startsWith(anyOf) ? name.slice(anyOf.length) : name,
  );
  const work = operations.length === 1 ? names.map((name) => commandFor[`${operations[0]} ${name}`]) : [];
  const known = work.flatMap((text) => text ?? []);
  if (known.length > 0 && known.length === names.length)
    return `${some}${listed(known, { most: 3, word: 'or' })}${where}`;
  return `${some}${does} ${listed(names, { most: 3, word: 'or' })}${where}`;
}
