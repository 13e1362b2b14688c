import type { DisruptionBudget } from '../../../facts/objects/scaling.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { defineCollector } from '../../collector.ts';
import { brokenBackends, brokenFacts, namespacesOf } from '../../suspect-backends.ts';

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
