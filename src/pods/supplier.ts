import { foreseenOf } from '../apiserver/deadlock/admission-path.ts';
import { mayBlockOwnPods } from '../apiserver/deadlock/bootstrap.ts';
import { podChainText } from '../apiserver/deadlock/serving.ts';
import type { AdmissionCallout } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { PodTemplate } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isOfCloud, isOfNames, isOfNetwork } from '../facts/system-pods.ts';
import { type RefusedPods, refusedWork } from './refused-pods.ts';
import type { SystemWait } from './system-wait.ts';

/** The facts that show why Pods of the system are not created. */
export type SupplierFacts = Pick<
  Facts,
  'version' | 'callouts' | 'services' | 'namespaces' | 'served' | 'failedCreateEvents' | 'podControllers'
>;

/** A workload that should provide what Pods wait for, and whose own Pods the API server refuses. */
export interface RefusedSupplier {
  /** `Deployment kube-system/coredns → ReplicaSet → Pod`. */
  readonly chain: string;
  readonly ref: ObjectRef;
  /** The webhook that the refusal names. */
  readonly webhook: AdmissionCallout;
  readonly refused: RefusedPods;
}

const mentions = (template: PodTemplate, name: string): boolean =>
  name !== '' && JSON.stringify(template).includes(name);

/**
 * True for a node whose kubelet no longer reports, by the message of the node controller: a network does not
 * fix it.
 */
const isUnreachable = (message: string): boolean =>
  /NodeStatusUnknown|stopped posting|node\.kubernetes\.io\/unreachable/.test(message) &&
  !/node\.kubernetes\.io\/(not-ready|network-unavailable)/.test(message);

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
export function refusedSupplier(
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
