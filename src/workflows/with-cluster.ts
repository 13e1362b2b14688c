import { unreadReasons } from '../collect/attempts.ts';
import type { OpenProber } from '../collect/cluster-prober.ts';
import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import { ConnectionProblem } from '../collect/kube/connection.ts';
import type { KubeFlags } from '../collect/kube/kube-flags.ts';
import type { Observe } from '../collect/kube/observation.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import { StuckObjectMissing } from '../facts/stuck-object.ts';
import { listed } from '../phrases/lists.ts';
import { CannotStart } from './cannot-start.ts';
import { CalloutNameError } from './choose-callouts.ts';

export { CannotStart } from './cannot-start.ts';

const adviceFor = (error: ReadError): string | undefined => {
  switch (error.reason) {
    case 'unauthorized':
      return 'Log in again, or choose other credentials with --context, --user or --token.';
    case 'timeout':
      return 'Raise --request-timeout and --timeout, or check the network path to the API server.';
    case 'unreachable':
    case 'not-served':
    case 'not-kubernetes':
      return 'Check the server of this context: kubectl config view --minify';
    default:
      return undefined;
  }
};

const atMostShown = 12;

/** Errors that keep a run from starting as {@link CannotStart}, all others as they are. */
export function asCannotStart(error: unknown): unknown {
  if (error instanceof ConnectionProblem) return new CannotStart(error.message, error.advice, 'unreachable');
  if (error instanceof ReadError)
    return new CannotStart(error.message, adviceFor(error), unreadReasons[error.reason]);
  if (error instanceof StuckObjectMissing) {
    return new CannotStart(
      error.message,
      'Choose another namespace with -n, or another cluster with --context.',
    );
  }
  if (error instanceof CalloutNameError) {
    const { candidates, similar } = error;
    if (similar !== undefined)
      return new CannotStart(error.message, `there is a webhook with a similar name: ${similar}`);
    return new CannotStart(
      error.message,
      candidates.length === 0 ? undefined : `It has: ${listed(candidates, { most: atMostShown })}`,
    );
  }
  return error;
}

/** How a cluster is reached, and for how long. */
export interface ClusterOptions {
  readonly flags: KubeFlags;
  /** The deadline of everything together. */
  readonly milliseconds: number;
  /** A snapshot to read instead of a cluster; `-` is standard input. */
  readonly snapshot?: string | undefined;
  /** Ends all reads and probes before the deadline: what is known by then is judged. */
  readonly interrupted?: AbortSignal | undefined;
  /** Told every request. */
  readonly observe?: Observe | undefined;
  /** To the API server at the same time, at most. */
  readonly connections?: number;
  /** The port at which this program listens itself. */
  readonly listensOn?: number;
}

/**
 * When a run ends that begins now: at its deadline, or earlier with Ctrl-C; `until` by performance.now(). `rest` is the same for what
 * begins later in it.
 */
export function endOf({ milliseconds, interrupted }: Pick<ClusterOptions, 'milliseconds' | 'interrupted'>) {
  const late = AbortSignal.timeout(Math.ceil(milliseconds));
  const deadline = interrupted === undefined ? late : AbortSignal.any([late, interrupted]);
  let end = performance.now() + milliseconds;
  deadline.addEventListener('abort', () => {
    end = Math.min(end, performance.now());
  });
  const rest = () => ({ milliseconds: Math.max(1, end - performance.now()), interrupted: deadline });
  return { deadline, until: () => end, rest };
}

/** Opens the cluster that the flags and the environment name, hands its reader and its prober to `run`, and closes it. */
export async function onCluster<T>(
  way: ClusterOptions,
  run: (reader: ClusterReader, prober: OpenProber) => Promise<T>,
): Promise<T> {
  const { flags, observe, connections, listensOn, snapshot } = way;
  const { deadline, until } = endOf(way);
  const { reader, prober } =
    snapshot === undefined
      ? await openConnection(flags, process.env, deadline, { observe, connections, listensOn })
      : await (await import('./snapshot-file.ts')).openSnapshot(snapshot, flags.namespace);
  try {
    return await run({ ...reader, until }, prober);
  } finally {
    reader.close();
  }
}

/** {@link onCluster}; whatever keeps the run from starting becomes {@link CannotStart}. */
export const withCluster: typeof onCluster = (way, run) =>
  onCluster(way, run).catch((error: unknown) => {
    throw asCannotStart(error);
  });
