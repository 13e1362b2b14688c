import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Container, Pod, PodSpec } from '../../../src/facts/objects/pod.ts';
import type { DisruptionBudget } from '../../../src/facts/objects/scaling.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, lists, pod, workload } from '../../support/snapshot.ts';

const webhook: Container = { name: 'webhook', ports: [{ name: 'https', containerPort: 8443 }] };

/** The Deployment shop/policy with two replicas, with changes. */
export const deployment = (
  over: {
    container?: Partial<Container>;
    podSpec?: Partial<PodSpec>;
    spec?: Partial<Workload['spec']>;
    kind?: Workload['kind'];
    metadata?: Partial<Workload['metadata']>;
  } = {},
): Workload =>
  workload({
    ...(over.kind === undefined ? {} : { kind: over.kind }),
    ...(over.metadata === undefined ? {} : { metadata: over.metadata }),
    spec: {
      replicas: 2,
      template: {
        metadata: { labels: { app: 'policy' } },
        spec: { containers: [{ ...webhook, ...over.container }], ...over.podSpec },
      },
      ...over.spec,
    },
  });

export const budget = (spec: Partial<DisruptionBudget['spec']> = {}, name = 'policy'): DisruptionBudget => ({
  metadata: { name, namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'policy' } }, maxUnavailable: 1, ...spec },
});

/** A backend that is examined. */
export const kept = (
  workloads: readonly Workload[] = [deployment()],
  over: Partial<Facts> = {},
): Partial<Facts> =>
  healthy({
    workloads: lists({ shop: workloads }),
    disruptionBudgets: lists({ shop: [budget()] }),
    pods: lists({ 'shop/policy': replicas('n1', 'n2') }),
    ...over,
  });

export const replicas = (...nodes: readonly string[]): readonly Pod[] =>
  nodes.map((nodeName, at) => pod({ metadata: { name: `policy-${at}` }, spec: { nodeName } }));

/** Cases without a finding for every such check. */
export const never = [
  {
    name: 'the callout was not named',
    facts: kept([deployment()], {
      disruptionBudgets: nothingRead({ what: 'budgets', why: 'not-requested' }),
    }),
    outcome: 'not-applicable' as const,
  },
  { name: 'the workload is scaled to zero', facts: kept([deployment({ spec: { replicas: 0 } })]) },
  {
    name: 'two workloads serve',
    facts: kept([deployment(), deployment({ metadata: { name: 'policy-2' } })]),
  },
  { name: 'the Service is missing', facts: kept([deployment()], { services: complete([]) }) },
];
