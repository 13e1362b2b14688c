import {
  type Backend,
  backendsInNeedOfPods,
  endpointFacts,
  selectorEvidence,
} from '../../apiserver/routing/backends.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Labels } from '../../facts/objects/label-selector.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { isNotTerminating } from '../../facts/workloads/replicas.ts';
import {
  labelsText,
  refOfWorkload,
  servicesSelecting,
  workloadArgument,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { counted } from '../../phrases/lists.ts';
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

/**
 * The Deployment whose Ready Pods the Service does not select, during a rollout: the selector has a label that the
 * Deployment does not select its Pods by, and the Service selects fewer Pods than the Deployment has. The status of the
 * Deployment may still count Terminating ones.
 */
function excludingFormer(
  { service }: Backend,
  selected: readonly Pod[],
  here: readonly Workload[],
): { readonly maker: Workload; readonly labels: Labels } | undefined {
  const { selector = {} } = service.spec;
  const isServed = selected.filter(isNotTerminating).some(isPodReady);
  for (const maker of isServed ? [] : workloadsMaking(selector, here)) {
    const { matchLabels = {}, matchExpressions = [] } = maker.spec.selector;
    const own = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
    const labels = Object.fromEntries(Object.entries(selector).filter(([key]) => !own.has(key)));
    const { replicas = 0, readyReplicas = 0, updatedReplicas = replicas } = maker.status;
    const isRollingOut = updatedReplicas < replicas && selected.length < replicas;
    if (isRollingOut && readyReplicas > 0 && Object.keys(labels).length > 0) return { maker, labels };
  }
  return undefined;
}

export const selectorMatchesNoPod = defineCheck({
  meta: {
    id: 'selector-matches-no-pod',
    title: 'Service selector matches no Pod',
    consequence: 'failing',
    why: 'A Service finds its Pods by labels only. If no Ready Pod has all of them, the Service has no endpoints and every call fails.',
    advice:
      '[end] Correct the selector: `kubectl -n {namespace} edit service {service}`. [end] Or correct the labels of the Pod template, which for a Deployment must also match its own selector.',
    messages: {
      labelsDiffer: 'Service {service} selects {expected}, but Pods of {workload} have {found}',
      otherService: {
        text: 'Service {service} selects {expected}, which no Pod has; Service {other} selects the Pods of {workload}',
        advice:
          '[end] If the product has renamed its Service, name the other one in the configuration: `kubectl edit {kind} {configuration}`. [end] Otherwise correct the selector: `kubectl -n {namespace} edit service {service}`.',
      },
      onlyNew: {
        text: 'Service {service} selects {expected}, which only new Pods of {workload} have. It excludes {others}, and no new one is Ready',
        advice:
          '[end] Remove labels that change with each release from the selector, in its chart or manifest, too: `kubectl -n {namespace} edit service {service}`. [safe] Otherwise wait until the new Pods are Ready: `kubectl webhook wait {configuration}`.',
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
    const selected = pods.get(key) ?? [];
    const here = workloads.get(namespace) ?? [];
    if (selected.some(isNotTerminating)) {
      const found = excludingFormer(backend, selected, here);
      if (found === undefined) return undefined;
      const { maker, labels } = found;
      const { readyReplicas = 0 } = maker.status;
      const others = counted(readyReplicas, 'Ready Pod');
      const status = {
        object: refOfWorkload(maker),
        field: 'status.readyReplicas',
        value: String(readyReplicas),
      };
      const data = { service: key, workload: workloadText(maker), expected: labelsText(labels), others };
      return find('onlyNew', data, [selectorEvidence(backend), status]);
    }
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
