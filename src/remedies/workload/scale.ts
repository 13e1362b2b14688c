import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfWorkload, wantedPods } from '../../facts/workloads/workloads.ts';
import { whoReverts, workloadName } from '../backend.ts';
import type { PlanDraft } from '../remedy.ts';

/** Annotations in which downscalers store the original number of replicas. */
const originals = ['downscaler/original-replicas', 'kube-downscaler/original-replicas'];

/** The number of replicas before a workload was scaled down, if its annotations contain it. */
export function originalReplicas({ metadata }: Workload): number | undefined {
  const previous = originals.map((key) => Number(metadata.annotations?.[key])).find((count) => count > 0);
  return previous !== undefined && Number.isInteger(previous) ? previous : undefined;
}

/** False for a DaemonSet, whose number of Pods depends on the nodes. */
export const canScale = ({ kind }: Workload): boolean => kind !== 'DaemonSet';

/** A warning for a workload whose autoscalers were not read. */
export const mayBeScaledBack =
  'A HorizontalPodAutoscaler that targets this workload may change the count again.';

/** A plan that changes the number of replicas through the scale subresource. */
export const scalePlan = (workload: Workload, replicas: number, warnings: readonly string[]): PlanDraft => ({
  summary: `${workloadName(workload)} is scaled from ${wantedPods(workload)} to ${replicas}`,
  edits: [
    {
      object: refOfWorkload(workload),
      operation: 'scale',
      path: '/spec/replicas',
      expected: wantedPods(workload),
      after: replicas,
    },
  ],
  warnings: [...warnings, ...whoReverts(workload.metadata)],
});

/**
 * The Lease (`namespace/name`) whose holder is the only Pod that serves, of several probed ones. Undefined if
 * others serve too, or none was probed.
 */
export function gatingLease(
  callout: Callout,
  { probes, leases }: Pick<Facts, 'probes' | 'leases'>,
): string | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const { namespace } = callout.client.service;
  const id = calloutId(callout);
  const replicas = (probes.getIfKnown(id)?.replicas ?? []).filter(
    ({ pod, dialogues }) => pod !== undefined && dialogues.length > 0,
  );
  const serving = replicas.filter(({ dialogues }) => dialogues.every(({ failure }) => failure === undefined));
  const [only] = serving;
  if (replicas.length < 2 || serving.length !== 1 || only?.pod === undefined) return undefined;
  const { pod } = only;
  const here = leases.getIfKnown(namespace) ?? [];
  // client-go: holderIdentity is the host name, which is the Pod's name, and a unique suffix for the process.
  const held = here.find(
    ({ spec }) => spec?.holderIdentity === pod || spec?.holderIdentity?.startsWith(`${pod}_`),
  );
  return held && `${namespace}/${held.metadata.name}`;
}

/** Checks that report that only the leader serves. */
export const leaderGatedChecks = ['leader-gated-listener', 'leader-gated-answer'] as const;
