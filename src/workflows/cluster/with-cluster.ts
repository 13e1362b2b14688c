import { unreadReasons } from '../../collect/attempts.ts';
import { type ClusterReader, type OpenProber, ReadError } from '../../collect/cluster.ts';
import type { Observe } from '../../collect/kube/http/observation.ts';
import { ConnectionProblem } from '../../collect/kube/kubeconfig/connection.ts';
import type { KubeFlags } from '../../collect/kube/kubeconfig/kube-flags.ts';
import { openConnection } from '../../collect/kube/open-cluster.ts';
import { StuckObjectError } from '../../facts/stuck-object.ts';
import { shellWord } from '../../phrases/advice.ts';
import { listed } from '../../phrases/lists.ts';
import { CalloutNameError } from '../selection/choose-callouts.ts';
import { CannotStart } from './cannot-start.ts';

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

/** The names that exist, or the command with these flags for an object that is no webhook. */
function adviceForName(
  { candidates, similar, object }: CalloutNameError,
  { flags: { namespace }, sameCluster = '' }: SelectedCluster,
): string | undefined {
  const near = similar === undefined ? [] : [`there is a webhook with a similar name: ${similar}`];
  if (object !== undefined) {
    const flags = `${namespace === undefined ? '' : ` -n ${shellWord(namespace)}`}${sameCluster}`;
    const command = `kubectl webhook doctor --from ${shellWord(object)}${flags}`;
    return [...near, `for webhooks that block this object: ${command}`].join('\n  ');
  }
  return (
    near[0] ?? (candidates.length === 0 ? undefined : `It has: ${listed(candidates, { most: atMostShown })}`)
  );
}

/** Converts errors before the start of a run to {@link CannotStart}. */
export function asCannotStart(error: unknown, cluster: SelectedCluster = { flags: {} }): unknown {
  if (error instanceof ConnectionProblem) return new CannotStart(error.message, error.advice, 'unreachable');
  if (error instanceof ReadError)
    return new CannotStart(error.message, adviceFor(error), unreadReasons[error.reason]);
  if (error instanceof StuckObjectError) return new CannotStart(error.message, error.advice);
  if (error instanceof CalloutNameError) {
    return new CannotStart(error.message, adviceForName(error, cluster));
  }
  return error;
}

/** The flags of the run. */
interface SelectedCluster {
  readonly flags: KubeFlags;
  /** Flags that select the same cluster in printed commands, with a leading space. */
  readonly sameCluster?: string;
}

/** The connection to a cluster, and its time limits. */
export interface ClusterOptions extends SelectedCluster {
  /** The deadline of the run. */
  readonly milliseconds: number;
  /** A snapshot to read instead of a cluster; `-` is standard input. */
  readonly snapshot?: string | undefined;
  /** Ends all reads and probes before the deadline, so that the known facts can be evaluated. */
  readonly interrupted?: AbortSignal | undefined;
  /** Called for every request. */
  readonly observe?: Observe | undefined;
  /** The maximum number of concurrent requests to the API server. */
  readonly connections?: number;
  /** The port that this program itself listens on. */
  readonly listensOn?: number;
}

/**
 * The end of a run that starts now: its deadline, or Ctrl-C. `until` in terms of performance.now(). `rest`: the same for
 * work that starts later in the run.
 */
export function deadlineOf({
  milliseconds,
  interrupted,
}: Pick<ClusterOptions, 'milliseconds' | 'interrupted'>) {
  const late = AbortSignal.timeout(Math.ceil(milliseconds));
  const deadline = interrupted === undefined ? late : AbortSignal.any([late, interrupted]);
  let end = performance.now() + milliseconds;
  deadline.addEventListener('abort', () => {
    end = Math.min(end, performance.now());
  });
  const forLaterWork = () => ({ milliseconds: Math.max(1, end - performance.now()), interrupted: deadline });
  return { deadline, until: () => end, rest: forLaterWork };
}

/** Opens the cluster of the flags and the environment, calls `run` with its reader and prober, and closes it. */
export async function onClusterRaw<T>(
  options: ClusterOptions,
  run: (reader: ClusterReader, prober: OpenProber) => Promise<T>,
): Promise<T> {
  const { flags, observe, connections, listensOn, snapshot } = options;
  const { deadline, until } = deadlineOf(options);
  const { reader, prober } =
    snapshot === undefined
      ? await openConnection(flags, process.env, deadline, { observe, connections, listensOn })
      : await (await import('../input/snapshot-file.ts')).openSnapshot(snapshot, flags.namespace);
  try {
    return await run({ ...reader, until }, prober);
  } finally {
    reader.close();
  }
}

/** Like {@link onClusterRaw}; throws {@link CannotStart} if the run cannot start. */
export const onCluster: typeof onClusterRaw = (options, run) =>
  onClusterRaw(options, run).catch((error: unknown) => {
    throw asCannotStart(error, options);
  });
