import type { NetworkPolicy } from '../../facts/objects/network-policy.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { brokenFacts, failingNamespaces } from '../suspicion.ts';

/** Collects the NetworkPolicies of namespaces with broken backends. */
export const networkPolicies = defineCollector({
  fact: 'networkPolicies',
  topics: ['failures'],
  needs: brokenFacts,
  permissions: [
    toRead(resources.NetworkPolicy, ['list'], 'backends', 'NetworkPolicies that select the Pods'),
  ],
  otherwise: 'NetworkPolicies of a namespace that was not examined',
  wants: failingNamespaces,
  read: (access, keys) =>
    eachKey(keys, (namespace) => access.list<NetworkPolicy>(resources.NetworkPolicy, { namespace })),
});
