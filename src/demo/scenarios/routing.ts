import { installation } from '../cluster/installation.ts';
import { namespace, selectorlessService } from '../cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../cluster/webhook-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link routing. */
export const routingScenarios: readonly Scenario[] = [
  {
    slug: 'service-missing',
    story:
      "A chart upgrade renamed the webhook's Service. The configuration still names the old Service. Every Ingress is refused, although the backend runs.",
    source: 'https://github.com/trustyai-explainability/trustyai-service-operator/pull/758',
    parts: installation('orders/order-policy', {
      validating: {
        name: 'ingresses.order-policy.example.com',
        service: 'orders/order-policy-webhook',
        rules: [rule('networking.k8s.io/v1', 'ingresses')],
      },
    }),
  },
  {
    slug: 'service-namespace-missing',
    story:
      'A user deleted the namespace of a policy engine that they had tried out. The webhook configuration is cluster-scoped and remains. Matching requests are refused.',
    source: 'https://github.com/kubeflow/kfctl/issues/404',
    parts: [
      validating('trial-policy', [webhook('policy.trial.example.com', { service: 'trial-policy/webhook' })]),
    ],
  },
  {
    slug: 'orphaned-after-uninstall',
    story:
      'A Helm release was uninstalled. Its webhook configuration had been registered at run time, or belonged to a hook, so Helm left it. No workload is left that could serve it or recreate its Service.',
    source: 'https://github.com/kai-scheduler/KAI-Scheduler/issues/751',
    parts: [
      namespace('scheduler-system'),
      mutating(
        'gang-scheduler',
        [
          webhook('jobs.gang-scheduler.example.com', {
            service: 'scheduler-system/gang-scheduler-admission',
            path: '/mutate',
            rules: [rule('batch/v1', 'jobs', 'CREATE')],
          }),
        ],
        {
          labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/name': 'gang-scheduler' },
          annotations: {
            'meta.helm.sh/release-name': 'gang-scheduler',
            'meta.helm.sh/release-namespace': 'scheduler-system',
          },
        },
      ),
    ],
  },
  {
    slug: 'service-port-missing',
    story:
      'The Service of an injector listens on 8443 only. The webhook configuration names no port, which means 443. The API server finds no such port on the Service.',
    source: 'https://github.com/microcumulus/ca-injector/pull/4',
    parts: installation('injector/ca-injector', {
      service: { ports: [{ name: 'https', port: 8443, targetPort: 8443 }] },
      mutating: { name: 'inject.ca-injector.example.com' },
    }),
  },
  {
    slug: 'service-port-not-tcp',
    story:
      'A port of a Service was declared as UDP, by a copy from a DNS server. The API server finds the port by its number and calls over TCP. kube-proxy has no rule for that; only an API server that routes to endpoints would not notice.',
    parts: installation('resolver/resolver-policy', {
      service: { ports: [{ port: 443, targetPort: 8443, protocol: 'UDP' }] },
    }),
  },
  {
    slug: 'service-headless',
    story:
      "A StatefulSet's governing Service was used as the webhook's backend. It is headless: it has no address, unless the API server connects to endpoints itself. No API shows which of the two this API server does.",
    parts: installation('database/database-operator', {
      service: { clusterIP: 'None' },
      statefulSet: {},
      validating: { name: 'databases.database-operator.example.com' },
    }),
  },
  {
    slug: 'service-external-name',
    story:
      'A team moved its admission service out of the cluster and left an ExternalName Service in its place. The API server connects to that name from its own host, or refuses such Services, by its routing mode. Certificates must still be valid for the name of the Service.',
    parts: [
      namespace('central'),
      selectorlessService('central/admission', {
        type: 'ExternalName',
        externalName: 'admission.corp.example.com',
      }),
      validating('central-admission', [
        webhook('admission.central.example.com', { service: 'central/admission' }),
      ]),
    ],
  },
  {
    slug: 'url-names-a-service',
    story:
      'A webhook was configured by URL, with the name of a Service in it. The API server uses the resolver of its own host for URLs, which does not know cluster names. The name resolves in every Pod, but not for the API server.',
    probe: 'none',
    parts: installation('mesh/sidecar-injector', {
      mutating: { name: 'inject.mesh.example.com', url: 'https://sidecar-injector.mesh.svc:443/inject' },
    }),
  },
  {
    slug: 'url-on-loopback',
    story:
      "A cloud provider's controller serves a webhook on every control plane node. Its configuration names 127.0.0.1. That works if every control plane node runs the server, and no object shows it.",
    parts: [
      mutating('volume-labels', [
        webhook('labels.cloud.example.com', { url: 'https://127.0.0.1:9001/label', failurePolicy: 'Ignore' }),
      ]),
    ],
  },
  {
    slug: 'internal-traffic-policy-local',
    story:
      "The Service of a webhook has internalTrafficPolicy Local. kube-proxy then uses endpoints on the caller's own node only. The caller is the API server, and its replicas run on workers.",
    parts: installation('audit/audit-policy', { service: { internalTrafficPolicy: 'Local' } }),
  },
  {
    slug: 'path-trailing-slash',
    story:
      'The configured path ends in a slash. The API server removes the slash. A Go program that registered the path with the slash redirects, and the POST becomes a GET.',
    parts: installation('quota-guard/guard', {
      validating: {
        configuration: 'quota-guard',
        name: 'quota-guard.example.com',
        path: '/validate/',
      },
    }),
  },
  {
    slug: 'conversion-service-in-other-namespace',
    story:
      'The namespace of the conversion webhook is hard-coded in the CRD as kube-system. The operator was installed somewhere else. Reading the resource in any version but the stored one fails.',
    source: 'https://github.com/aws/karpenter-provider-aws/issues/6818',
    parts: installation('node-autoscaler/node-autoscaler', {
      serves: customResource('nodepools.autoscaler.example.com', 'NodePool', {
        service: 'kube-system/node-autoscaler',
      }),
    }),
  },
  {
    slug: 'apiservice-service-missing',
    story:
      'A metrics adapter was deleted, but not its APIService. The API server reports it in the condition of the APIService. Discovery fails, and with it the deletion of namespaces.',
    source: 'https://github.com/scality/metalk8s/issues/1624',
    parts: [
      namespace('metrics'),
      apiService('v1beta1.custom.metrics.example.com', 'metrics/adapter', {
        reason: 'ServiceNotFound',
        message: 'service/adapter in "metrics" is not present',
      }),
    ],
  },
];
