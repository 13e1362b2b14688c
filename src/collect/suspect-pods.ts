import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { containerStatuses } from '../facts/workloads/container-crash.ts';
import { isInjectorPod } from '../products/ca-injectors.ts';

/** The first container of a Pod that failed and may have a log. */
export const crashedContainer = (pod: Pod): string | undefined =>
  containerStatuses(pod).find(
    ({ ready, restartCount, state, lastState }) =>
      !ready &&
      ((restartCount > 0 && (lastState?.terminated?.exitCode ?? 0) !== 0) ||
        (state?.terminated?.exitCode ?? 0) !== 0),
  )?.name;

/** Words in the containers of a Job that writes certificates or a caBundle, and in the commands of one that writes Secrets. */
const ofCertificates = /cert|tls|webhook/i;
const ofSecrets = /secret/i;

/** True for a Pod of a Job that may write a certificate. */
const mayWriteCertificate = ({ spec: { containers } }: Pod): boolean =>
  ofCertificates.test(JSON.stringify(containers)) ||
  containers.some(({ command = [], args = [] }) => ofSecrets.test([...command, ...args].join(' ')));

/**
 * Pods that should have written a certificate or a caBundle, and failed: the newest of each Job, and crashed ones of
 * CA injectors.
 */
export function failedWriterPods({ namespacePods }: Pick<Facts, 'namespacePods'>): readonly Pod[] {
  const newest = new Map<string, Pod>();
  const all = namespacePods.all().flat();
  for (const pod of all) {
    const { namespace, ownerReferences = [], creationTimestamp = '' } = pod.metadata;
    const job = ownerReferences.find(({ kind }) => kind === 'Job')?.name;
    if (job === undefined || crashedContainer(pod) === undefined) continue;
    if (!mayWriteCertificate(pod)) continue;
    const known = newest.get(`${namespace}/${job}`);
    if (known === undefined || creationTimestamp > (known.metadata.creationTimestamp ?? ''))
      newest.set(`${namespace}/${job}`, pod);
  }
  const injecting = all.filter((pod) => isInjectorPod(pod) && crashedContainer(pod) !== undefined);
  return [...newest.values(), ...injecting.slice(0, 1)];
}
