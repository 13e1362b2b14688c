import type { AdmissionCallout } from '../../facts/callout.ts';
import { selectorKeys } from '../../facts/label-selector.ts';
import type { Labels } from '../../facts/objects/metadata.ts';
import type { PodTemplate } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { AdmissionRequest, RequestUser } from '../admission/admission-request.ts';

/** Labels that controllers add to a Pod when they make it, with values of their own. */
const addedByControllers = [
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
];

/** As every scheduler with the default configuration is known. */
export const scheduler: RequestUser = { username: 'system:kube-scheduler', groups: ['system:authenticated'] };
/** Any node will do: by its group, or by the beginning of its name, conditions know it (plugin/pkg/auth/authorizer/node). */
export const kubelet: RequestUser = {
  username: 'system:node:node',
  groups: ['system:nodes', 'system:authenticated'],
};
const named = (username: string): RequestUser => ({ username, groups: ['system:authenticated'] });
/** Those of the controllers that make Pods and EndpointSlices: each as its ServiceAccount, or all as one (kube-controller-manager --use-service-account-credentials). */
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
  /** `template`: these labels, and those that controllers add. `selector`: these labels, and unknown others. */
  readonly from: 'template' | 'selector';
  /** The controller that creates it; absent if not read. */
  readonly template?: PodTemplate;
  /** The Service that it is to serve; absent: none leads to it. */
  readonly service?: Service['metadata'];
}

/** The Pod that a workload makes for a Service. */
export const foreseenByWorkload = ({ spec }: Workload, service: Service): ForeseenPod => ({
  namespace: service.metadata.namespace ?? '',
  labels: spec.template.metadata?.labels ?? {},
  from: 'template',
  template: spec.template,
  service: service.metadata,
});

/** A Pod that a workload makes, and to which no Service leads. */
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

/** One request without which a Pod does not come to serve, or does so unseen. */
export interface PathRequest {
  readonly step:
    | 'pod'
    | 'binding'
    | 'token'
    | 'status'
    | 'endpoints'
    | 'leader-election'
    | 'heartbeat'
    | 'scale'
    | 'telling';
  /** The controller that creates it, for messages. */
  readonly by: string;
  /** `always`: no new Pod serves without it. `from-zero`: only where replicas are raised. `to-tell`: nobody hears of it. */
  readonly needed: 'always' | 'from-zero' | 'to-tell';
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

/** The keys of which nobody knows whether, or with which value, the Pod will have them. */
const unknownKeys = ({ labels, from }: ForeseenPod, callout?: AdmissionCallout): readonly string[] =>
  (from === 'template' ? addedByControllers : selectorKeys(callout?.objectSelector ?? {})).filter(
    (key) => !Object.hasOwn(labels, key),
  );

/** The creation of the Pod itself, by its controller: the first request that must pass. */
export const podCreation = (pod: ForeseenPod, callout?: AdmissionCallout): PathRequest => ({
  step: 'pod',
  by: 'its controller',
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
    // A Pod that only a Service looks for may be anybody's.
    ...(pod.from === 'template' && { oneOf: controllers }),
  }),
});

const endpointsOf = (service: Service['metadata'], namespace: string): PathRequest => ({
  step: 'endpoints',
  by: 'the endpoint slice controller',
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

/**
 * Every write with which the control plane and the kubelet bring a new Pod to serve its Service, in their order. All of
 * them pass admission: no namespace and none of these resources is exempt. `callout` is the webhook that is asked; of
 * the Pod's labels those are unknown that only it looks at.
 */
export function pathRequests(pod: ForeseenPod, callout?: AdmissionCallout): readonly PathRequest[] {
  const { namespace, labels, service } = pod;
  const unknownLabels = unknownKeys(pod, callout);
  const moreLabels = pod.from === 'selector';
  const status = { namespace, labels, unknownLabels, moreLabels, kind: 'Pod' };
  return [
    podCreation(pod, callout),
    {
      step: 'binding',
      by: 'the scheduler',
      needed: 'always',
      request: core({
        operation: 'CREATE',
        resource: 'pods',
        subresource: 'binding',
        kind: 'Binding',
        namespace,
        user: scheduler,
      }),
    },
    {
      step: 'token',
      by: 'the kubelet',
      needed: 'always',
      request: core({
        operation: 'CREATE',
        resource: 'serviceaccounts',
        subresource: 'token',
        kind: 'TokenRequest',
        namespace,
        user: kubelet,
      }),
    },
    {
      step: 'status',
      by: 'the kubelet',
      needed: 'always',
      request: core({
        operation: 'UPDATE',
        resource: 'pods',
        subresource: 'status',
        ...status,
        user: kubelet,
      }),
    },
    ...(service === undefined ? [] : [endpointsOf(service, namespace)]),
    {
      step: 'leader-election',
      by: 'the scheduler and the controller manager',
      needed: 'always',
      request: lease('kube-system', scheduler),
    },
    { step: 'heartbeat', by: 'the kubelets', needed: 'always', request: lease('kube-node-lease', kubelet) },
    {
      step: 'scale',
      by: 'the client that scales it up',
      needed: 'from-zero',
      request: apps({
        operation: 'UPDATE',
        resource: 'deployments',
        subresource: 'scale',
        kind: 'Scale',
        namespace,
      }),
    },
    {
      step: 'scale',
      by: 'the Deployment controller',
      needed: 'from-zero',
      request: apps({
        operation: 'UPDATE',
        resource: 'replicasets',
        kind: 'ReplicaSet',
        namespace,
        labels,
        unknownLabels,
        oneOf: controllers,
      }),
    },
    {
      step: 'telling',
      by: 'the controllers and the kubelet',
      needed: 'to-tell',
      request: core({ operation: 'CREATE', resource: 'events', kind: 'Event', namespace }),
    },
    ...['deployments', 'replicasets'].map(
      (resource): PathRequest => ({
        step: 'telling',
        by: 'the Deployment and ReplicaSet controllers',
        needed: 'to-tell',
        request: apps({ operation: 'UPDATE', resource, subresource: 'status', namespace }),
      }),
    ),
  ];
}

/** `UPDATE pods/status`: a request in a word or two. */
export const requestText = ({ operation, resource, subresource }: AdmissionRequest): string =>
  `${operation} ${subresource ? `${resource}/${subresource}` : resource}`;
