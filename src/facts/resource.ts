import type { AllowRule } from './unread.ts';

/** RBAC verbs that this program uses. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** An RBAC permission that a part of this program needs, declared beside its requests. */
export interface Permission {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, with its subresource: `pods/log`; or a non-resource URL: `/metrics`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** The names of the objects; absent: any. */
  readonly names?: readonly string[];
  /**
   * `backends`: needed in several namespaces, especially those of backends; if it is granted only there,
   * other namespaces are not read, and the report says so. `namespace`: needed in this one only.
   */
  readonly scope: 'cluster' | 'backends' | { readonly namespace: string };
  /** The purpose: the end of "it is needed for …". */
  readonly use: string;
}

/** A resource of the API, with the names of its URL and of RBAC. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural URL name. */
  readonly plural: string;
}

/** `group/version`, or `version` for the core group: an apiVersion (apimachinery schema.GroupVersion). */
export const groupVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** `deployments.apps`, `pods`: a resource in the API server's errors (apimachinery schema.GroupResource). */
export const groupResourceOf = ({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}) => (group === '' ? resource : `${resource}.${group}`);

/** The group of an apiVersion; empty for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** True for the API group of a product, which may not be installed. Groups without a dot belong to Kubernetes. */
export const isProductGroup = (group: string): boolean => group.includes('.') && !group.endsWith('.k8s.io');

const of = (apiVersion: string, plural: string): Resource => {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, plural };
};

/** Every resource that this program reads or changes, by kind. */
export const resources = {
  ValidatingWebhookConfiguration: of('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'),
  MutatingWebhookConfiguration: of('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'),
  CustomResourceDefinition: of('apiextensions.k8s.io/v1', 'customresourcedefinitions'),
  APIService: of('apiregistration.k8s.io/v1', 'apiservices'),
  EndpointSlice: of('discovery.k8s.io/v1', 'endpointslices'),
  NetworkPolicy: of('networking.k8s.io/v1', 'networkpolicies'),
  CiliumNetworkPolicy: of('cilium.io/v2', 'ciliumnetworkpolicies'),
  CiliumClusterwideNetworkPolicy: of('cilium.io/v2', 'ciliumclusterwidenetworkpolicies'),
  CalicoNetworkPolicy: of('crd.projectcalico.org/v1', 'networkpolicies'),
  CalicoGlobalNetworkPolicy: of('crd.projectcalico.org/v1', 'globalnetworkpolicies'),
  Lease: of('coordination.k8s.io/v1', 'leases'),
  Certificate: of('cert-manager.io/v1', 'certificates'),
  Issuer: of('cert-manager.io/v1', 'issuers'),
  ClusterIssuer: of('cert-manager.io/v1', 'clusterissuers'),
  Service: of('v1', 'services'),
  ServiceAccount: of('v1', 'serviceaccounts'),
  Namespace: of('v1', 'namespaces'),
  Pod: of('v1', 'pods'),
  Node: of('v1', 'nodes'),
  Event: of('v1', 'events'),
  Secret: of('v1', 'secrets'),
  ConfigMap: of('v1', 'configmaps'),
  PersistentVolumeClaim: of('v1', 'persistentvolumeclaims'),
  Deployment: of('apps/v1', 'deployments'),
  ReplicaSet: of('apps/v1', 'replicasets'),
  StatefulSet: of('apps/v1', 'statefulsets'),
  DaemonSet: of('apps/v1', 'daemonsets'),
  Job: of('batch/v1', 'jobs'),
  CronJob: of('batch/v1', 'cronjobs'),
  PodDisruptionBudget: of('policy/v1', 'poddisruptionbudgets'),
  HorizontalPodAutoscaler: of('autoscaling/v2', 'horizontalpodautoscalers'),
  ClusterRole: of('rbac.authorization.k8s.io/v1', 'clusterroles'),
  ClusterRoleBinding: of('rbac.authorization.k8s.io/v1', 'clusterrolebindings'),
} as const satisfies Record<string, Resource>;

const clusterScoped: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
  'ClusterIssuer',
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
] satisfies readonly (keyof typeof resources)[];

/** Whether objects of this kind have no namespace, among the kinds that this program writes or takes from manifests. */
export const isClusterScoped = (kind: string): boolean => clusterScoped.includes(kind);

/** One of the kinds in {@link resources}. */
export type ResourceKind = keyof typeof resources;

/** Short names that kubectl accepts besides singular and plural. */
const shortNames: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  ValidatingWebhookConfiguration: ['vwc'],
  MutatingWebhookConfiguration: ['mwc'],
  CustomResourceDefinition: ['crd', 'crds'],
  Service: ['svc'],
  Namespace: ['ns'],
  Pod: ['po'],
  Node: ['no'],
  Deployment: ['deploy'],
  ReplicaSet: ['rs'],
  StatefulSet: ['sts'],
  DaemonSet: ['ds'],
};

/** The kind for an argument such as `deployment`, `deployments`, `deploy` or `deployments.apps`. */
export function kindNamed<const Kind extends ResourceKind>(
  typed: string,
  kinds: readonly Kind[],
): Kind | undefined {
  const [name = '', ...behind] = typed.toLowerCase().split('.');
  return kinds.find((kind) => {
    const { group, plural } = resources[kind];
    const names = [kind.toLowerCase(), plural, ...(shortNames[kind] ?? [])];
    const isGroup = behind.length === 0 || (group !== '' && `.${behind.join('.')}`.endsWith(`.${group}`));
    return isGroup && names.includes(name);
  });
}

/** `ConfigMaps` of ConfigMap and configmaps. */
export function pluralText(kind: string, plural: string): string {
  if (kind !== '' && plural.startsWith(kind.toLowerCase())) return kind + plural.slice(kind.length);
  return plural.endsWith('ies') && kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : plural;
}

/** `ConfigMaps` of configmaps, for a resource in {@link resources}; others unchanged. */
export const pluralOf = (plural: string): string =>
  pluralText(kindNamed(plural, Object.keys(resources) as ResourceKind[]) ?? '', plural);

/** The logs of a container, a subresource of its Pod. */
export const podLogs = of('v1', 'pods/log');

/** The URL path of a collection, or of one object in it. */
export function pathOf(resource: Resource, namespace?: string, name?: string): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const [plural = '', subresource] = resource.plural.split('/');
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${plural}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** The minimum RBAC rule that allows `verb` on the resource. */
export const allowing = (resource: Resource, verb: 'get' | 'list', namespace?: string): AllowRule => ({
  apiGroups: [resource.group],
  resources: [resource.plural],
  verbs: [verb],
  ...(namespace === undefined ? {} : { namespace }),
});

/** The RBAC permission that a collector needs to read a resource. */
export const toRead = (
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  verbs: readonly ('get' | 'list')[],
  scope: Permission['scope'],
  use: string,
): Permission => ({ group, resource: plural, verbs, scope, use });
