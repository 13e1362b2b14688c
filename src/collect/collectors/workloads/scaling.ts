import { everywhere, isMetricsApi, metricsGroup } from '../../../facts/metrics-api.ts';
import type { Autoscaler, DisruptionBudget } from '../../../facts/objects/scaling.ts';
import type { Workload } from '../../../facts/objects/workload.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { wantedPods, workloadsMaking } from '../../../facts/workloads/workloads.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import { brokenBackends, brokenFacts, namespacesOf } from '../../suspect-backends.ts';

/** True if a workload that can be scaled has zero replicas in its spec. */
const isAtZero = (workload: Workload): boolean => workload.kind !== 'DaemonSet' && wantedPods(workload) === 0;

/** True if no APIService serves the API from which autoscalers read CPU and memory. */
const lacksMetrics = ({ served }: Pick<Facts, 'served'>): boolean => {
  const known = served.getIfKnown('served');
  return (
    known?.resources.some(({ group }) => group === 'autoscaling') === true &&
    !known.resources.some(({ group }) => group === metricsGroup) &&
    !known.stale.some((one) => one.startsWith(`${metricsGroup}/`))
  );
};

/** True if no webhook and no namespace was named. */
const isWholeCluster = (
  { callouts }: Pick<Facts, 'callouts'>,
  { chosen, named, examineIn = [] }: ReadOptions,
): boolean => named !== true && chosen.length === callouts.length && examineIn.length === 0;

/**
 * Collects autoscalers: of namespaces in which the workload of a backend is scaled to zero, and of all
 * namespaces if an APIService serves their metrics, or none does.
 */
export const autoscalers = defineCollector({
  fact: 'autoscalers',
  needs: ['callouts', ...brokenFacts, 'workloads', 'served'],
  permissions: [
    toRead(
      resources.HorizontalPodAutoscaler,
      ['list'],
      'backends',
      'the minimum number of replicas of an autoscaler',
    ),
    toRead(
      resources.HorizontalPodAutoscaler,
      ['list'],
      'cluster',
      'autoscalers that get no metrics from an APIService, or need one that does not exist',
    ),
  ],
  otherwise: 'HorizontalPodAutoscalers of a namespace without workloads scaled to zero',
  wants: (facts, readOptions) => [
    ...(readOptions.chosen.some(isMetricsApi) || (isWholeCluster(facts, readOptions) && lacksMetrics(facts))
      ? [everywhere]
      : []),
    ...brokenBackends(facts, readOptions)
      .filter(({ namespace, service }) => {
        const here = facts.workloads.getIfKnown(namespace) ?? [];
        return workloadsMaking(service?.spec.selector, here).some(isAtZero);
      })
      .map(({ namespace }) => namespace),
  ],
  readEach: (access, key) =>
    access.list<Autoscaler>(
      resources.HorizontalPodAutoscaler,
      key === everywhere ? { refusable: true } : { namespace: key },
    ),
});

/** Collects PodDisruptionBudgets of the namespaces of examined backends. */
export const disruptionBudgets = defineCollector({
  fact: 'disruptionBudgets',
  needs: brokenFacts,
  permissions: [
    toRead(resources.PodDisruptionBudget, ['list'], 'backends', 'PodDisruptionBudgets of the Pods'),
  ],
  otherwise: 'PodDisruptionBudgets of a namespace that was not examined',
  wants: (facts, readOptions) =>
    readOptions.examineAll ? namespacesOf(brokenBackends(facts, readOptions)) : [],
  readEach: (access, namespace) =>
    access.list<DisruptionBudget>(resources.PodDisruptionBudget, { namespace }),
});
