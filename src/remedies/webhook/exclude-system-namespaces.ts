import { selects } from '../../facts/objects/label-selector.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { configurationKinds, defineRemedy } from '../remedy.ts';
import { exclusionPlan } from './exclusion.ts';

export const excludeSystemNamespaces = defineRemedy({
  meta: {
    id: 'exclude-system-namespaces',
    title: 'Exclude the system namespaces',
    risk: 'careful',
    does: 'Excludes kube-system, kube-node-lease and the namespaces of the network, DNS and storage in the namespaceSelector. The components that every other Pod needs then no longer depend on the webhook.',
    leaves:
      'Cluster-scoped resources that its rules match: Nodes, CertificateSigningRequests, SubjectAccessReviews. Narrow the rules that match these resources.',
    answers: ['covers-system-namespaces', 'covers-everything', 'covers-node-heartbeats'],
    touches: [{ operation: 'patch', kinds: configurationKinds }],
  },
  about: 'admission',
  requires: ['namespaces'],
  plan({ callout }, facts) {
    const labels = (name: string) => ({
      'kubernetes.io/metadata.name': name,
      ...facts.namespaces.getIfKnown(name)?.metadata.labels,
    });
    const covered = [...systemNamespaces(facts), 'kube-node-lease'].filter((name) =>
      selects(callout.namespaceSelector, labels(name)),
    );
    return covered.length === 0 ? undefined : exclusionPlan(callout, covered);
  },
});
