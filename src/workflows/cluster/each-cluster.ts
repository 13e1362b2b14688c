import { contextsNamed, type KubeContext } from '../../collect/kube/kubeconfig/contexts.ts';
import { slots } from '../../collect/slots.ts';
import { shellWord } from '../../phrases/advice.ts';
import { CannotStart } from './cannot-start.ts';
import type { UnreachedCluster } from './unreached.ts';
import { asCannotStart, type ClusterOptions } from './with-cluster.ts';

/** Number of clusters that are read at a time; fewer if Pods are probed: port-forwards need memory. */
const atOnce = 16;
const probedAtOnce = 8;
/** Number of connections to each of several clusters: each costs a TLS handshake, and CPU is shared. */
const connections = 3;
/** Milliseconds after which the next cluster starts: one that hangs must not block the others. */
const patience = 5_000;

/** The functions of a command that run for each of one or several clusters. */
export interface EachCluster<T> {
  readonly options: ClusterOptions;
  /** Names of contexts and globs of them; undefined: the cluster that `options` names. */
  readonly contexts: readonly string[] | undefined;
  /** Whether the command connects to Pods. */
  readonly probes: boolean;
  /** `onStage`: shows what the run is waiting for, if there is one cluster. */
  readonly look: (options: ClusterOptions, onStage?: EachCluster<T>['onStage']) => Promise<T>;
  /** Creates the document for a cluster that could not be read. */
  readonly unreached: (cluster: UnreachedCluster) => T;
  readonly onStage?: ((stage: string) => void) | undefined;
}

/**
 * Runs a command for the clusters of several contexts, a bounded number at a time, each with the full time limit; or for
 * one cluster. If one of several cannot be read, its document has the reason. Throws CannotStart if no context matches, or
 * a name matches in no cluster.
 */
export async function eachCluster<T>({
  options,
  contexts,
  probes,
  look,
  unreached,
  onStage,
}: EachCluster<T>): Promise<readonly T[]> {
  if (contexts === undefined) return [await look(options, onStage)];
  const chosen = chooseContexts(contexts, options);
  const slot = slots(probes ? probedAtOnce : atOnce, patience);
  const few = chosen.length < atOnce ? {} : { connections };
  const misnamed: CannotStart[] = [];
  let done = 0;
  const one = async ({ name, server }: KubeContext): Promise<T> => {
    try {
      const sameCluster = `${options.sameCluster ?? ''} --context ${shellWord(name)}`;
      return await look({ ...options, ...few, sameCluster, flags: { ...options.flags, context: name } });
    } catch (error) {
      const { sentence, why } = error instanceof CannotStart ? error : crashed(error as Error);
      if (error instanceof CannotStart && why === undefined) misnamed.push(error);
      return unreached({ context: name, server, why: why ?? 'not found', error: sentence });
    } finally {
      done += 1;
      onStage?.(`reading clusters, ${done} of ${chosen.length} done`);
    }
  };
  onStage?.(`reading ${chosen.length} clusters`);
  const found = await Promise.all(chosen.map((context) => slot(() => one(context))));
  const [first] = misnamed;
  if (first !== undefined && misnamed.length === chosen.length) throw first;
  return found;
}

function chooseContexts(contexts: readonly string[], { flags }: ClusterOptions): readonly KubeContext[] {
  try {
    return contextsNamed(contexts, flags, process.env);
  } catch (error) {
    throw asCannotStart(error);
  }
}

const crashed = ({ message }: Error) => ({ sentence: message, why: 'internal error' as const });
