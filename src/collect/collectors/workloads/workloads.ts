import { type ForeseenPod, foreseenByService } from '../../../apiserver/deadlock/admission-path.ts';
import { mayBlockOwnPods } from '../../../apiserver/deadlock/bootstrap.ts';
import { isServiceBacked } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { serviceSelects } from '../../../facts/objects/label-selector.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { selectsPods } from '../../../facts/objects/service.ts';
import type { Workload, WorkloadKind } from '../../../facts/objects/workload.ts';
import { type Resource, resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { revisionOf, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { installationOf } from '../../../products/installation.ts';
import { isRestored } from '../../../products/of-metadata.ts';
import { systemNamespaces } from '../../../products/system-namespaces.ts';
import { type Attempts, isRead, type Reading, type ReadLocation } from '../../attempts.ts';
import { defineCollector, eachKey, type ReadOptions } from '../../collector.ts';
import {
  type BackendFacts,
  brokenBackends,
  brokenFacts,
  namespacesOf,
  namespacesOfUnregistered,
  podsOf,
  type SuspectBackend,
} from '../../suspect-backends.ts';
import { stopsPods } from './failed-create-events.ts';
import { commonSelector, readTogether } from './pods.ts';

type WorkloadFacts = BackendFacts & Pick<Facts, 'namespaces' | 'version' | 'served' | 'pods'>;

type Kind = readonly [WorkloadKind, Resource];
const deployments: readonly Kind[] = [['Deployment', resources.Deployment]];
const daemonSets: readonly Kind[] = [['DaemonSet', resources.DaemonSet]];
const replicaSets: readonly Kind[] = [['ReplicaSet', resources.ReplicaSet]];
const others: readonly Kind[] = [...replicaSets, ['StatefulSet', resources.StatefulSet], ...daemonSets];
/** The kinds of workloads that provide network, DNS and storage to other Pods. */
const ofSystem: readonly Kind[] = [...deployments, ...daemonSets];

/** Lists some kinds of workloads, and adds the kind to each. Unknown if one kind cannot be read. */
async function listKinds(
  read: Attempts,
  where: ReadLocation,
  kinds: readonly Kind[],
): Promise<Reading<readonly Workload[]>> {
  const readings = await Promise.all(
    kinds.map(async ([kind, resource]): Promise<Reading<readonly Workload[]>> => {
      const reading = await read.list<Omit<Workload, 'kind'>>(resource, where);
      return isRead(reading) ? { value: reading.value.map((item) => ({ ...item, kind })) } : reading;
    }),
  );
  return joined(readings);
}

/** All values of these readings; if one failed, its failure. */
const joined = <T>(readings: readonly Reading<readonly T[]>[]): Reading<readonly T[]> =>
  readings.find((reading) => !isRead(reading)) ?? {
    value: readings.flatMap((reading) => (isRead(reading) ? reading.value : [])),
  };

/**
 * The broken backends whose workloads can explain or fix something. For a missing Service, these are the
 * other workloads of its installation: they show whether it was uninstalled.
 */
const backendsOfWorkloads = (facts: WorkloadFacts, readOptions: ReadOptions): readonly SuspectBackend[] => {
  const installed = new Set(
    readOptions.chosen.flatMap((callout) =>
      isServiceBacked(callout) && !isRestored(callout.metadata) && installationOf(callout) !== undefined
        ? [keyOf(callout.client.service)]
        : [],
    ),
  );
  return brokenBackends(facts, readOptions).filter(
    ({ key, service }) => service !== undefined || readOptions.examineAll || installed.has(key),
  );
};

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
  for (const callout of topics.includes('deadlocks') ? chosen.filter(stopsPods) : []) {
    if (found.size === namespacesAtMost) break;
    if (!isServiceBacked(callout)) continue;
    const { namespace } = callout.client.service;
    const key = keyOf(callout.client.service);
    const service = facts.services.getIfKnown(key);
    if (found.has(namespace) || !selectsPods(service)) continue;
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
function namespacesOfSystem(facts: WorkloadFacts, { chosen, topics }: ReadOptions): readonly string[] {
  const stopping = topics.includes('deadlocks') ? chosen.filter(stopsPods) : [];
  return systemNamespaces(facts)
    .filter((namespace) => facts.namespaces.getIfKnown(namespace) !== undefined)
    .filter((namespace) => stopping.some((callout) => mayBlockOwnPods(callout, anyPod(namespace), facts)))
    .slice(0, namespacesAtMost);
}

/**
 * Lists the ReplicaSets of the Deployments whose Pods fail after a rollout: they show what it changed. A
 * first revision has replaced nothing.
 */
async function listRevisions(
  read: Attempts,
  namespace: string,
  deployments: readonly Workload[],
): Promise<Reading<readonly Workload[]>> {
  const rolledOut = deployments.filter((deployment) => revisionOf(deployment) > 1);
  const lists = readTogether(
    rolledOut.map(({ spec }) => ({ namespace, selector: spec.selector.matchLabels ?? {} })),
    (one) => one,
  );
  return joined(
    await Promise.all(
      lists.map((alike) => {
        const labelSelector = commonSelector(alike.map(({ selector }) => selector));
        return listKinds(read, { namespace, query: { labelSelector } }, replicaSets);
      }),
    ),
  );
}

/**
 * Most backends are Deployments, so the list of them is usually sufficient, with the ReplicaSets of failed
 * Pods. Other kinds are listed only if no Deployment creates the Pods. If the Service does not exist, all
 * kinds are listed, to find out whether any part of the installation is left.
 */
async function listOwners(
  read: Attempts,
  namespace: string,
  backends: readonly SuspectBackend[],
  facts: WorkloadFacts,
): Promise<Reading<readonly Workload[]>> {
  const first = await listKinds(read, { namespace }, deployments);
  if (!isRead(first)) return first;
  const isEnough = backends.every((backend) => isCreatedBy(backend, first.value, podsOf(facts, backend)));
  const failed = backends.filter((backend) => podsOf(facts, backend).length > 0);
  const failing = first.value.filter(({ spec: { template } }) =>
    failed.some(({ service }) => serviceSelects(service?.spec.selector, template.metadata?.labels)),
  );
  const second = isEnough
    ? await listRevisions(read, namespace, failing)
    : await listKinds(read, { namespace }, others);
  return joined([first, second]);
}

/** Collects workloads: of backends that lack Pods, and of those that webhooks may block but need. */
export const workloads = defineCollector({
  fact: 'workloads',
  topics: ['failures', 'deadlocks'],
  needs: [...brokenFacts, 'version', 'served', 'pods'],
  permissions: [...deployments, ...others].map(([, resource]) =>
    toRead(resource, ['list'], 'backends', 'the workloads of the Pods'),
  ),
  otherwise: 'workloads of a namespace whose backends look healthy',
  wants: (facts, readOptions) => [
    ...namespacesOf(backendsOfWorkloads(facts, readOptions)),
    ...namespacesOfOwnPods(facts, readOptions),
    ...namespacesOfSystem(facts, readOptions),
    ...namespacesOfUnregistered(facts, readOptions),
  ],
  read(access, keys, facts, readOptions) {
    const system = namespacesOfSystem(facts, readOptions);
    const lacking = backendsOfWorkloads(facts, readOptions);
    return eachKey(keys, (namespace) => {
      const backends = lacking.filter((backend) => backend.namespace === namespace);
      const isSystem = system.includes(namespace);
      if (isSystem && backends.length === 0) return listKinds(access, { namespace }, ofSystem);
      const isExamined = readOptions.examineAll || readOptions.examineIn?.includes(namespace) === true;
      return isSystem || (isExamined && backends.length > 0)
        ? listKinds(access, { namespace }, [...deployments, ...others])
        : listOwners(access, namespace, backends, facts);
    });
  },
});
