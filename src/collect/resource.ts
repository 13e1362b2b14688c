import type { Right } from '../facts/right.ts';
import type { AllowRule } from '../facts/unread.ts';

/** A resource of the API, as its URL and as RBAC name it. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural URL name. */
  readonly plural: string;
}

const core = (plural: string): Resource => ({ group: '', version: 'v1', plural });
const apps = (plural: string): Resource => ({ group: 'apps', version: 'v1', plural });

/** Every resource that is ever read: the whole of what the product needs rights for. */
export const resources = {
  validatingWebhookConfigurations: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
  },
  mutatingWebhookConfigurations: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingwebhookconfigurations',
  },
  customResourceDefinitions: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
  },
  apiServices: { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' },
  endpointSlices: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  networkPolicies: { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies' },
  leases: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  certificates: { group: 'cert-manager.io', version: 'v1', plural: 'certificates' },
  issuers: { group: 'cert-manager.io', version: 'v1', plural: 'issuers' },
  clusterIssuers: { group: 'cert-manager.io', version: 'v1', plural: 'clusterissuers' },
  services: core('services'),
  namespaces: core('namespaces'),
  pods: core('pods'),
  podLogs: core('pods/log'),
  nodes: core('nodes'),
  events: core('events'),
  secrets: core('secrets'),
  deployments: apps('deployments'),
  replicaSets: apps('replicasets'),
  statefulSets: apps('statefulsets'),
  daemonSets: apps('daemonsets'),
  jobs: { group: 'batch', version: 'v1', plural: 'jobs' },
  disruptionBudgets: { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' },
  autoscalers: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
  configMaps: core('configmaps'),
  persistentVolumeClaims: core('persistentvolumeclaims'),
} as const satisfies Record<string, Resource>;

/** The URL path of a collection, or of one object in it. */
export function pathOf(resource: Resource, namespace?: string, name?: string): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const [plural = '', subresource] = resource.plural.split('/');
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${plural}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** The least right that allows `verb` on the resource. */
export const allowing = (resource: Resource, verb: 'get' | 'list', namespace?: string): AllowRule => ({
  apiGroups: [resource.group],
  resources: [resource.plural],
  verbs: [verb],
  ...(namespace === undefined ? {} : { namespace }),
});

/** The right to read a resource, as its collector declares it. */
export const toRead = (
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  verbs: readonly ('get' | 'list')[],
  scope: Right['scope'],
  use: string,
): Right => ({ group, resource: plural, verbs, scope, use });
