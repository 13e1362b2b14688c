const mebibyte = 1024 * 1024;

/** How much is taken of one thing, and what an API server does with more of it where it has a limit of its own. */
interface Limit {
  readonly most: number;
  readonly of: string;
  readonly apiServer?: string;
}

const table = {
  answer: { most: 64 * mebibyte, of: 'one answer of an API server, as it comes and unpacked' },
  underWay: { most: 128 * mebibyte, of: 'all answers that are under way, as they come' },
  headers: {
    most: mebibyte,
    of: 'the headers of one answer, and its trailers',
    apiServer: 'takes 10 MiB from a webhook',
  },
  frame: { most: 4 * mebibyte, of: 'one message of a port-forward' },
  error: { most: mebibyte, of: 'a response with an error status: the rest is not read' },
  lines: {
    most: 512 * mebibyte,
    of: 'an answer that is read line by line (`/metrics`), unpacked; a line is held, no more',
  },
  values: { most: 4_000_000, of: 'values in one answer' },
  depth: { most: 1000, of: 'levels of nesting in an answer above 4 MiB' },
  objects: { most: 200_000, of: 'objects of one list' },
  lists: { most: 160 * mebibyte, of: 'all lists of a run, all their pages' },
  listValues: { most: 3_000_000, of: 'values in one list, all its pages' },
  webhooks: {
    most: 25_000,
    of: 'webhooks in all configurations of one kind: the configurations behind them are counted, not judged',
  },
  pages: { most: 5000, of: 'pages of one list' },
  results: { most: 60_000, of: 'results of checks that do not pass: checks that are left do not run then' },
  kubeconfig: { most: 16 * mebibyte, of: 'a kubeconfig; its YAML may use at most 100 aliases' },
  yaml: {
    most: 1_000_000,
    of: 'parts of one YAML document: names, values, marks, line ends (of a kubeconfig, a manifest, an object of `-f`)',
  },
  file: { most: 8 * mebibyte, of: 'a manifest, or a file of `-f`' },
  manifests: { most: 10_000, of: 'manifests in one directory' },
  manifestValues: { most: 1_000_000, of: 'keys and items in all manifests of a run' },
  bundle: { most: mebibyte, of: 'a file with a caBundle' },
  snapshot: { most: 128 * mebibyte, of: 'a snapshot, unpacked: twice the largest of docs/performance.md' },
  samples: { most: 23, of: 'objects that one webhook is called with: 20 of `-f`, 3 stored ones' },
  text: { most: 4 * mebibyte, of: 'a text for `explain`: more of it is a log, which `scan` reads' },
  logLine: {
    most: 8 * mebibyte,
    of: 'a line of a log: of a longer one the pieces are read that name a webhook',
  },
  message: { most: 4 * mebibyte, of: 'one message of an agent to `mcp`' },
  credentials: { most: 4 * mebibyte, of: 'what a credential plugin prints' },
  expressionSteps: {
    most: 30_000_000,
    of: 'steps that one matchCondition takes here for one request: about a second',
    apiServer:
      'counts cost, as this program does: it ends an expression above 1 000 000, and the conditions of a webhook above 2 500 000 together, with an error',
  },
  runSteps: {
    most: 600_000_000,
    of: 'steps that the matchConditions of a run take here, all together, within its time',
  },
  backendAnswer: {
    most: 4 * mebibyte,
    of: 'what a backend responds to one review, as it comes and unpacked',
    apiServer: 'has no limit but the time of the call',
  },
  backendAnswers: { most: 16 * mebibyte, of: 'what the backends of a run respond to reviews, together' },
  reviewDepth: {
    most: 500,
    of: 'levels of nesting in a response and its patch',
    apiServer: 'refuses more than 10 000',
  },
  patchOperations: {
    most: 10_000,
    of: 'operations of the patch in one response',
    apiServer: 'has this limit for the patches of clients, none for those of webhooks',
  },
  patchCopies: {
    most: 3 * mebibyte,
    of: 'what the `copy` operations of one patch add to the object, as JSON',
    apiServer: 'refuses the request, in the sentence that is predicted',
  },
  patchMoves: {
    most: 20_000_000,
    of: 'list items that the operations of one patch move to another place',
    apiServer: 'has no limit',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof table;

/**
 * How much is taken of whatever comes from outside, at most: whoever runs a webhook, or answers in an API server's place,
 * must not be able to fill this machine's memory or keep its processor. Behind a limit nothing is judged by the part that
 * came: the read, or the one response, is `unknown`, and says which limit that was. docs/security.md prints this table.
 */
export const limitTable: Readonly<Record<LimitName, Limit>> = table;

/** The same as numbers: bytes, or how many. */
export const limits = Object.fromEntries(
  Object.entries(table).map(([name, { most }]) => [name, most]),
) as Readonly<Record<LimitName, number>>;

/** `is larger than 64 MiB`. */
export const largerThan = (bytes: number): string => `is larger than ${bytes / mebibyte} MiB`;
