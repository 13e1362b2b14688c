import type { NetworkPolicy } from '../../../facts/objects/network-policy.ts';
import { fromCalico, fromCilium } from '../../../facts/plugin-policies.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isServed } from '../../../facts/served-resources.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';
import { brokenFacts, failingNamespaces } from '../../suspect-backends.ts';

/** Policies of network plugins, which act beside NetworkPolicies. */
const pluginPolicies = [
  { resource: resources.CiliumNetworkPolicy, scope: 'backends', convert: fromCilium },
  { resource: resources.CiliumClusterwideNetworkPolicy, scope: 'cluster', convert: fromCilium },
  { resource: resources.CalicoNetworkPolicy, scope: 'backends', convert: fromCalico },
  { resource: resources.CalicoGlobalNetworkPolicy, scope: 'cluster', convert: fromCalico },
] as const;

/** Collects the NetworkPolicies of namespaces with broken backends, and those of Cilium and Calico where they are served. */
export const networkPolicies = defineCollector({
  fact: 'networkPolicies',
  needs: [...brokenFacts, 'served'],
  permissions: [
    toRead(resources.NetworkPolicy, ['list'], 'backends', 'NetworkPolicies that select the Pods'),
    ...pluginPolicies.map(({ resource, scope }) =>
      toRead(resource, ['list'], scope, 'policies of Cilium and Calico that select the Pods'),
    ),
  ],
  otherwise: 'NetworkPolicies of a namespace that was not examined',
  wants: failingNamespaces,
  async readEach(access, namespace, facts) {
    const served = pluginPolicies.filter(({ resource }) => isServed(facts, resource));
    const ofPlugins = served.map(async ({ resource, scope, convert }) => {
      const place = scope === 'cluster' ? {} : { namespace };
      const found = await access.list<never>(resource, place);
      return isRead(found) ? found.value.flatMap((policy) => convert(policy, namespace)) : [];
    });
    const own = await access.list<NetworkPolicy>(resources.NetworkPolicy, { namespace });
    return isRead(own) ? { value: [...own.value, ...(await Promise.all(ofPlugins)).flat()] } : own;
  },
});
