import { type Callout, calloutId, isServiceBacked } from '../facts/callout.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { refOfWorkload, wantedPods } from '../facts/workloads.ts';
import { workloadName } from './backend.ts';
import { whoReverts } from './owners.ts';
import type { PlanDraft } from './remedy.ts';

/** Annotations in which downscalers keep how many replicas there were. */
const originals = ['downscaler/original-replicas', 'kube-downscaler/original-replicas'];

/** How many replicas a workload had before it was scaled down, where its annotations tell. */
export function originalReplicas({ metadata }: Workload): number | undefined {
  const previous = originals.map((key) => Number(metadata.annotations?.[key])).find((count) => count > 0);
  return previous !== undefined && Number.isInteger(previous) ? previous : undefined;
}

/** False: nodes decide how many Pods it has. */
export const canScale = ({ kind }: Workload): boolean => kind !== 'DaemonSet';

/** Of a workload of which nobody asked for an autoscaler. */
export const mayBeScaledBack =
  'A HorizontalPodAutoscaler that targets this workload may change the count again.';

/** A plan that asks for another number of Pods, through the scale subresource. */
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
 * The Lease whose holder alone was seen to serve, of several replicas that were asked: `namespace/name`. Undefined where
 * others serve too, and where nobody asked.
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
  // client-go: the holder is the host's name, which is the Pod's, and what tells two processes apart.
  const held = here.find(
    ({ spec }) => spec?.holderIdentity === pod || spec?.holderIdentity?.startsWith(`${pod}_`),
  );
  return held && `${namespace}/${held.metadata.name}`;
}

/** Checks whose findings say that only the leader serves. */
export const leaderGatedChecks = ['leader-gated-listener', 'leader-gated-answer'] as const;
