import {
  type Backend,
  backendsInNeedOfPods,
  endpointFacts,
  selectorEvidence,
} from '../../apiserver/routing/backends.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Labels } from '../../facts/objects/label-selector.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isNotTerminating } from '../../facts/workloads/replicas.ts';
import {
  labelsText,
  refOfWorkload,
  servicesSelecting,
  workloadArgument,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { differences, nearestWorkload, workloadText } from '../../pods/workload-search.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** A Service with the same port that selects Pods with these labels, and that no webhook calls. */
function uncalledService(
  { namespace, port }: Backend,
  labels: Labels,
  facts: Pick<Facts, 'callouts' | 'services'>,
): Service | undefined {
  const called = facts.callouts.flatMap(({ client }) => (client.service ? keyOf(client.service) : []));
  return servicesSelecting(labels, namespace, facts).find(
    ({ metadata, spec: { ports = [] } }) =>
      !called.includes(keyOf(metadata)) &&
      ports.some((one) => one.port === port.port && one.targetPort === port.targetPort),
  );
}

export const selectorMatchesNoPod = defineCheck({
  meta: {
    id: 'selector-matches-no-pod',
    title: 'Service selector matches no Pod',
    consequence: 'failing',
    why: 'A Service finds its Pods by labels only. No Pod has all of them, so the Service has no endpoints and every call fails.',
    advice:
      '[end] Correct the selector: `kubectl -n {namespace} edit service {service}`. [end] Or correct the labels of the Pod template, which for a Deployment must also match its own selector.',
    messages: {
      labelsDiffer: 'Service {service} selects {expected}, but Pods of {workload} have {found}',
      otherService: {
        text: 'Service {service} selects {expected}, which no Pod has; Service {other} selects the Pods of {workload}',
        advice:
          '[end] If the product has renamed its Service, name the other one in the configuration: `kubectl edit {kind} {configuration}`. [end] Otherwise correct the selector: `kubectl -n {namespace} edit service {service}`.',
      },
      notLabelled: {
        text: 'Service {service} selects {expected}, which {product} sets on its own Pods; no Pod of {workload} has it',
        advice:
          '[look] Read why the process has not labelled its Pods: `kubectl -n {namespace} logs {affected}`.',
      },
    },
    preventsReadiness: true,
    references: ['/docs/concepts/services-networking/service/#defining-a-service'],
  },
  requires: [...endpointFacts, 'pods', 'workloads'],
  subjects: backendsInNeedOfPods,
  run(backend, facts, find) {
    const { pods, workloads } = facts;
    const { key, namespace, service, callout } = backend;
    const selector = service.spec.selector ?? {};
    if ((pods.get(key) ?? []).some(isNotTerminating)) return undefined;
    const here = workloads.get(namespace) ?? [];
    // A workload whose template has the labels has another reason to have no Pods.
    if (workloadsMaking(selector, here).length > 0) return undefined;
    const nearest = nearestWorkload(backend, facts);
    if (nearest === undefined) return undefined;
    const labels = nearest.spec.template.metadata?.labels ?? {};
    const data = { service: key, workload: workloadText(nearest), ...differences(selector, labels) };
    const evidence = [
      selectorEvidence(backend),
      {
        object: refOfWorkload(nearest),
        field: 'spec.template.metadata.labels',
        value: labelsText(labels) || 'none',
      },
    ];
    const product = productOf(callout);
    const other = product === undefined ? uncalledService(backend, labels, facts) : undefined;
    if (other !== undefined) return find('otherService', { ...data, other: keyOf(other.metadata) }, evidence);
    const missing = Object.keys(selector).filter((label) => labels[label] !== selector[label]);
    return product !== undefined && missing.every((label) => product.labelsWhileRunning?.includes(label))
      ? find('notLabelled', { ...data, product: product.name }, evidence, {
          affected: workloadArgument(refOfWorkload(nearest)),
        })
      : find('labelsDiffer', data, evidence);
  },
});
