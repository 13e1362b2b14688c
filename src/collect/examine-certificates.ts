import { nothingRead } from '../facts/lookup.ts';
import type { Right } from '../facts/right.ts';
import type { Attempts } from './attempts.ts';
import { collectPods, podRights } from './collectors/pods.ts';
import { notRequested } from './collectors/readings.ts';
import type { Examined } from './examine.ts';
import type { Suspect } from './suspects.ts';

/** What {@link examineCertificates} needs. */
export const certificateExamineRights: readonly Right[] = podRights;

/** The Pods behind backends, and nothing else about them: whoever asks about certificates needs no more. */
export async function examineCertificates(read: Attempts, suspects: readonly Suspect[]): Promise<Examined> {
  const pods = await collectPods(
    read,
    suspects.flatMap(({ service }) => service ?? []),
  );
  const none = <V>() => nothingRead<V>(notRequested('what certificates do not depend on'));
  return {
    pods,
    endpointPods: none(),
    workloads: none(),
    autoscalers: none(),
    events: none(),
    nodes: none(),
    leases: none(),
    networkPolicies: none(),
    secrets: none(),
    persistentVolumeClaims: none(),
    certificates: none(),
    issuers: none(),
    logs: none(),
  };
}
