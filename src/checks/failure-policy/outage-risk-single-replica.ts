import {
  type Backend,
  backends,
  endpointFacts,
  endpointsBehind,
  serviceRef,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { BackendEndpoint } from '../../apiserver/routing/endpoints.ts';
import { type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { refOfWorkload, wantedPods, workloadsMaking } from '../../facts/workloads/workloads.ts';
import { podsWithState } from '../../pods/bad-replicas.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

/** A webhook without rules is never called (yet: Knative adds the rules at run time). */
const mayRefuse = (callout: Callout): boolean =>
  !failsOpen(callout) && !(isAdmission(callout) && callout.rules.length === 0);

/** A Pod counts once, even with two address families. */
const replicasIn = (endpoints: readonly BackendEndpoint[]): number =>
  new Set(endpoints.map(({ pod, address }) => pod?.name ?? address)).size;

/** The only workload behind a Service, if workloads were read. */
function workloadOf(backend: Backend, { workloads }: Pick<Facts, 'workloads'>): Workload | undefined {
  if (!workloads.known(backend.namespace)) return undefined;
  const made = workloadsMaking(backend.service.spec.selector, workloads.get(backend.namespace) ?? []);
  return made.length === 1 ? made[0] : undefined;
}

/** Pods that the kubelet starts, within the time that their probes allow; 0 if the Pods were not read. */
const startingBehind = (backend: Backend, facts: World<'pods' | 'events' | 'nodes' | 'secrets'>): number =>
  facts.pods.known(backend.key)
    ? podsWithState(backend, facts).filter(({ state }) => state.state === 'starting').length
    : 0;

export const outageRiskSingleReplica = defineCheck({
  meta: {
    id: 'outage-risk-single-replica',
    title: 'Single Pod: requests are refused while it is down',
    severity: 'warning',
    implies: 'one-pod-left',
    why: 'Matching requests are refused while no Pod responds. With one replica, that happens at every restart, update, eviction and drain of its node.',
    advice:
      '[end] Run two or more replicas on different nodes, with a PodDisruptionBudget. [safe] Set the replicas in the values of its chart, or: `kubectl -n {namespace} scale {workload} --replicas=2`. [with] If only the leader serves, more replicas do not help: make the rules narrower, or shorten the leader election (`leaseDuration`).',
    messages: {
      oneWanted: '{workload} has one replica, and requests are refused without it',
      oneSeen: 'Only one Pod serves Service {service}, and requests are refused without it',
      oneLeft: {
        text: 'Only one of {total} replicas of Service {service} responds',
        advice:
          '[look] Find out why the other Pods do not respond: `kubectl -n {namespace} get pods -o wide`. [end] If only the leader serves, more replicas do not help: make the rules narrower, or shorten the leader election (`leaseDuration`).',
      },
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#load-balancer-webhook',
    ],
    follows: 'every-break',
  },
  requires: [...endpointFacts, 'workloads', 'pods', 'events', 'nodes', 'secrets'],
  subjects: (facts) => backends(facts).filter(({ callout }) => mayRefuse(callout)),
  run(backend, facts, find) {
    const usable = replicasIn(usableBehind(backend, facts));
    // Without any endpoint, this is an outage, not a risk.
    if (usable !== 1) return;
    const service = backend.key;
    const workload = workloadOf(backend, facts);
    const total = Math.max(
      replicasIn(endpointsBehind(backend, facts).filter(({ terminating }) => !terminating)),
      workload === undefined ? 0 : wantedPods(workload),
    );
    // A rollout or a scale-up in progress; a second Pod of one desired replica replaces the first.
    const starting = startingBehind(backend, facts);
    if (total > 1 && starting >= total - 1) {
      const isTemporary =
        workload === undefined ? facts.workloads.known(backend.namespace) : wantedPods(workload) > 1;
      if (isTemporary) return undefined;
    } else if (total > 1) {
      return find('oneLeft', { service, total }, [
        { object: serviceRef(backend), field: 'EndpointSlices', value: '1 endpoint that can be called' },
      ]);
    }
    if (workload === undefined) {
      return find('oneSeen', { service }, [
        { object: serviceRef(backend), field: 'EndpointSlices', value: '1 endpoint' },
      ]);
    }
    return find('oneWanted', { workload: workloadText(workload) }, [
      { object: refOfWorkload(workload), field: 'spec.replicas', value: String(wantedPods(workload)) },
    ]);
  },
});
