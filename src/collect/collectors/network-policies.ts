import type { NetworkPolicy } from '../../facts/objects/network-policy.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { brokenFacts, troubledNamespaces } from '../suspicion.ts';

/** Who gets through to the Pods of a namespace. */
export const networkPolicies = defineCollector({
  fact: 'networkPolicies',
  topics: ['failures'],
  needs: brokenFacts,
  rights: [toRead(resources.NetworkPolicy, ['list'], 'backends', 'NetworkPolicies that select the Pods')],
  otherwise: 'NetworkPolicies of a namespace that was not examined',
  wants: troubledNamespaces,
  read: (access, keys) =>
    eachKey(keys, (namespace) => access.list<NetworkPolicy>(resources.NetworkPolicy, { namespace })),
});
