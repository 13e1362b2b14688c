import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import type { Observe } from '../collect/kube/http/observation.ts';
import type { KubeFlags } from '../collect/kube/kubeconfig/kube-flags.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { Lease } from '../facts/objects/lease.ts';
import { type Permission, pathOf, resources } from '../facts/resource.ts';
import { type ClusterWriter, WriteError } from './cluster-writer.ts';
import { kubeWriter } from './kube-writer.ts';

/** Seconds that a Lease is valid without renewal, and milliseconds between two attempts. */
const leaseSeconds = 30;
const between = 10_000;
/** Milliseconds: a leader that could not renew its Lease stops this long before it expires. */
const margin = 10_000;

/** The permissions of `serve --leader-elect`: the Lease is the only object that it writes. */
export const electionPermissions = (namespace: string): readonly Permission[] => [
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'create', 'patch'],
    scope: { namespace },
    use: 'leader election of the replica that connects to Pods (--leader-elect)',
  },
];

/** The election as one replica sees it. */
export interface Election {
  /** True while this replica is the leader. */
  leads(): boolean;
  end(): Promise<void>;
}

/** RFC 3339 with microseconds, as MicroTime has it. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');

/** The Lease of an election, as one replica sees it. Times are of `performance.now()`. */
interface Candidacy {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly onProblem: (text: string) => void;
  /** The last resourceVersion that was read, and when it was first read. */
  observed: { readonly version: string; readonly at: number };
  /** The resourceVersion that this replica wrote, and when; undefined while it is not the leader. */
  held: { readonly version: string; readonly at: number } | undefined;
}

/**
 * Takes part in the election of one leader among replicas, with a Lease as client-go uses it: the replica
 * that renewed it last is the leader; a Lease that has not changed for its duration is free. Clocks of other
 * replicas are not used. Source: client-go/tools/leaderelection/leaderelection.go.
 */
async function runElection(candidacy: Candidacy, ended: AbortSignal): Promise<Election> {
  const { namespace, name } = candidacy;
  await acquireOrRenew(candidacy);
  const renewing = (async () => {
    while (!ended.aborted) {
      await sleep(between, undefined, { signal: ended }).catch(() => undefined);
      if (!ended.aborted) await acquireOrRenew(candidacy);
    }
  })();
  return {
    leads: () =>
      candidacy.held !== undefined && performance.now() - candidacy.held.at < leaseSeconds * 1000 - margin,
    async end() {
      await renewing;
      const { held } = candidacy;
      if (held !== undefined)
        await write(candidacy, { metadata: { name, namespace } }, held.version, '').catch(() => undefined);
      candidacy.held = undefined;
    },
  };
}

/** Writes the Lease if it is free or this replica's. A failure is reported, and tried again next time. */
async function acquireOrRenew(candidacy: Candidacy): Promise<void> {
  const { reader, namespace, name, identity, onProblem } = candidacy;
  try {
    const lease = await reader.get<Lease>(pathOf(resources.Lease, namespace, name));
    const { resourceVersion: version = '' } = lease?.metadata ?? {};
    if (version !== candidacy.observed.version) candidacy.observed = { version, at: performance.now() };
    const { holderIdentity = '', leaseDurationSeconds = leaseSeconds } = lease?.spec ?? {};
    const isFree =
      holderIdentity === '' ||
      holderIdentity === identity ||
      performance.now() - candidacy.observed.at > leaseDurationSeconds * 1000;
    if (lease === undefined || isFree)
      await write(candidacy, lease, lease === undefined ? undefined : version);
    else candidacy.held = undefined;
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof WriteError)) throw error;
    // 409: another replica wrote it first.
    if (error instanceof WriteError && error.status === 409) candidacy.held = undefined;
    else onProblem(`Lease ${namespace}/${name}: ${error.message}`);
  }
}

/** Creates the Lease, or patches the given version of it. `holder`: empty to release it. */
async function write(
  candidacy: Candidacy,
  lease: Lease | undefined,
  version: string | undefined,
  holder = candidacy.identity,
): Promise<void> {
  const { writer, namespace, name, identity } = candidacy;
  const at = performance.now();
  const now = microTime();
  const { holderIdentity, leaseTransitions = 0 } = lease?.spec ?? {};
  const taken =
    lease === undefined || holderIdentity !== identity
      ? { acquireTime: now, leaseTransitions: lease === undefined ? 0 : leaseTransitions + 1 }
      : {};
  const spec = { holderIdentity: holder, leaseDurationSeconds: leaseSeconds, renewTime: now, ...taken };
  const written = await writer.write<Lease>(
    version === undefined
      ? {
          method: 'POST',
          path: pathOf(resources.Lease, namespace),
          body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec },
        }
      : {
          method: 'PATCH',
          path: pathOf(resources.Lease, namespace, name),
          contentType: 'application/merge-patch+json',
          // The resourceVersion makes a concurrent write a conflict.
          body: { metadata: { resourceVersion: version }, spec },
        },
  );
  candidacy.held = { version: written.metadata.resourceVersion ?? '', at };
}

/**
 * Takes part in the election over a separate connection. `ended` ends it; {@link Election.end} must be
 * awaited then.
 */
export async function openElection(
  flags: KubeFlags,
  observe: Observe,
  onProblem: (text: string) => void,
  ended: AbortSignal,
): Promise<Election> {
  const { reader, transport } = await openConnection(flags, process.env, undefined, { observe });
  const election = await runElection(
    {
      reader,
      writer: kubeWriter(transport),
      namespace: reader.namespace,
      name: 'kubectl-webhook',
      identity: `${hostname()}_${process.pid}_${Date.now()}`,
      onProblem,
      observed: { version: '', at: 0 },
      held: undefined,
    },
    ended,
  );
  return {
    ...election,
    end: () => election.end().finally(reader.close),
  };
}
