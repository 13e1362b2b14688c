import { type ForeseenPod, foreseenByService } from '../../apiserver/deadlock/admission-path.ts';
import { mayBlockOwnPods } from '../../apiserver/deadlock/bootstrap.ts';
import { isAdmission, isServiceBacked } from '../../facts/callout.ts';
import { keyOf, type Pod, type Workload, type WorkloadKind } from '../../facts/objects.ts';
import { type Resource, resources, toRead } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadOfPod } from '../../facts/workloads.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { defineCollector, eachKey, type ReadOptions } from '../collector.ts';
import {
  type BackendFacts,
  brokenBackends,
  brokenFacts,
  namespacesOf,
  podsOf,
  type SuspectBackend,
} from '../suspicion.ts';

type WorkloadFacts = BackendFacts & Pick<Facts, 'namespaces' | 'version' | 'served' | 'pods'>;

type Kind = readonly [WorkloadKind, Resource];
const deployments: readonly Kind[] = [['Deployment', resources.Deployment]];
const daemonSets: readonly Kind[] = [['DaemonSet', resources.DaemonSet]];
const replicaSets: readonly Kind[] = [['ReplicaSet', resources.ReplicaSet]];
const others: readonly Kind[] = [...replicaSets, ['StatefulSet', resources.StatefulSet], ...daemonSets];
/** The kinds of workloads that provide network, DNS and storage to other Pods. */
const ofSystem: readonly Kind[] = [...deployments, ...daemonSets];

/**
 * Lists some kinds of workloads. Items of a list have no kind; it is added. If one kind cannot be read, the
 * result is unknown.
 */
async function listKinds(
  read: Attempts,
  namespace: string,
  kinds: readonly Kind[],
): Promise<Reading<readonly Workload[]>> {
  const readings = await Promise.all(
    kinds.map(async ([kind, resource]): Promise<Reading<readonly Workload[]>> => {
      const reading = await read.list<Omit<Workload, 'kind'>>(resource, { namespace });
      return isRead(reading) ? { value: reading.value.map((item) => ({ ...item, kind })) } : reading;
    }),
  );
  const failure = readings.find((reading) => !isRead(reading));
  return failure ?? { value: readings.flatMap((reading) => (isRead(reading) ? reading.value : [])) };
}

/** True if Deployments create the Pods of a backend; unknown if its Service does not exist. */
const isCreatedBy = (
  { service }: SuspectBackend,
  deployments: readonly Workload[],
  pods: readonly Pod[],
): boolean => {
  const selector = Object.entries(service?.spec.selector ?? {});
  return (
    // A Deployment with the same labels may be another program: a console beside a StatefulSet.
    pods.every((pod) => !['StatefulSet', 'DaemonSet'].includes(workloadOfPod(pod).kind)) &&
    deployments.some(
      ({ spec: { template } }) =>
        service !== undefined && selector.every(([key, value]) => template.metadata?.labels?.[key] === value),
    )
  );
};

/** The maximum number of namespaces that are read to predict deadlocks. */
const namespacesAtMost = 10;

/**
 * Namespaces of backends, healthy or not, whose webhook may match the creation of its own Pods according to
 * its rules and selectors. Whether it does depends on the Pod template of their workload.
 */
function namespacesOfOwnPods(facts: WorkloadFacts, { chosen, topics }: ReadOptions): readonly string[] {
  const found = new Set<string>();
  for (const callout of topics.includes('deadlocks') ? chosen : []) {
    if (found.size === namespacesAtMost) break;
    if (!isAdmission(callout) || !isServiceBacked(callout)) continue;
    const { namespace } = callout.client.service;
    const key = keyOf(callout.client.service);
    const service = facts.services.getIfKnown(key);
    if (found.has(namespace) || Object.keys(service?.spec.selector ?? {}).length === 0) continue;
    if (service !== undefined && mayBlockOwnPods(callout, foreseenByService(service), facts)) {
      found.add(namespace);
    }
  }
  return [...found];
}

/** The creation of any Pod in a namespace, with unknown labels. */
const anyPod = (namespace: string): ForeseenPod => ({ namespace, labels: {}, from: 'selector' });

/**
 * System namespaces in which a webhook that fails closed may match new Pods. If they contain Pods that others
 * need, above all the network, the Pods of the webhook may wait for them.
 */
const namespacesOfSystem = (facts: WorkloadFacts, { chosen, topics }: ReadOptions): readonly string[] =>
  (topics.includes('deadlocks') ? systemNamespaces(facts) : [])
    .filter((namespace) => facts.namespaces.getIfKnown(namespace) !== undefined)
    .filter((namespace) =>
      chosen.some((callout) => isAdmission(callout) && mayBlockOwnPods(callout, anyPod(namespace), facts)),
    )
    .slice(0, namespacesAtMost);

/**
 * Most backends are Deployments, so the list of them is usually sufficient. Other kinds are listed only if no
 * Deployment creates the Pods. If the Service does not exist, all kinds are listed, to find out whether any
 * part of the installation is left.
 *
 * @param kinds the kinds to list in any case.
 * @param areCreatedBy whether Deployments create the Pods of all backends.
 */
async function listOwners(
  read: Attempts,
  namespace: string,
  kinds: readonly Kind[],
  areCreatedBy: (deployments: readonly Workload[]) => boolean,
): Promise<Reading<readonly Workload[]>> {
  const first = await listKinds(read, namespace, kinds);
  const missing = others.filter((kind) => !kinds.includes(kind));
  if (!isRead(first) || missing.length === 0) return first;
  if (areCreatedBy(first.value)) return first;
  const second = await listKinds(read, namespace, missing);
  return isRead(second) ? { value: [...first.value, ...second.value] } : second;
}

/**
 * Collects workloads: of backends that lack Pods, and of those that webhooks may block although they need
 * them.
 */
export const workloads = defineCollector({
  fact: 'workloads',
  topics: ['failures', 'deadlocks'],
  needs: [...brokenFacts, 'version', 'served', 'pods'],
  permissions: [
    toRead(resources.Deployment, ['list'], 'backends', 'the workloads of the Pods'),
    toRead(resources.ReplicaSet, ['list'], 'backends', 'the workloads of the Pods'),
    toRead(resources.StatefulSet, ['list'], 'backends', 'the workloads of the Pods'),
    toRead(resources.DaemonSet, ['list'], 'backends', 'the workloads of the Pods'),
  ],
  otherwise: 'workloads of a namespace whose backends look healthy',
  wants: (facts, readOptions) => [
    ...namespacesOf(brokenBackends(facts, readOptions)),
    ...namespacesOfOwnPods(facts, readOptions),
    ...namespacesOfSystem(facts, readOptions),
  ],
  read(access, keys, facts, readOptions) {
    const system = namespacesOfSystem(facts, readOptions);
    const lacking = brokenBackends(facts, readOptions);
    return eachKey(keys, (namespace) => {
      const backends = lacking.filter((backend) => backend.namespace === namespace);
      const isSystem = system.includes(namespace);
      if (isSystem && backends.length === 0) return listKinds(access, namespace, ofSystem);
      const closely = readOptions.examineAll || readOptions.closelyIn?.includes(namespace) === true;
      // A rollout that broke the Pods is visible in its ReplicaSets.
      const haveFailed = backends.some((backend) => podsOf(facts, backend).length > 0);
      const all = isSystem || (closely && backends.length > 0);
      const kinds = [...deployments, ...(all ? others : haveFailed ? replicaSets : [])];
      return listOwners(access, namespace, kinds, (found) =>
        backends.every((backend) => isCreatedBy(backend, found, podsOf(facts, backend))),
      );
    });
  },
});
