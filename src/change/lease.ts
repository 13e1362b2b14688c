import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import type { KubeFlags } from '../collect/kube/kube-flags.ts';
import type { Observe } from '../collect/kube/observation.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { Lease } from '../facts/objects/lease.ts';
import { pathOf, resources } from '../facts/resource.ts';
import type { Right } from '../facts/right.ts';
import { type ClusterWriter, WriteError } from './cluster-writer.ts';
import { kubeWriter } from './kube-writer.ts';

/** Seconds that a Lease holds without being renewed, and milliseconds between two attempts. */
const leaseSeconds = 30;
const between = 10_000;
/** Milliseconds: a leader that could not renew its Lease stops this long before another one may take it. */
const margin = 10_000;

/** The only object that a server writes. */
export const electionRights = (namespace: string): readonly Right[] => [
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'create', 'patch'],
    scope: { namespace },
    use: 'leader election of the replica that connects to Pods (--leader-elect)',
  },
];

/** A replica's part in an election. */
export interface Election {
  /** Whether this replica is the leader now. */
  leads(): boolean;
  /** Gives the Lease back. */
  end(): Promise<void>;
}

/** RFC 3339 with microseconds, as MicroTime has it. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');

/**
 * Takes part in the election of one leader among replicas, by a Lease as client-go has it: whoever renewed it last is the
 * leader; a Lease that was not seen to change for as long as it holds is free. Clocks of others are never compared with.
 * Source: client-go/tools/leaderelection/leaderelection.go.
 */
async function takePart(
  reader: ClusterReader,
  writer: ClusterWriter,
  {
    namespace,
    name,
    identity,
  }: { readonly namespace: string; readonly name: string; readonly identity: string },
  onProblem: (text: string) => void,
  ended: AbortSignal,
): Promise<Election> {
  const path = pathOf(resources.Lease, namespace, name);
  let seen = { version: '', at: 0 };
  let held: { readonly version: string; readonly at: number } | undefined;

  const write = async (
    lease: Lease | undefined,
    version: string | undefined,
    holder = identity,
  ): Promise<void> => {
    const at = performance.now();
    const now = microTime();
    const { holderIdentity, leaseTransitions = 0 } = lease?.spec ?? {};
    const taken =
      lease === undefined || holderIdentity !== identity
        ? { acquireTime: now, leaseTransitions: lease === undefined ? 0 : leaseTransitions + 1 }
        : {};
    const spec = { holderIdentity: holder, leaseDurationSeconds: leaseSeconds, renewTime: now, ...taken };
    const written =
      version === undefined
        ? await writer.write<Lease>({
            method: 'POST',
            path: pathOf(resources.Lease, namespace),
            body: {
              apiVersion: 'coordination.k8s.io/v1',
              kind: 'Lease',
              metadata: { name, namespace },
              spec,
            },
          })
        : await writer.write<Lease>({
            method: 'PATCH',
            path,
            contentType: 'application/merge-patch+json',
            // Nobody else wrote it meanwhile, or this is a conflict.
            body: { metadata: { resourceVersion: version }, spec },
          });
    held = { version: written.metadata.resourceVersion ?? '', at };
  };

  const attempt = async (): Promise<void> => {
    try {
      const lease = await reader.get<Lease>(path);
      const { resourceVersion: version = '' } = lease?.metadata ?? {};
      if (version !== seen.version) seen = { version, at: performance.now() };
      const { holderIdentity = '', leaseDurationSeconds = leaseSeconds } = lease?.spec ?? {};
      const isFree =
        holderIdentity === '' ||
        holderIdentity === identity ||
        performance.now() - seen.at > leaseDurationSeconds * 1000;
      if (lease === undefined || isFree) await write(lease, lease === undefined ? undefined : version);
      else held = undefined;
    } catch (error) {
      if (!(error instanceof ReadError || error instanceof WriteError)) throw error;
      // Somebody was faster.
      if (error instanceof WriteError && error.status === 409) held = undefined;
      else onProblem(`Lease ${namespace}/${name}: ${error.message}`);
    }
  };

  await attempt();
  const going = (async () => {
    while (!ended.aborted) {
      await sleep(between, undefined, { signal: ended }).catch(() => undefined);
      if (!ended.aborted) await attempt();
    }
  })();
  return {
    leads: () => held !== undefined && performance.now() - held.at < leaseSeconds * 1000 - margin,
    async end() {
      await going;
      if (held !== undefined)
        await write({ metadata: { name, namespace } }, held.version, '').catch(() => undefined);
      held = undefined;
    },
  };
}

/** The same, over a connection of its own. `ended` ends it; {@link Election.end} is to be awaited then. */
export async function openElection(
  flags: KubeFlags,
  observe: Observe,
  onProblem: (text: string) => void,
  ended: AbortSignal,
): Promise<Election> {
  const { reader, transport } = await openConnection(flags, process.env, undefined, { observe });
  const about = {
    namespace: reader.namespace,
    name: 'kubectl-webhook',
    identity: `${hostname()}_${process.pid}_${Date.now()}`,
  };
  const election = await takePart(reader, kubeWriter(transport), about, onProblem, ended);
  return {
    ...election,
    end: () => election.end().finally(reader.close),
  };
}
