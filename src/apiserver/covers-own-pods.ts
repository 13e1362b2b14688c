import type { AdmissionCallout } from '../facts/callout.ts';
import { complete } from '../facts/lookup.ts';
import type { ServedResource, ServedResources } from '../facts/served-resources.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { matchRequest } from './match.ts';
import type { Labels } from './selectors.ts';

/** Labels that controllers add to a Pod when they make it, with values of their own. */
const addedByControllers = [
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
] as const;

const pods: ServedResource = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  singular: 'pod',
  namespaced: true,
  verbs: ['create'],
};

/**
 * Whether the creation of a Pod in a namespace is sent to this webhook: a webhook that covers the Pods of its own
 * backend must answer before they can start. `unknown`: a matchCondition, or a label that only the controller sets.
 *
 * @param templateLabels labels of the workload's Pod template.
 * @param namespaceLabels labels of the namespace that the Pods run in.
 */
export function coversOwnPods(
  callout: AdmissionCallout,
  templateLabels: Labels,
  namespaceLabels: Labels,
): 'yes' | 'no' | 'unknown' {
  const namespace = namespaceLabels['kubernetes.io/metadata.name'] ?? 'own';
  const request: AdmissionRequest = {
    operation: 'CREATE',
    group: '',
    version: 'v1',
    resource: 'pods',
    kind: 'Pod',
    namespace,
    labels: templateLabels,
    unknownLabels: addedByControllers.filter((key) => !Object.hasOwn(templateLabels, key)),
  };
  const { outcome } = matchRequest(callout, request, {
    namespaces: complete([[namespace, { metadata: { name: namespace, labels: namespaceLabels } }]]),
    served: complete<ServedResources>([['served', { resources: [pods], stale: [] }]]),
  });
  return outcome === 'called' ? 'yes' : outcome === 'skipped' ? 'no' : 'unknown';
}
