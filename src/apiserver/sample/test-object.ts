import type { Labels } from '../../facts/objects/label-selector.ts';
import { groupResourceOf, groupVersionOf } from '../../facts/resource.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';

/** The name of every test object. No object with this name is ever stored. */
export const testObjectName = 'kubectl-webhook-probe';

/** The kind and namespace of a test object. */
export interface TestObjectSpec extends Pick<AdmissionRequest, 'group' | 'version' | 'resource' | 'kind'> {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly labels: Labels;
}

type Body = Readonly<Record<string, unknown>>;

const own = { 'app.kubernetes.io/name': testObjectName };

/**
 * The defaults that the API server sets before it calls webhooks (kubernetes pkg/apis/{core,apps,batch}/v1/defaults.go).
 * Programs read them unchecked: Kueue's panics without `parallelism`. The image cannot be pulled, so that the Pod could
 * never run.
 */
const podSpec = {
  containers: [
    {
      name: 'probe',
      image: 'kubectl-webhook.invalid/probe:none',
      imagePullPolicy: 'IfNotPresent',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    },
  ],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};
const onceSpec = { ...podSpec, restartPolicy: 'Never' };
const template = { metadata: { labels: own }, spec: podSpec };
const replicated = { replicas: 0, selector: { matchLabels: own }, template };
const job = {
  suspend: true,
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  template: { metadata: { labels: own }, spec: onceSpec },
};

/** The fields besides metadata that make a test object valid, by `resource.group`. */
const bodies: Readonly<Record<string, Body>> = {
  configmaps: { data: {} },
  secrets: { type: 'Opaque', data: {} },
  serviceaccounts: { automountServiceAccountToken: false },
  services: {
    spec: {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ports: [{ name: 'probe', port: 443, protocol: 'TCP', targetPort: 443 }],
      selector: own,
    },
  },
  // The admission plugin ServiceAccount runs before webhooks.
  pods: { spec: { ...podSpec, serviceAccountName: 'default' } },
  namespaces: { spec: {} },
  persistentvolumeclaims: {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Mi' } },
      volumeMode: 'Filesystem',
    },
  },
  'deployments.apps': {
    spec: {
      ...replicated,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
  },
  'statefulsets.apps': {
    spec: {
      ...replicated,
      serviceName: testObjectName,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
    },
  },
  'replicasets.apps': { spec: replicated },
  'daemonsets.apps': {
    spec: {
      selector: { matchLabels: own },
      template: { ...template, spec: { ...podSpec, nodeSelector: { [testObjectName]: 'nowhere' } } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    },
  },
  'jobs.batch': { spec: job },
  'cronjobs.batch': {
    spec: {
      schedule: '0 0 1 1 *',
      suspend: true,
      concurrencyPolicy: 'Allow',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: job },
    },
  },
  'roles.rbac.authorization.k8s.io': { rules: [] },
  'clusterroles.rbac.authorization.k8s.io': { rules: [] },
  'networkpolicies.networking.k8s.io': { spec: { podSelector: { matchLabels: own } } },
  'ingresses.networking.k8s.io': {
    spec: {
      rules: [
        {
          host: 'kubectl-webhook.invalid',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: testObjectName, port: { number: 443 } } },
              },
            ],
          },
        },
      ],
    },
  },
  'poddisruptionbudgets.policy': { spec: { maxUnavailable: 1, selector: { matchLabels: own } } },
};

/** Resources with a valid test object, the simplest first: `configmaps`, `deployments.apps`. */
export const knownResources: readonly string[] = Object.keys(bodies);

/** True if the API accepts the test object of a resource. */
export const isValid = (what: Pick<TestObjectSpec, 'group' | 'resource'>): boolean =>
  Object.hasOwn(bodies, groupResourceOf(what));

/** Builds a test object; for an unknown resource, one with an empty spec. */
export function buildTestObject(what: TestObjectSpec): Body {
  const { kind, namespace, labels } = what;
  return {
    apiVersion: groupVersionOf(what),
    kind,
    metadata: {
      name: testObjectName,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
    ...(bodies[groupResourceOf(what)] ?? { spec: {} }),
  };
}
