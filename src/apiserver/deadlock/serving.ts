import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, failsOpen, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import { keyOf, type ObjectRef, refText } from '../../facts/object-ref.ts';
import { serviceSelects } from '../../facts/objects/label-selector.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfWorkload, wantedPods, workloadsMaking } from '../../facts/workloads/workloads.ts';
import { type ForeseenPod, foreseenByService, foreseenByWorkload } from './admission-path.ts';

/** The workload whose Pods serve a Service. */
export interface Serving {
  /** `Deployment shop/policy`; if no workload was read, `Service shop/policy`. */
  readonly text: string;
  /** `Deployment shop/policy → ReplicaSet → Pod`, `Service shop/policy → Pod`. */
  readonly chain: string;
  readonly ref: ObjectRef;
  /** Desired replicas; undefined if unknown. */
  readonly wanted: number | undefined;
  readonly workload: Workload | undefined;
  readonly pod: ForeseenPod;
}

/** `Deployment shop/policy → ReplicaSet → Pod`. */
export const podChainText = (workload: ObjectRef): string =>
  [refText(workload), ...(workload.kind === 'Deployment' ? ['ReplicaSet'] : []), 'Pod'].join(' → ');

/** @param pod the Pod that the workload creates, and its Service. */
export function servingBy(workload: Workload, pod: ForeseenPod): Serving {
  const ref = refOfWorkload(workload);
  return { text: refText(ref), chain: podChainText(ref), ref, wanted: wantedPods(workload), workload, pod };
}

/** The workloads behind a Service; if none was read, the Pods that its selector matches. */
export function servingOf(service: Service, { workloads }: Pick<Facts, 'workloads'>): readonly Serving[] {
  const { namespace = '', name } = service.metadata;
  const here = workloads.getIfKnown(namespace) ?? [];
  const makers = workloadsMaking(service.spec.selector, here);
  if (makers.length > 0)
    return makers.map((workload) => servingBy(workload, foreseenByWorkload(workload, service)));
  const ref = { kind: 'Service', namespace, name };
  return [
    {
      text: refText(ref),
      chain: podChainText(ref),
      ref,
      wanted: undefined,
      workload: undefined,
      pod: foreseenByService(service),
    },
  ];
}

/** Webhooks that fail closed, by the namespace of their Service. */
const guardsByNamespace = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(
    callouts
      .filter(isAdmission)
      .filter((callout) => !failsOpen(callout))
      .filter(isServiceBacked),
    ({ client }) => client.service.namespace,
  ),
);

/** Webhooks with failurePolicy Fail that these Pods serve, through any Service. */
export const guardsServedBy = (
  { pod }: Serving,
  facts: Pick<Facts, 'callouts' | 'services'>,
): readonly AdmissionCallout[] =>
  (guardsByNamespace(facts).get(pod.namespace) ?? []).filter(({ client }) => {
    const key = keyOf(client.service);
    return serviceSelects(facts.services.getIfKnown(key)?.spec.selector, pod.labels);
  });

/** `webhook policy.example.com → Service shop/policy`; for a webhook with a URL, the URL. */
export function webhookChainText({ webhook, client: { service, url } }: AdmissionCallout): string {
  const where = service === undefined ? url && `URL ${url}` : `Service ${keyOf(service)}`;
  return [`webhook ${webhook}`, ...(where ? [where] : [])].join(' → ');
}
