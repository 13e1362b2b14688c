import { impactOf } from '../apiserver/admission/impact.ts';
import { matchEvidence, requestsText } from '../apiserver/admission/match-evidence.ts';
import { vital } from '../apiserver/admission/vital-request.ts';
import { foreseenOf } from '../apiserver/deadlock/admission-path.ts';
import { dependencies } from '../apiserver/deadlock/block.ts';
import { mayBlockOwnPods } from '../apiserver/deadlock/bootstrap.ts';
import { guardsServedBy, podChainText, type Serving } from '../apiserver/deadlock/serving.ts';
import type { Backend } from '../apiserver/routing/backends.ts';
import type { AdmissionCallout } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { PodTemplate } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isOfCloud, isOfNames, isOfNetwork } from '../facts/workloads/system-pods.ts';
import { brief } from '../phrases/brief.ts';
import { namedList } from '../phrases/lists.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';
import { blockedSupplies, type SupplyFacts, tolerates } from './foreseen-supply.ts';
import { type RefusedPods, refusedWork } from './refused-pods.ts';
import { type SystemWait, systemWaitOf, type WaitFacts } from './system-wait.ts';

/** The facts that show why Pods of the system are not created. */
type SupplierFacts = Pick<
  Facts,
  'version' | 'callouts' | 'services' | 'namespaces' | 'served' | 'failedCreateEvents' | 'podControllers'
>;

/** A workload that should provide what Pods wait for, and whose own Pods the API server refuses. */
interface RefusedSupplier {
  /** `Deployment kube-system/coredns → ReplicaSet → Pod`. */
  readonly chain: string;
  readonly ref: ObjectRef;
  readonly webhook: AdmissionCallout;
  readonly refused: RefusedPods;
}

const mentions = (template: PodTemplate, name: string): boolean =>
  name !== '' && JSON.stringify(template).includes(name);

/** True for a node whose kubelet no longer reports, by the node controller's message. */
const isUnreachable = (message: string): boolean =>
  /NodeStatusUnknown|stopped posting|node\.kubernetes\.io\/unreachable/.test(message) &&
  !/node\.kubernetes\.io\/(not-ready|network-unavailable)/.test(message);

/** The labels of a taint's domain that name a product: `cilium` of `node.cilium.io/agent-not-ready`. */
const productWords = (taint: string): readonly string[] =>
  (taint.split('/')[0] ?? '')
    .split('.')
    .slice(0, -1)
    .filter(
      (word) => word.length > 2 && !['node', 'nodes', 'csi', 'aws', 'k8s', 'kubernetes'].includes(word),
    );

/** True if Pods of this template provide the missing service, as far as the template shows. */
function supplies(
  { maker }: RefusedPods,
  { for: service, of, evidence }: SystemWait,
  { services }: Pick<Facts, 'services'>,
): boolean {
  const { template } = maker.spec;
  switch (service) {
    case 'nodes':
      return isOfNetwork(template) && !isUnreachable(evidence.value);
    case 'network':
      return isOfNetwork(template);
    case 'cloud':
      return isOfCloud(template);
    case 'taint':
      return productWords(of ?? '').some((word) => mentions(template, word)) && tolerates(template, of ?? '');
    case 'volumes':
    case 'claims':
      return mentions(template, of ?? '');
    case 'names': {
      const { namespace = '' } = maker.metadata;
      return isOfNames(template.metadata?.labels ?? {}, namespace, services.all(), of);
    }
  }
}

/**
 * Finds the workload that should provide what Pods wait for, and whose own Pods one of these webhooks blocks:
 * by the error of the API server, if the current configuration still matches. Undefined if not read, or not
 * found.
 */
function refusedSupplier(
  wait: SystemWait,
  webhooks: readonly AdmissionCallout[],
  facts: SupplierFacts,
): RefusedSupplier | undefined {
  if (!facts.failedCreateEvents.known('FailedCreate')) return undefined;
  for (const refused of refusedWork(facts)) {
    const { error, callouts } = refused.blame;
    if (error.kind === 'denial' || !supplies(refused, wait, facts)) continue;
    const webhook = webhooks.find(
      (one) => callouts.includes(one) && mayBlockOwnPods(one, foreseenOf(refused.maker), facts),
    );
    if (webhook === undefined) continue;
    return { chain: podChainText(refused.workload), ref: refused.workload, webhook, refused };
  }
  return undefined;
}

/** The display name of the component that the Pods wait for; a driver or a provisioner by its name. */
const supplyText = ({ for: service, of = '' }: SystemWait): string =>
  ({
    nodes: 'a ready node',
    cloud: 'a cloud-initialized node',
    taint: `a node without taint ${of}`,
    network: 'the network of its node',
    volumes: `the volume driver ${of}`,
    claims: `a volume of ${of}`,
    names: 'DNS',
  })[service];

/**
 * Reports a deadlock for any webhook or APIService: its Pods exist, but wait for other Pods that one of their
 * own webhooks blocks.
 */
export function waitsForBlockedSupply(backend: Backend, serving: Serving, facts: SupplierFacts & WaitFacts) {
  const guards = guardsServedBy(serving, facts);
  const wait = guards.length === 0 ? undefined : systemWaitOf(backend, facts);
  const supplier = wait && refusedSupplier(wait, guards, facts);
  if (wait === undefined || supplier === undefined) return undefined;
  const { chain, webhook, ref, refused } = supplier;
  const dependency = supplyText(wait);
  const data = {
    workload: serving.text,
    dependency,
    detail: brief(wait.evidence.value),
    webhook: webhook.webhook,
  };
  const refusal = { object: ref, field: 'Event FailedCreate', value: refused.event.message ?? '' };
  return { data, evidence: [wait.evidence, refusal, dependencies(serving, webhook, dependency, chain)], ref };
}

/**
 * Reports a deadlock: the Pods can be created, but not the system Pods that they need: network, storage, DNS;
 * or the taints of the nodes cannot be removed.
 */
export function blockedSupplyDeadlock(
  webhook: AdmissionCallout,
  backend: Backend,
  serving: Serving,
  facts: SupplyFacts & WaitFacts,
) {
  const wait = systemWaitOf(backend, facts);
  if (wait === undefined) return undefined;
  const text = { workload: serving.text, webhook: webhook.webhook, detail: brief(wait.evidence.value) };
  const isTaint = wait.for === 'nodes' || wait.for === 'cloud' || wait.for === 'taint';
  const byTaint = isTaint ? [vital('UPDATE', 'v1', 'nodes')] : [];
  const untainted = impactOf(webhook, byTaint, facts).matched;
  if (untainted.length > 0)
    return {
      supply: 'taints' as const,
      data: text,
      evidence: [wait.evidence, ...matchEvidence(webhook, untainted)],
    };
  // The namespace of the agent that removes it is not known.
  if (wait.for === 'taint') return undefined;
  const requests = systemNamespaces(facts).map((name) => vital('CREATE', 'v1', 'pods', { namespace: name }));
  const { matched } = impactOf(webhook, requests, facts);
  if (matched.length === 0) return undefined;
  const data = {
    ...text,
    namespaces: namedList(
      'namespace',
      matched.map(({ about }) => about.request.namespace ?? ''),
    ),
  };
  return { supply: wait.for, data, evidence: [wait.evidence, ...matchEvidence(webhook, matched)] };
}

/**
 * Predicts a deadlock: the Pods are healthy, but if all were deleted, they would wait for system Pods that
 * the webhook rejects.
 */
export const predictedSupplyDeadlock = (webhook: AdmissionCallout, serving: Serving, facts: SupplyFacts) => {
  const supplies = blockedSupplies(webhook, serving, facts);
  const sure = supplies.filter(({ needed }) => needed === 'surely');
  return (sure.length > 0 ? sure : supplies).map(({ what, needed, text, chain, ref, matched }) => ({
    needed,
    data: {
      requests: requestsText(matched.map(({ about }) => about)),
      supplier: text,
      webhook: webhook.webhook,
      workload: serving.text,
    },
    evidence: [
      { object: ref, field: 'spec.template', value: what },
      ...matchEvidence(webhook, matched),
      dependencies(serving, webhook, what, chain),
    ],
    ref,
  }));
};
