import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { trusting } from './certificates.ts';
import { failedCreate, type IncidentState, log, pods, withBundle } from './parts.ts';

/** A webhook that kube-apiserver calls through itself: its path is one of an aggregated API. */
const throughApiServer = (name: string, path: string, over: object = {}) =>
  webhook(name, { service: 'default/kubernetes', path, caBundle: '', ...over });

const noReply =
  'failing or missing response from https://10.8.1.17:6443/apis/admission.certmanager.k8s.io/v1beta1: Get "https://10.8.1.17:6443/apis/admission.certmanager.k8s.io/v1beta1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)';

/** What a webhook needs before its first call, and webhooks that are called through the API server itself. */
export const startsAndOwnApis: readonly IncidentState[] = [
  {
    slug: 'certificate-job-needs-its-webhook',
    what: 'The caBundle is a placeholder, and the webhook matches the Pod of the Job that writes it.',
    parts: [
      ...withBundle(
        installation('kubeflow/katib-controller', {
          deployment: { replicas: 1 },
          mutating: { name: 'mutator.pod.katib.kubeflow.org', rules: pods },
        }),
        'Cg==',
      ),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'kubeflow',
          name: 'katib-cert-generator',
          uid: 'job-uid-7',
          creationTimestamp: ago('1h'),
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'cert-generator', image: 'kubeflowkatib/cert-generator:v0.14.0' }],
            },
          },
        },
        status: {},
      } as never,
      failedCreate(
        { kind: 'Job', namespace: 'kubeflow', name: 'katib-cert-generator', uid: 'job-uid-7' },
        'Error creating: Internal error occurred: failed calling webhook "mutator.pod.katib.kubeflow.org": could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
      ),
    ],
  },
  {
    slug: 'configuration-not-written-at-start',
    what: 'The process could not connect to the API server when it started. It serves a new certificate, and the configuration has the CA of the former one.',
    parts: trusting(
      'of-another-authority',
      installation('hwameistor/hwameistor-admission-controller', {
        deployment: { replicas: 1 },
        mutating: { name: 'admission-controller.hwameistor.svc', rules: pods },
      }),
    ),
    logs: log(
      'hwameistor/hwameistor-admission-controller',
      'time="2022-09-29T07:15:57Z" level=error msg="Failed to init manager" error="Get \\"https://100.64.0.1:443/api?timeout=32s\\": dial tcp 100.64.0.1:443: i/o timeout"\ntime="2022-09-29T07:16:29Z" level=error msg="failed to create admission config" error="Get \\"https://100.64.0.1:443/api/v1/namespaces/hwameistor\\": dial tcp 100.64.0.1:443: i/o timeout"\n2022/09/29 07:17:14 http: TLS handshake error from 100.117.33.128:38494: remote error: tls: bad certificate',
    ),
  },
  {
    slug: 'certificate-file-denied',
    what: 'The process runs as a user that may not write the folder of its certificate, and exits.',
    parts: installation('cass-operator/cassandradatacenter-webhook-service', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"info","ts":1588752585.0189726,"logger":"cmd","msg":"TLS secret for webhook updated"}\n{"level":"error","ts":1588752585.019057,"logger":"cmd","msg":"Failed to update certificates","error":"open /tmp/k8s-webhook-server/tls.crt: permission denied"}\n{"level":"error","ts":1588752585.0191653,"logger":"cmd","msg":"Failed to ensure webhook CA configuration","error":"open /tmp/k8s-webhook-server/tls.crt: permission denied"}',
          ),
        ],
      },
      validating: {
        name: 'cassandradatacenter-webhook.cassandra.datastax.com',
        rules: [rule('cassandra.datastax.com/v1beta1', 'cassandradatacenters')],
      },
    }),
  },
  {
    slug: 'policy-engine-overloaded',
    what: 'A policy engine matches updates of nodes, and responds later than its timeout.',
    parts: installation('gatekeeper-system/gatekeeper-webhook-service', {
      deployment: { replicas: 3, pods: [running({ delay: 4000 })] },
      validating: {
        name: 'validation.gatekeeper.sh',
        timeoutSeconds: 3,
        failurePolicy: 'Ignore',
        rules: [rule('*/*', '*')],
      },
    }),
  },
  {
    slug: 'manager-pods-blocked-by-own-webhook',
    what: 'A webhook for all Pods refuses those of its own controller, and those of a Job of somebody else.',
    parts: [
      namespace('jobset-system'),
      service('jobset-system/jobset-webhook-service', { selector: { app: 'jobset-controller-manager' } }),
      deployment('jobset-system/jobset-controller-manager', {
        replicas: 1,
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://jobset-webhook-service.jobset-system.svc:443/mutate--v1-pod?timeout=10s": no endpoints available for service "jobset-webhook-service"',
      }),
      mutating('jobset-mutating-webhook-configuration', [
        webhook('mjobset.kb.io', {
          service: 'jobset-system/jobset-webhook-service',
          rules: [rule('jobset.x-k8s.io/v1alpha2', 'jobsets')],
        }),
        webhook('mpod.kb.io', { service: 'jobset-system/jobset-webhook-service', rules: pods }),
      ]),
    ],
  },
  {
    slug: 'webhook-of-an-aggregated-api-behind-firewall',
    what: 'The webhook is called through an aggregated API, to whose Pods a firewall drops packets.',
    parts: [
      namespace('cert-manager'),
      node('gke-private-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
      service('cert-manager/cert-manager-webhook', { ports: [{ port: 443, targetPort: 6443 }] }),
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 1,
        container: { ports: [{ containerPort: 6443 }] },
        pods: [running({ network: 'drops' })],
      }),
      apiService('v1beta1.admission.certmanager.k8s.io', 'cert-manager/cert-manager-webhook', {
        reason: 'FailedDiscoveryCheck',
        message: noReply,
      }),
      validating('cert-manager-webhook', [
        throughApiServer(
          'clusterissuers.admission.certmanager.k8s.io',
          '/apis/admission.certmanager.k8s.io/v1beta1/clusterissuers',
          { rules: [rule('certmanager.k8s.io/v1alpha1', 'clusterissuers')] },
        ),
      ]),
    ],
  },
  {
    slug: 'deleted-namespace-of-an-aggregated-api',
    what: 'The namespace of an extension API server is deleted. Its APIServices and the webhooks that are called through them remain.',
    parts: [
      {
        ...namespace('kubedb'),
        metadata: { name: 'kubedb', deletionTimestamp: ago('20m') },
        status: {
          phase: 'Terminating',
          conditions: [
            {
              type: 'NamespaceDeletionDiscoveryFailure',
              status: 'True',
              reason: 'DiscoveryFailed',
              message:
                'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: mutators.kubedb.com/v1alpha1: the server is currently unable to handle the request, validators.kubedb.com/v1alpha1: the server is currently unable to handle the request',
            },
          ],
        },
      } as never,
      ...['mutators', 'validators'].map((group) =>
        apiService(`v1alpha1.${group}.kubedb.com`, 'kubedb/kubedb-webhook-server', {
          reason: 'ServiceNotFound',
          message: 'service/kubedb-webhook-server in "kubedb" is not present',
        }),
      ),
      mutating('mutators.kubedb.com', [
        throughApiServer('mutators.kubedb.com', '/apis/mutators.kubedb.com/v1alpha1/mongodbwebhooks', {
          rules: [rule('kubedb.com/v1alpha2', 'mongodbs')],
        }),
      ]),
    ],
  },
];
