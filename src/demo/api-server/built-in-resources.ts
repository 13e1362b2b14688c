/** A subresource in discovery. */
export interface ApiSubresource {
  readonly name: string;
  /** The kind in the response; undefined: that of the parent resource. */
  readonly responds?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** A resource that the API server serves. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
}

/**
 * The resources of kube-apiserver 1.35.4 with default settings, recorded from its aggregated discovery in its
 * order: resource, singular, kind, Namespaced or Cluster, verbs, short names, categories, subresources
 * `name[=KIND]:verbs`.
 */
const recorded = `
v1
  bindings binding Binding N c - -
  componentstatuses componentstatus ComponentStatus C gl cs -
  configmaps configmap ConfigMap N cdDglpuw cm -
  endpoints endpoints Endpoints N cdDglpuw ep -
  events event Event N cdDglpuw ev -
  limitranges limitrange LimitRange N cdDglpuw limits -
  namespaces namespace Namespace C cdglpuw ns - finalize:u status:gpu
  nodes node Node C cdDglpuw no - proxy=NodeProxyOptions:cdgpu status:gpu
  persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim N cdDglpuw pvc - status:gpu
  persistentvolumes persistentvolume PersistentVolume C cdDglpuw pv - status:gpu
  pods pod Pod N cdDglpuw po all attach=PodAttachOptions:cg binding=Binding:c ephemeralcontainers:gpu eviction=policy/v1/Eviction:c exec=PodExecOptions:cg log:g portforward=PodPortForwardOptions:cg proxy=PodProxyOptions:cdgpu resize:gpu status:gpu
  podtemplates podtemplate PodTemplate N cdDglpuw - -
  replicationcontrollers replicationcontroller ReplicationController N cdDglpuw rc all scale=autoscaling/v1/Scale:gpu status:gpu
  resourcequotas resourcequota ResourceQuota N cdDglpuw quota - status:gpu
  secrets secret Secret N cdDglpuw - -
  serviceaccounts serviceaccount ServiceAccount N cdDglpuw sa - token=authentication.k8s.io/v1/TokenRequest:c
  services service Service N cdDglpuw svc all proxy=ServiceProxyOptions:cdgpu status:gpu

apiregistration.k8s.io/v1
  apiservices apiservice APIService C cdDglpuw - api-extensions status:gpu

apps/v1
  controllerrevisions controllerrevision ControllerRevision N cdDglpuw - -
  daemonsets daemonset DaemonSet N cdDglpuw ds all status:gpu
  deployments deployment Deployment N cdDglpuw deploy all scale=autoscaling/v1/Scale:gpu status:gpu
  replicasets replicaset ReplicaSet N cdDglpuw rs all scale=autoscaling/v1/Scale:gpu status:gpu
  statefulsets statefulset StatefulSet N cdDglpuw sts all scale=autoscaling/v1/Scale:gpu status:gpu

events.k8s.io/v1
  events event Event N cdDglpuw ev -

authentication.k8s.io/v1
  selfsubjectreviews selfsubjectreview SelfSubjectReview C c - -
  tokenreviews tokenreview TokenReview C c - -

authorization.k8s.io/v1
  localsubjectaccessreviews localsubjectaccessreview LocalSubjectAccessReview N c - -
  selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview C c - -
  selfsubjectrulesreviews selfsubjectrulesreview SelfSubjectRulesReview C c - -
  subjectaccessreviews subjectaccessreview SubjectAccessReview C c - -

autoscaling/v2
  horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:gpu

autoscaling/v1
  horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:gpu

batch/v1
  cronjobs cronjob CronJob N cdDglpuw cj all status:gpu
  jobs job Job N cdDglpuw - all status:gpu

certificates.k8s.io/v1
  certificatesigningrequests certificatesigningrequest CertificateSigningRequest C cdDglpuw csr - approval:gpu status:gpu

networking.k8s.io/v1
  ingressclasses ingressclass IngressClass C cdDglpuw - -
  ingresses ingress Ingress N cdDglpuw ing - status:gpu
  ipaddresses ipaddress IPAddress C cdDglpuw ip -
  networkpolicies networkpolicy NetworkPolicy N cdDglpuw netpol -
  servicecidrs servicecidr ServiceCIDR C cdDglpuw - - status:gpu

policy/v1
  poddisruptionbudgets poddisruptionbudget PodDisruptionBudget N cdDglpuw pdb - status:gpu

rbac.authorization.k8s.io/v1
  clusterrolebindings clusterrolebinding ClusterRoleBinding C cdDglpuw - -
  clusterroles clusterrole ClusterRole C cdDglpuw - -
  rolebindings rolebinding RoleBinding N cdDglpuw - -
  roles role Role N cdDglpuw - -

storage.k8s.io/v1
  csidrivers csidriver CSIDriver C cdDglpuw - -
  csinodes csinode CSINode C cdDglpuw - -
  csistoragecapacities csistoragecapacity CSIStorageCapacity N cdDglpuw - -
  storageclasses storageclass StorageClass C cdDglpuw sc -
  volumeattachments volumeattachment VolumeAttachment C cdDglpuw - - status:gpu
  volumeattributesclasses volumeattributesclass VolumeAttributesClass C cdDglpuw vac -

admissionregistration.k8s.io/v1
  mutatingwebhookconfigurations mutatingwebhookconfiguration MutatingWebhookConfiguration C cdDglpuw - api-extensions
  validatingadmissionpolicies validatingadmissionpolicy ValidatingAdmissionPolicy C cdDglpuw - api-extensions status:gpu
  validatingadmissionpolicybindings validatingadmissionpolicybinding ValidatingAdmissionPolicyBinding C cdDglpuw - api-extensions
  validatingwebhookconfigurations validatingwebhookconfiguration ValidatingWebhookConfiguration C cdDglpuw - api-extensions

apiextensions.k8s.io/v1
  customresourcedefinitions customresourcedefinition CustomResourceDefinition C cdDglpuw crd,crds api-extensions status:gpu

scheduling.k8s.io/v1
  priorityclasses priorityclass PriorityClass C cdDglpuw pc -

coordination.k8s.io/v1
  leases lease Lease N cdDglpuw - -

node.k8s.io/v1
  runtimeclasses runtimeclass RuntimeClass C cdDglpuw - -

discovery.k8s.io/v1
  endpointslices endpointslice EndpointSlice N cdDglpuw - -

resource.k8s.io/v1
  deviceclasses deviceclass DeviceClass C cdDglpuw - -
  resourceclaims resourceclaim ResourceClaim N cdDglpuw - - status:gpu
  resourceclaimtemplates resourceclaimtemplate ResourceClaimTemplate N cdDglpuw - -
  resourceslices resourceslice ResourceSlice C cdDglpuw - -

flowcontrol.apiserver.k8s.io/v1
  flowschemas flowschema FlowSchema C cdDglpuw - - status:gpu
  prioritylevelconfigurations prioritylevelconfiguration PriorityLevelConfiguration C cdDglpuw - - status:gpu
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
  const [
    plural = '',
    singular = '',
    kind = '',
    scope = '',
    verbs = '',
    short = '-',
    categories = '-',
    ...subs
  ] = line.trim().split(' ');
  return {
    group,
    version,
    plural,
    singular,
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
