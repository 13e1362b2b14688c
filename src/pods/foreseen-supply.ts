import type { MatchedRequest } from '../apiserver/admission/impact.ts';
import { foreseenOf, type PathRequest } from '../apiserver/deadlock/admission-path.ts';
import type { ModelFacts } from '../apiserver/deadlock/block.ts';
import { bootstrapOf } from '../apiserver/deadlock/bootstrap.ts';
import { podChainText, type Serving } from '../apiserver/deadlock/serving.ts';
import { derive } from '../basics/derive.ts';
import type { AdmissionCallout } from '../facts/callout.ts';
import { type ObjectRef, refText } from '../facts/object-ref.ts';
import type { PodTemplate } from '../facts/objects/pod.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isOfCloud, isOfNames, isOfNetwork, isOfVolumes } from '../facts/workloads/system-pods.ts';
import { isOwnWorkload, refOfWorkload } from '../facts/workloads/workloads.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';

/** The facts that show whether a webhook blocks Pods of the system. */
export type SupplyFacts = ModelFacts & Pick<Facts, 'workloads' | 'services'>;

/** A workload of the system that Pods need, and whose own Pods a webhook without a Pod would refuse. */
export interface BlockedSupply {
  /** `the network of its node`: the step of the chain. */
  readonly what: string;
  /**
   * `surely`: no such Pod serves without it. `only`: a condition that the template does not show, as the end
   * of "if …".
   */
  readonly needed: 'surely' | { readonly only: string };
  readonly text: string;
  /** `DaemonSet kube-system/calico-node → Pod`. */
  readonly chain: string;
  readonly ref: ObjectRef;
  readonly matched: readonly MatchedRequest<PathRequest>[];
}

type Need = Pick<BlockedSupply, 'what' | 'needed'>;

/** True if Pods of the template tolerate a taint, whatever its value and effect. */
export const tolerates = ({ spec }: PodTemplate, taint: string): boolean =>
  (spec.tolerations ?? []).some(({ key, operator }) => key === taint || (!key && operator === 'Exists'));

/** True if the Pod may resolve names with the cluster DNS (ClusterFirst is the default). */
const usesClusterNames = ({ spec: { dnsPolicy = 'ClusterFirst', hostNetwork } }: PodTemplate): boolean =>
  dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);

/** The service of a system workload that Pods of a template need. */
export function needOf(
  template: PodTemplate,
  supplier: Workload,
  { services }: SupplyFacts,
): Need | undefined {
  const { metadata, spec } = supplier;
  const { volumes = [] } = template.spec;
  if (template.spec.hostNetwork !== true && isOfNetwork(spec.template))
    return { what: 'the network of its node', needed: 'surely' };
  if (isOfVolumes(spec.template)) {
    const text = JSON.stringify(spec.template);
    const driver = volumes.flatMap(({ csi }) => csi?.driver ?? []).find((name) => text.includes(name));
    if (driver !== undefined) return { what: `the volume driver ${driver}`, needed: 'surely' };
    const claims = volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
    return claims ? { what: 'its volume', needed: { only: 'their volume uses that driver' } } : undefined;
  }
  const labels = spec.template.metadata?.labels ?? {};
  if (usesClusterNames(template) && isOfNames(labels, metadata.namespace ?? '', services.all(), undefined))
    return { what: 'DNS', needed: { only: 'they need DNS to start' } };
  const untouched = !tolerates(template, 'node.cloudprovider.kubernetes.io/uninitialized');
  return untouched && isOfCloud(spec.template)
    ? {
        what: 'a cloud-initialized node',
        needed: { only: 'their nodes are new' },
      }
    : undefined;
}

/** Known workloads of the system namespaces. */
export const systemWorkloads = derive(
  ['namespaces', 'workloads'],
  (facts: Pick<Facts, 'namespaces' | 'workloads'>): readonly Workload[] =>
    systemNamespaces(facts)
      .flatMap((name) => facts.workloads.getIfKnown(name) ?? [])
      .filter(isOwnWorkload),
);

/**
 * The system workloads that Pods of a backend need and whose own Pods cannot be created while the webhook of
 * that backend is down. Certain ones come first.
 */
export function blockedSupplies(
  webhook: AdmissionCallout,
  { workload }: Serving,
  facts: SupplyFacts,
): readonly BlockedSupply[] {
  if (workload === undefined) return [];
  const { template } = workload.spec;
  const found = systemWorkloads(facts).flatMap((supplier): readonly BlockedSupply[] => {
    const need = needOf(template, supplier, facts);
    const bootstrap = need && bootstrapOf(webhook, foreseenOf(supplier), facts);
    if (need === undefined || bootstrap?.outcome !== 'blocked') return [];
    const ref = refOfWorkload(supplier);
    const text = refText(ref);
    return [{ ...need, text, chain: podChainText(ref), ref, matched: bootstrap.matched }];
  });
  const isSure = ({ needed }: BlockedSupply): boolean => needed === 'surely';
  return [...found.filter(isSure), ...found.filter((one) => !isSure(one))];
}
