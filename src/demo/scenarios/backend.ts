import { ago } from '../cluster/ago.ts';
import { crashing, leaving, ready, running, starting } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import { endpointSlice, namespace, selectorlessService } from '../cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  rule,
  validating,
  webhook,
} from '../cluster/webhook-manifests.ts';
import { deployment, scaledBy } from '../cluster/workload-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link backend. */
export const backendScenarios: readonly Scenario[] = [
  {
    slug: 'selector-matches-no-pod',
    story:
      'The labels of the Pods were changed to the recommended ones. The Service still selects the old label. All Pods are Ready, but the Service has no endpoints.',
    source: 'https://github.com/kubernetes-sigs/node-readiness-controller/issues/276',
    parts: installation('billing/billing-policy', {
      service: { selector: { app: 'billing-policy', role: 'webhook' } },
      deployment: { labels: { role: 'admission' } },
    }),
  },
  {
    slug: 'workload-missing',
    story:
      'The Deployment of a webhook was deleted to stop it. Its Service and webhook configuration remain. Now every matching request is refused.',
    parts: installation('naming/naming-policy', { withoutWorkload: true }),
  },
  {
    slug: 'scaled-to-zero-by-a-person',
    story:
      'A user scaled the backend to zero during a migration. The webhook fails closed. The migration cannot create any object.',
    parts: installation('migration/migration-guard', {
      deployment: { replicas: 0, metadata: { managedFields: scaledBy('kubectl', ago('35m')) } },
    }),
  },
  {
    slug: 'scaled-to-zero-by-an-autoscaler',
    story:
      'An autoscaler scales idle workloads to zero. It sees no traffic of a webhook, which therefore counts as idle. No Pod can respond to the next request.',
    parts: installation('batch/batch-defaults', {
      deployment: { replicas: 0, metadata: { managedFields: scaledBy('keda', ago('3h')) } },
      mutating: { rules: [rule('batch/v1', 'jobs', 'CREATE')] },
    }),
  },
  {
    slug: 'quota-exhausted',
    story:
      'The namespace of a webhook has a ResourceQuota of zero Pods. The Deployment cannot create its Pods. There is no Pod to look at: only the condition and the Events of the ReplicaSet show it.',
    parts: [
      ...installation('tenants/tenant-policy'),
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { namespace: 'tenants', name: 'frozen' },
        spec: { hard: { pods: '0' } },
      },
    ],
  },
  {
    slug: 'pod-security-forbids-pods',
    story:
      'The namespace of a webhook was labelled to enforce the restricted Pod Security level. Running Pods continued until their node was drained. Their replacements are refused.',
    parts: installation('hardened/image-policy', {
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      validating: {
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: exceptNamespaces('hardened', 'kube-system'),
      },
    }),
  },
  {
    slug: 'service-account-missing',
    story:
      'A clean-up deleted ServiceAccounts that looked unused. One of them belonged to a webhook whose Pods were being replaced. No Pod can be created without it.',
    parts: installation('certificates/certificate-policy', {
      deployment: { spec: { serviceAccountName: 'certificate-policy' } },
    }),
  },
  {
    slug: 'own-pods-blocked',
    story:
      'A webhook that fails closed matches the Pods of its own namespace. The only node with its replicas failed. The new Pods must be admitted by the webhook that they serve.',
    source: 'https://github.com/kubernetes-sigs/jobset/issues/357',
    parts: installation('jobs/job-webhook', {
      deployment: {
        refused:
          'Internal error occurred: failed calling webhook "pods.job-webhook.example.com": failed to call webhook: Post "https://job-webhook.jobs.svc:443/validate?timeout=5s": dial tcp 203.0.113.104:443: connect: connection refused',
      },
      validating: {
        name: 'pods.job-webhook.example.com',
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: exceptNamespaces('kube-system'),
      },
    }),
  },
  {
    slug: 'wrong-port-name',
    story:
      "The Service's targetPort is a name. The container's port was renamed in a refactoring. Ready Pods are not in the EndpointSlice of that port.",
    source: 'https://github.com/banzaicloud/koperator/pull/896',
    parts: installation('secrets-sync/secrets-sync', {
      service: { ports: [{ port: 443, targetPort: 'webhook' }] },
      deployment: { container: { ports: [{ name: 'https-webhook', containerPort: 8443 }] } },
    }),
  },
  {
    slug: 'selector-covers-agents',
    story:
      'The Service selects by a label that the whole product shares. Agents of the product have it too, and serve nothing on the webhook port. A share of the calls is refused.',
    parts: [
      ...installation('observability/telemetry', {
        service: { selector: { product: 'telemetry' } },
        deployment: { labels: { product: 'telemetry' } },
        mutating: { name: 'inject.telemetry.example.com' },
      }),
      deployment('observability/telemetry-agent', {
        labels: { product: 'telemetry' },
        container: {
          name: 'agent',
          image: 'registry.example.com/agent:2.0.0',
          ports: [{ containerPort: 4317 }],
          readinessProbe: { tcpSocket: { port: 4317 } },
        },
      }),
    ],
  },
  {
    slug: 'unready-addresses-published',
    story:
      'The Service publishes addresses of Pods that are not ready, so that members of a cluster find each other. The webhook uses the same Service. Pods that crash receive requests, too.',
    parts: installation('storage/storage-operator', {
      service: { publishNotReadyAddresses: true },
      deployment: { pods: [ready, crashing(2, 'panic: no leader elected\n')] },
      validating: { name: 'volumes.storage-operator.example.com' },
    }),
  },
  {
    slug: 'endpoint-of-no-pod',
    story:
      'An EndpointSlice was written by hand, with the address of a Pod. The Pod was replaced and has another address now. No controller updates the slice.',
    parts: [
      namespace('legacy'),
      selectorlessService('legacy/admission'),
      {
        ...endpointSlice('legacy/admission', 'admission-manual', []),
        endpoints: [
          {
            addresses: ['198.51.100.250'],
            targetRef: { kind: 'Pod', namespace: 'legacy', name: 'admission-0' },
          },
        ],
      },
      validating('legacy-admission', [
        webhook('legacy-admission.example.com', { service: 'legacy/admission' }),
      ]),
    ],
  },
  {
    slug: 'endpoints-by-hand-forgotten',
    story:
      'A Service without selector gets its endpoints from a script. The script did not run in this cluster. The Service exists, but has no endpoints.',
    parts: [
      namespace('edge'),
      selectorlessService('edge/gateway-admission'),
      validating('gateway-admission', [
        webhook('gateway-admission.example.com', { service: 'edge/gateway-admission' }),
      ]),
    ],
  },
  {
    slug: 'conversion-backend-gone',
    story:
      'The operator that converts a resource was scaled down over the weekend. Its CRD still names it for conversion. Controllers that list the resource in another version stop, those of the control plane among them.',
    source: 'https://github.com/kubernetes/kubernetes/issues/98071',
    parts: installation('hierarchy/hierarchy-controller', {
      deployment: { replicas: 0 },
      serves: customResource('subnamespaces.hierarchy.example.com', 'Subnamespace', {
        service: 'hierarchy/hierarchy-controller',
      }),
    }),
  },
  {
    slug: 'apiservice-without-endpoints',
    story:
      'The metrics server cannot start on any node. Its APIService is not Available. kubectl top fails, and every client that uses discovery reports errors.',
    source: 'https://github.com/k3s-io/k3s/issues/5946',
    parts: installation('resource-metrics/metrics-server', {
      deployment: { replicas: 1, spec: { nodeSelector: { pool: 'system' } } },
      serves: apiService('v1beta1.metrics.example.com', 'resource-metrics/metrics-server', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/metrics-server in "resource-metrics" have no addresses with port name "https"',
      }),
    }),
  },
  {
    slug: 'only-terminating-endpoints',
    story:
      'A Deployment was deleted while its webhook was still in use. Its Pods are in their grace period, and still respond. kube-proxy continues to use them as long as it exists; an API server that routes to endpoints does not.',
    parts: installation('leaving/farewell', {
      deployment: { replicas: 2, previous: [leaving, leaving], pods: [starting] },
    }),
  },
  {
    slug: 'target-port-closed',
    story:
      'The webhook server moved to another port. The Service still uses the old one. Its endpoints look healthy, because the port is not checked.',
    parts: installation('moved-port/port-policy', {
      service: { ports: [{ port: 443, targetPort: 9443 }] },
      deployment: { pods: [running({})] },
    }),
  },
];
