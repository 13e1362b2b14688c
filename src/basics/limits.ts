const mebibyte = 1024 * 1024;

/** A limit of this program, and what the API server does above its own limit. */
interface Limit {
  readonly most: number;
  readonly of: string;
  readonly apiServer?: string;
}

const table = {
  response: { most: 64 * mebibyte, of: 'one response of an API server, both compressed and uncompressed' },
  inProgress: {
    most: 128 * mebibyte,
    of: 'all responses that are being received at the same time, compressed',
  },
  headers: {
    most: mebibyte,
    of: 'the headers and trailers of one response',
    apiServer: 'accepts 10 MiB from a webhook',
  },
  frame: { most: 4 * mebibyte, of: 'one message of a port-forward' },
  error: { most: mebibyte, of: 'a response with an error status; the rest is not read' },
  lines: {
    most: 512 * mebibyte,
    of: 'a response that is read line by line (`/metrics`), uncompressed; only one line is in memory',
  },
  values: { most: 4_000_000, of: 'values in one response' },
  depth: { most: 1000, of: 'levels of nesting in a response above 4 MiB' },
  objects: { most: 200_000, of: 'objects of one list' },
  lists: { most: 160 * mebibyte, of: 'all pages of all lists of a run' },
  listValues: { most: 3_000_000, of: 'values in all pages of one list' },
  webhooks: {
    most: 25_000,
    of: 'webhooks in all configurations of one kind; further configurations are counted, not examined',
  },
  pages: { most: 5000, of: 'pages of one list' },
  results: { most: 60_000, of: 'results of checks that do not pass; the remaining checks then do not run' },
  kubeconfig: { most: 16 * mebibyte, of: 'a kubeconfig; its YAML may use at most 100 aliases' },
  yaml: {
    most: 1_000_000,
    of: 'YAML tokens in one document of a kubeconfig, of a manifest or of `-f`: names, values, punctuation, line ends',
  },
  file: { most: 8 * mebibyte, of: 'a manifest, or a file of `-f`' },
  manifests: { most: 10_000, of: 'manifests in one directory' },
  manifestValues: { most: 1_000_000, of: 'keys and items in all manifests of a run' },
  bundle: { most: mebibyte, of: 'a file with a caBundle' },
  snapshot: {
    most: 128 * mebibyte,
    of: 'an uncompressed snapshot: twice the largest in docs/performance.md',
  },
  samples: { most: 23, of: 'objects that are sent to one webhook: 20 of `-f`, 3 stored objects' },
  text: { most: 4 * mebibyte, of: 'a text for `explain`; use `scan` for a longer log' },
  logLine: {
    most: 8 * mebibyte,
    of: 'a line of a log; only the parts of a longer line that name a webhook are read',
  },
  message: { most: 4 * mebibyte, of: 'one message from an agent to `mcp`' },
  credentials: { most: 4 * mebibyte, of: 'the output of a credential plugin' },
  expressionSteps: {
    most: 30_000_000,
    of: 'steps of one matchCondition for one request in this program (about one second)',
    apiServer:
      'returns an error for an expression that costs more than 1 000 000, and for all conditions of a webhook together above 2 500 000; this program counts the same cost',
  },
  runSteps: {
    most: 600_000_000,
    of: 'steps of all matchConditions of a run in this program',
  },
  backendResponse: {
    most: 4 * mebibyte,
    of: 'the response of a backend to one review, both compressed and uncompressed',
    apiServer: 'limits only the duration of the call',
  },
  backendResponses: { most: 16 * mebibyte, of: 'all responses of backends to the reviews of a run' },
  reviewDepth: {
    most: 500,
    of: 'levels of nesting in a response and its patch',
    apiServer: 'refuses more than 10 000',
  },
  patchOperations: {
    most: 10_000,
    of: 'operations of the patch in one response',
    apiServer: 'has this limit for patches of clients, and no limit for patches of webhooks',
  },
  patchCopies: {
    most: 3 * mebibyte,
    of: 'JSON that the `copy` operations of one patch add to the object',
    apiServer: 'refuses the request, with the error that this program predicts',
  },
  patchMoves: {
    most: 20_000_000,
    of: 'list items that the operations of one patch move to another place',
    apiServer: 'has no limit',
  },
} as const satisfies Readonly<Record<string, Limit>>;

type LimitName = keyof typeof table;

/**
 * Maximum sizes of all external input: a webhook, or a server in place of the API server, must not be able to
 * exhaust this machine's memory or CPU. Input above a limit is not evaluated in part: the read, or the one
 * response, is `unknown`, and names the limit. docs/security.md prints this table.
 */
export const limitTable: Readonly<Record<LimitName, Limit>> = table;

/** The limits as numbers: bytes, or counts. */
export const limits = Object.fromEntries(
  Object.entries(table).map(([name, { most }]) => [name, most]),
) as Readonly<Record<LimitName, number>>;

/** `is larger than 64 MiB`. */
export const largerThan = (bytes: number): string => `is larger than ${bytes / mebibyte} MiB`;
