import { parseChain } from '../apiserver/certificate/parse/parse-chain.ts';
import type { Callout } from '../facts/callout.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { World } from '../facts/snapshot.ts';
import { leaderNames } from '../facts/workloads/leaders.ts';
import { knownPods } from '../facts/workloads/replicas.ts';
import { volumeSources } from '../facts/workloads/volume-sources.ts';
import type { CertificateChain, ChainFacts } from './chains.ts';
import type { ServingSecret } from './serving-secret.ts';

/** The serving certificate of a Pod, for comparison with the Secret. */
export const leafOf = ({ presented }: Pick<CertificateChain, 'presented'>): string =>
  Buffer.from(presented[0] ?? []).toString('base64');

/** True if a Secret or ConfigMap was read, and contains the serving certificate of a Pod. */
export const isServedFrom = (
  chain: Pick<CertificateChain, 'presented'>,
  kept: ServingSecret | undefined,
): boolean => leafOf(chain) === kept?.chain[0]?.toString('base64');

/**
 * True for the certificate that another server of the Pod generates, such as that of metrics: it is only for
 * `localhost`, the caBundle does not hold its CA, and no process has read it from the Secret.
 */
export function isOfOtherServer(
  { presented, verdict }: CertificateChain,
  { version }: Pick<ChainFacts, 'version'>,
): boolean {
  const names = parseChain(presented, version)[0]?.dnsNames ?? [];
  const isUntrusted =
    verdict.outcome === 'rejected' && verdict.faults.some(({ kind }) => kind === 'unknown-authority');
  return isUntrusted && names.length > 0 && names.every((name) => name === 'localhost');
}

/** False if the Pod has no volume of the Secret or ConfigMap that other Pods mount. */
function mayRead({ spec }: Pod, { kind, name, source }: ServingSecret): boolean {
  const mounted = (spec.volumes ?? []).flatMap(volumeSources);
  return source === undefined || mounted.some((one) => one.kind === kind && one.name === name);
}

/** True if a container of the Pod started before the last write of the Secret; undefined if unknown. */
function startedBefore(pod: Pod | undefined, { secret }: ServingSecret): boolean | undefined {
  const written = secret?.writers?.[0]?.at;
  const started = (pod?.status.containerStatuses ?? []).flatMap(
    ({ state }) => state?.running?.startedAt ?? [],
  );
  return written === undefined || started.length === 0 ? undefined : started.some((at) => at <= written);
}

/**
 * True if each container that mounts the Secret or ConfigMap does so with `subPath`: the kubelet never updates these
 * files.
 */
export function isMountedBySubPath(
  callout: Callout,
  { kind, name }: Pick<ServingSecret, 'kind' | 'name'>,
  facts: Pick<ChainFacts, 'pods'>,
): boolean {
  const mounts = knownPods(callout, facts).flatMap(({ spec }) => {
    const volumes = (spec.volumes ?? []).filter((volume) =>
      volumeSources(volume).some((one) => one.kind === kind && one.name === name),
    );
    return spec.containers
      .flatMap(({ volumeMounts = [] }) => volumeMounts)
      .filter((mount) => volumes.some((volume) => volume.name === mount.name));
  });
  return mounts.length > 0 && mounts.every(({ subPath = '' }) => subPath !== '');
}

const podNamed = (callout: Callout, name: string | undefined, facts: Pick<ChainFacts, 'pods'>) =>
  knownPods(callout, facts).find(({ metadata }) => metadata.name === name);

/**
 * True if the process may have read the Secret before it was renewed: the served certificate is older, and
 * the Pod mounts the Secret and started before its last write, as far as these are known.
 */
export function mayBeOutdated(
  callout: Callout,
  { presented, pod }: CertificateChain,
  serving: ServingSecret,
  facts: ChainFacts,
): boolean {
  const [[now], [next]] = [parseChain(presented, facts.version), parseChain(serving.chain, facts.version)];
  if (now === undefined || next === undefined || now.notBefore.at > next.notBefore.at) return false;
  const found = podNamed(callout, pod, facts);
  return (found === undefined || mayRead(found, serving)) && startedBefore(found, serving) !== false;
}

/**
 * The leader, if it alone serves the current certificate and was running when that was written: it reloads,
 * the other Pods do not.
 */
export function onlyLeaderReloads(
  callout: Callout,
  current: readonly CertificateChain[],
  serving: ServingSecret,
  facts: ChainFacts & World<'leases'>,
): string | undefined {
  const [leader, another] = current;
  if (leader?.pod === undefined || another !== undefined) return undefined;
  if (startedBefore(podNamed(callout, leader.pod, facts), serving) !== true) return undefined;
  return leaderNames(callout, facts)?.has(leader.pod) === true ? leader.pod : undefined;
}
