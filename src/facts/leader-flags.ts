import { settings } from './container-settings.ts';
import type { Pod } from './objects.ts';

const off = /^(false|0|no|off|disabled|)$/i;

const ofLeaders = ({ spec }: Pod): readonly (readonly [string, string | undefined])[] =>
  spec.containers.flatMap(settings).filter(([name]) => /leader|^lease$/i.test(name));

/** True if a container of the Pod enables leader election: `--leader-elect`, `--enable-leader-election`, … */
export const electsLeader = (pod: Pod): boolean =>
  ofLeaders(pod).some(([, value]) => value === undefined || !off.test(value));

/**
 * Namespaces of the Lease in the flags of a Pod's containers: `--leader-election-namespace NAME`,
 * `--leader-elect-resource-namespace=NAME`, or `NAMESPACE/LEASE`.
 */
export const leaseNamespaces = (pod: Pod): readonly string[] =>
  ofLeaders(pod).flatMap(([name, value = '']) => {
    const given = /namespace/i.test(name) ? value : value.split('/').slice(0, -1).join('/');
    return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(given) ? [given] : [];
  });
