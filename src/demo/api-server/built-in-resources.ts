import type { ServedResource } from '../../facts/served-resources.ts';
/** A subresource in discovery. */
export interface ApiSubresource {
  readonly name: string;
  /** The kind in the response; undefined: that of the parent resource. */
  readonly responds?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** A resource that the API server serves. */
export interface ApiResource extends Omit<ServedResource, 'resource' | 'shortNames'> {
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
}

/**
 * The resources of kube-apiserver 1.35.4 with default settings, recorded from its aggregated discovery in its
 * order: resource, kind, Namespaced or Cluster, verbs, short names, categories, subresources `name[=KIND]:verbs`.
 * The singular name is the kind in lower case.
 */
const recorded = `
v1
  bindings Binding N c - -
  componentstatuses ComponentStatus C gl cs -
  configmaps ConfigMap N cdDglpuw cm -
  endpoints Endpoints N cdDglpuw ep -
  events Event N cdDglpuw ev -
  limitranges LimitRange N cdDglpuw limits -
  namespaces Namespace C cdglpuw ns - finalize:u status:gpu
  nodes Node C cdDglpuw no - proxy=NodeProxyOptions:cdgpu status:gpu
  persistentvolumeclaims PersistentVolumeClaim N cdDglpuw pvc - status:gpu
  persistentvolumes PersistentVolume C cdDglpuw pv - status:gpu
  pods Pod N cdDglpuw po all attach=PodAttachOptions:cg binding=Binding:c ephemeralcontainers:gpu eviction=policy/v1/Eviction:c exec=PodExecOptions:cg log:g portforward=PodPortForwardOptions:cg proxy=PodProxyOptions:cdgpu resize:gpu status:gpu
  podtemplates PodTemplate N cdDglpuw - -
  replicationcontrollers ReplicationController N cdDglpuw rc all scale=autoscaling/v1/Scale:gpu status:gpu
  resourcequotas ResourceQuota N cdDglpuw quota - status:gpu
  secrets Secret N cdDglpuw - -
  serviceaccounts ServiceAccount N cdDglpuw sa - token=authentication.k8s.io/v1/TokenRequest:c
  services Service N cdDglpuw svc all proxy=ServiceProxyOptions:cdgpu status:gpu

apiregistration.k8s.io/v1
  apiservices APIService C cdDglpuw - api-extensions status:gpu

apps/v1
  controllerrevisions ControllerRevision N cdDglpuw - -
  daemonsets DaemonSet N cdDglpuw ds all status:gpu
  deployments Deployment N cdDglpuw deploy all scale=autoscaling/v1/Scale:gpu status:gpu
  replicasets ReplicaSet N cdDglpuw rs all scale=autoscaling/v1/Scale:gpu status:gpu
  statefulsets StatefulSet N cdDglpuw sts all scale=autoscaling/v1/Scale:gpu status:gpu

events.k8s.io/v1
  events Event N cdDglpuw ev -

authentication.k8s.io/v1
  selfsubjectreviews SelfSubjectReview C c - -
  tokenreviews TokenReview C c - -

authorization.k8s.io/v1
  localsubjectaccessreviews LocalSubjectAccessReview N c - -
  selfsubjectaccessreviews SelfSubjectAccessReview C c - -
  selfsubjectrulesreviews SelfSubjectRulesReview C c - -
  subjectaccessreviews SubjectAccessReview C c - -

autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler N cdDglpuw hpa all status:gpu

autoscaling/v1
  horizontalpodautoscalers HorizontalPodAutoscaler N cdDglpuw hpa all status:gpu

batch/v1
  cronjobs CronJob N cdDglpuw cj all status:gpu
  jobs Job N cdDglpuw - all status:gpu

certificates.k8s.io/v1
  certificatesigningrequests CertificateSigningRequest C cdDglpuw csr - approval:gpu status:gpu

networking.k8s.io/v1
  ingressclasses IngressClass C cdDglpuw - -
  ingresses Ingress N cdDglpuw ing - status:gpu
  ipaddresses IPAddress C cdDglpuw ip -
  networkpolicies NetworkPolicy N cdDglpuw netpol -
  servicecidrs ServiceCIDR C cdDglpuw - - status:gpu

policy/v1
  poddisruptionbudgets PodDisruptionBudget N cdDglpuw pdb - status:gpu

rbac.authorization.k8s.io/v1
  clusterrolebindings ClusterRoleBinding C cdDglpuw - -
  clusterroles ClusterRole C cdDglpuw - -
  rolebindings RoleBinding N cdDglpuw - -
  roles Role N cdDglpuw - -

storage.k8s.io/v1
  csidrivers CSIDriver C cdDglpuw - -
  csinodes CSINode C cdDglpuw - -
  csistoragecapacities CSIStorageCapacity N cdDglpuw - -
  storageclasses StorageClass C cdDglpuw sc -
  volumeattachments VolumeAttachment C cdDglpuw - - status:gpu
  volumeattributesclasses VolumeAttributesClass C cdDglpuw vac -

admissionregistration.k8s.io/v1
  mutatingwebhookconfigurations MutatingWebhookConfiguration C cdDglpuw - api-extensions
  validatingadmissionpolicies ValidatingAdmissionPolicy C cdDglpuw - api-extensions status:gpu
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C cdDglpuw - api-extensions
  validatingwebhookconfigurations ValidatingWebhookConfiguration C cdDglpuw - api-extensions

apiextensions.k8s.io/v1
  customresourcedefinitions CustomResourceDefinition C cdDglpuw crd,crds api-extensions status:gpu

scheduling.k8s.io/v1
  priorityclasses PriorityClass C cdDglpuw pc -

coordination.k8s.io/v1
  leases Lease N cdDglpuw - -

node.k8s.io/v1
  runtimeclasses RuntimeClass C cdDglpuw - -

discovery.k8s.io/v1
  endpointslices EndpointSlice N cdDglpuw - -

resource.k8s.io/v1
  deviceclasses DeviceClass C cdDglpuw - -
  resourceclaims ResourceClaim N cdDglpuw - - status:gpu
  resourceclaimtemplates ResourceClaimTemplate N cdDglpuw - -
  resourceslices ResourceSlice C cdDglpuw - -

flowcontrol.apiserver.k8s.io/v1
  flowschemas FlowSchema C cdDglpuw - - status:gpu
  prioritylevelconfigurations PriorityLevelConfiguration C cdDglpuw - - status:gpu
`;

const verbLetters: Readonly<Record<string, string>> = {
  c: 'create',
  d: 'delete',
  D: 'deletecollection',
  g: 'get',
  l: 'list',
  p: 'patch',
  u: 'update',
  w: 'watch',
};

const verbsOf = (letters: string): readonly string[] =>
  [...letters].map((letter) => verbLetters[letter] ?? letter);
const listOf = (text: string): readonly string[] => (text === '-' ? [] : text.split(','));

function subresource(text: string): ApiSubresource {
  const [named = '', letters = ''] = text.split(':');
  const [name = '', responds] = named.split('=');
  const verbs = verbsOf(letters);
  if (responds === undefined) return { name, verbs };
  const parts = responds.split('/');
  const [kind = '', version = '', group = ''] = parts.reverse();
  return { name, verbs, responds: { group, version, kind } };
}

function resource(line: string, groupVersion: string): ApiResource {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const [plural = '', kind = '', scope = '', verbs = '', short = '-', categories = '-', ...subs] = line
    .trim()
    .split(' ');
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: scope === 'N',
    verbs: verbsOf(verbs),
    shortNames: listOf(short),
    categories: listOf(categories),
    subresources: subs.map(subresource),
    custom: false,
  };
}

function* parsed(): Generator<ApiResource> {
  let groupVersion = '';
  for (const line of recorded.split('\n').filter((text) => text !== '')) {
    if (line.startsWith(' ')) yield resource(line, groupVersion);
    else groupVersion = line;
  }
}

/** The built-in resources of this version. */
export const builtInResources: readonly ApiResource[] = [...parsed()];
