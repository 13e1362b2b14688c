import type { AdmissionCallout } from '../../facts/callout.ts';
import { type Labels, selectorKeys } from '../../facts/objects/label-selector.ts';
import type { PodTemplate } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { AdmissionRequest, RequestUser } from '../admission/admission-request.ts';

/** Labels that controllers add to a Pod that they create; their values cannot be predicted. */
const addedByControllers = [
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
];

/** The user of a scheduler with the default configuration. */
export const scheduler: RequestUser = { username: 'system:kube-scheduler', groups: ['system:authenticated'] };
/**
 * The user of any node: conditions recognize nodes by the group, or by the prefix of the name
 * (plugin/pkg/auth/authorizer/node).
 */
export const kubelet: RequestUser = {
  username: 'system:node:node',
  groups: ['system:nodes', 'system:authenticated'],
};
const named = (username: string): RequestUser => ({ username, groups: ['system:authenticated'] });
/**
 * The users of the controllers that create Pods and EndpointSlices: one ServiceAccount each, or one user for
 * all (kube-controller-manager --use-service-account-credentials).
 */
export const controllers: readonly RequestUser[] = [
  named('system:kube-controller-manager'),
  ...['replicaset', 'statefulset', 'daemon-set', 'deployment', 'endpointslice'].map((name) => ({
    username: `system:serviceaccount:kube-system:${name}-controller`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  })),
];

/** A future Pod of a backend, as far as it can be predicted. */
export interface ForeseenPod {
  readonly namespace: string;
  readonly labels: Labels;
  /** `template`: these labels, and those that controllers add. `selector`: these, and unknown others. */
  readonly from: 'template' | 'selector';
  /** The controller that creates it; absent if not read. */
  readonly template?: PodTemplate;
  /** The Service that selects it; absent: none does. */
  readonly service?: Service['metadata'];
}

/** The Pod that a workload creates for a Service. */
export const foreseenByWorkload = ({ spec }: Workload, service: Service): ForeseenPod => ({
  namespace: service.metadata.namespace ?? '',
  labels: spec.template.metadata?.labels ?? {},
  from: 'template',
  template: spec.template,
  service: service.metadata,
});

/** The Pod of a workload that no Service selects. */
export const foreseenOf = ({
  metadata,
  spec,
}: {
  readonly metadata: Workload['metadata'];
  readonly spec: Pick<Workload['spec'], 'template'>;
}): ForeseenPod => ({
  namespace: metadata.namespace ?? '',
  labels: spec.template.metadata?.labels ?? {},
  from: 'template',
  template: spec.template,
});

/** The Pod that a Service selects, if its workload was not read. */
export const foreseenByService = (service: Service): ForeseenPod => ({
  namespace: service.metadata.namespace ?? '',
  labels: service.spec.selector ?? {},
  from: 'selector',
  service: service.metadata,
});

/** A request that a new Pod needs to serve its Service. */
export interface PathRequest {
  readonly step:
    | 'pod'
    | 'binding'
    | 'token'
    | 'status'
    | 'endpoints'
    | 'leader-election'
    | 'heartbeat'
    | 'scale';
  /** `always`: no new Pod can serve without it. `from-zero`: needed to scale up. */
  readonly needed: 'always' | 'from-zero';
  readonly request: AdmissionRequest;
}

const core = (over: Partial<AdmissionRequest> & Pick<AdmissionRequest, 'operation' | 'resource'>) => ({
  group: '',
  version: 'v1',
  ...over,
});
const apps = (over: Partial<AdmissionRequest> & Pick<AdmissionRequest, 'operation' | 'resource'>) => ({
  group: 'apps',
  version: 'v1',
  ...over,
});
const lease = (namespace: string, user: RequestUser): AdmissionRequest => ({
  operation: 'UPDATE',
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespace,
  user,
});

/** Label keys of which neither the presence nor the value can be predicted. */
const unknownKeys = ({ labels, from }: ForeseenPod, callout?: AdmissionCallout): readonly string[] =>
  (from === 'template' ? addedByControllers : selectorKeys(callout?.objectSelector ?? {})).filter(
    (key) => !Object.hasOwn(labels, key),
  );

/** The creation of the Pod itself, by its controller: the first request that must pass. */
export const podCreation = (pod: ForeseenPod, callout?: AdmissionCallout): PathRequest => ({
  step: 'pod',
  needed: 'always',
  request: core({
    operation: 'CREATE',
    resource: 'pods',
    kind: 'Pod',
    namespace: pod.namespace,
    labels: pod.labels,
    unknownLabels: unknownKeys(pod, callout),
    moreLabels: pod.from === 'selector',
    ...(pod.template && { objectPart: pod.template }),
    // Any user may create a Pod that is known only by the selector of its Service.
    ...(pod.from === 'template' && { oneOf: controllers }),
  }),
});

const endpointsOf = (service: Service['metadata'], namespace: string): PathRequest => ({
  step: 'endpoints',
  needed: 'always',
  request: {
    operation: 'UPDATE',
    group: 'discovery.k8s.io',
    version: 'v1',
    resource: 'endpointslices',
    kind: 'EndpointSlice',
    namespace,
    oneOf: controllers,
    labels: {
      ...service.labels,
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': service.name,
    },
  },
});

/** The writes of the scheduler and the kubelet that start a Pod. */
function startRequests(pod: ForeseenPod, callout?: AdmissionCallout): readonly PathRequest[] {
  const { namespace, labels } = pod;
  const always = (step: PathRequest['step'], request: Parameters<typeof core>[0]): PathRequest => ({
    ...{ step, needed: 'always', request: core({ namespace, ...request }) },
  });
  return [
    always('binding', {
      operation: 'CREATE',
      resource: 'pods',
      subresource: 'binding',
      kind: 'Binding',
      user: scheduler,
    }),
    always('token', {
      operation: 'CREATE',
      resource: 'serviceaccounts',
      subresource: 'token',
      kind: 'TokenRequest',
      user: kubelet,
    }),
    always('status', {
      operation: 'UPDATE',
      resource: 'pods',
      subresource: 'status',
      kind: 'Pod',
      labels,
      unknownLabels: unknownKeys(pod, callout),
      moreLabels: pod.from === 'selector',
      user: kubelet,
    }),
  ];
}

/** The Leases without which components stop to work. */
const leaseRequests: readonly PathRequest[] = [
  {
    step: 'leader-election',
    needed: 'always',
    request: lease('kube-system', scheduler),
  },
  { step: 'heartbeat', needed: 'always', request: lease('kube-node-lease', kubelet) },
];

/** The writes that scale a Deployment up. */
const scaleRequests = (pod: ForeseenPod, callout?: AdmissionCallout): readonly PathRequest[] => [
  {
    step: 'scale',
    needed: 'from-zero',
    request: apps({
      operation: 'UPDATE',
      resource: 'deployments',
      subresource: 'scale',
      kind: 'Scale',
      namespace: pod.namespace,
    }),
  },
  {
    step: 'scale',
    needed: 'from-zero',
    request: apps({
      operation: 'UPDATE',
      resource: 'replicasets',
      kind: 'ReplicaSet',
      namespace: pod.namespace,
      labels: pod.labels,
      unknownLabels: unknownKeys(pod, callout),
      oneOf: controllers,
    }),
  },
];

/**
 * Every write of the control plane and the kubelet until a new Pod serves its Service, in their order.
 * Admission applies to all of them: no namespace and none of these resources is exempt.
 *
 * @param callout the webhook that is called for them: only the labels that it selects by can be unknown.
 */
export const pathRequests = (pod: ForeseenPod, callout?: AdmissionCallout): readonly PathRequest[] => [
  podCreation(pod, callout),
  ...startRequests(pod, callout),
  ...(pod.service === undefined ? [] : [endpointsOf(pod.service, pod.namespace)]),
  ...leaseRequests,
  ...scaleRequests(pod, callout),
];

/** `UPDATE pods/status`: a short text for a request. */
export const requestText = ({ operation, resource, subresource }: AdmissionRequest): string =>
  `${operation} ${subresource ? `${resource}/${subresource}` : resource}`;
