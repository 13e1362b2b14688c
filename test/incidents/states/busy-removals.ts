import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, outOfMemory, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { at, failedCreate, type IncidentState, log, mount, pods, to } from './parts.ts';

/** A namespace that is being deleted, with the reason for which that does not end. */
const terminating = (name: string, type: string, message: string): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, deletionTimestamp: ago('40m') },
    spec: { finalizers: ['kubernetes'] },
    status: {
      phase: 'Terminating',
      conditions: [
        { type, status: 'True', reason: 'DiscoveryFailed', message, lastTransitionTime: ago('40m') },
      ],
    },
  }) as never;

/** Removals, refused Pods and ports, in clusters with other products. */
export const busyRemovals: readonly IncidentState[] = [
  {
    slug: 'tap-api-of-removed-extension',
    what: 'An extension was removed, and its APIService was not. Meshed workloads cannot be deleted.',
    parts: inBusyCluster('linkerd', [
      namespace('linkerd'),
      service('linkerd/linkerd-proxy-injector'),
      deployment('linkerd/linkerd-proxy-injector', { replicas: 1 }),
      ...besides('linkerd', 'linkerd-destination', 'linkerd-identity'),
      mutating('linkerd-proxy-injector-webhook-config', [
        webhook('linkerd-proxy-injector.linkerd.io', {
          service: 'linkerd/linkerd-proxy-injector',
          path: '/',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
      apiService('v1alpha1.tap.linkerd.io', 'linkerd/tap', {
        reason: 'ServiceNotFound',
        message: 'service/tap in "linkerd" is not present',
      }),
      terminating(
        'shop-preview',
        'NamespaceDeletionDiscoveryFailure',
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: tap.linkerd.io/v1alpha1: the server is currently unable to handle the request',
      ),
    ]),
  },
  {
    slug: 'feature-turned-off',
    what: 'A value of the chart turned one engine off. Its configuration, which the program made, remains.',
    parts: inBusyCluster('openebs', [
      namespace('openebs'),
      ...besides('openebs', 'openebs-localpv-provisioner', 'openebs-ndm-operator'),
      validating('openebs-cstor-validation-webhook', [
        webhook('admission-webhook.cstor.openebs.io', {
          service: 'openebs/openebs-cstor-admission-server',
          rules: [
            rule('cstor.openebs.io/v1', 'cstorpoolclusters', 'CREATE', 'UPDATE', 'DELETE'),
            rule('v1', 'persistentvolumeclaims', 'CREATE', 'DELETE'),
          ],
        }),
      ]),
    ]),
  },
  {
    slug: 'both-replicas-rebooted',
    what: 'A reboot of a node ended both replicas at once. The webhook must admit all Pods, also its own.',
    parts: inBusyCluster('kube-system', [
      service('kube-system/policy-validator'),
      deployment('kube-system/policy-validator', {
        replicas: 2,
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy-validator.kube-system.svc:443/validate?timeout=10s": no endpoints available for service "policy-validator"',
      }),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'kube-system', name: 'policy-validator' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'policy-validator' } } },
        status: { disruptionsAllowed: 0 },
      } as never,
      validating('policy-validator', [
        webhook('policy.example.com', {
          service: 'kube-system/policy-validator',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods')],
        }),
      ]),
    ]),
  },
  {
    slug: 'mesh-with-critical-priority',
    what: 'All components of the mesh have a critical priority, which the platform allows in its own namespace only.',
    parts: inBusyCluster('osm-system', [
      namespace('osm-system'),
      service('osm-system/osm-injector', { ports: [{ port: 9090, targetPort: 9090 }] }),
      service('osm-system/osm-bootstrap', { ports: [{ port: 9443, targetPort: 9443 }] }),
      ...['osm-injector', 'osm-bootstrap', 'osm-controller'].map((name) =>
        deployment(`osm-system/${name}`, {
          replicas: 1,
          spec: { priorityClassName: 'system-cluster-critical' } as never,
          pods: [],
          refused:
            'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]',
        }),
      ),
      mutating('osm-webhook-osm', [
        webhook('osm-inject.k8s.io', {
          service: 'osm-system/osm-injector',
          port: 9090,
          path: '/mutate-pod-creation',
          rules: pods,
          namespaceSelector: { matchLabels: { 'openservicemesh.io/monitored-by': 'osm' } },
        }),
      ]),
      customResource('meshconfigs.config.openservicemesh.io', 'MeshConfig', {
        service: 'osm-system/osm-bootstrap',
        port: 9443,
        path: '/convert/meshconfig',
      }),
    ]),
  },
  {
    slug: 'runner-controller-on-overlay',
    what: 'cert-manager runs on the host network, as its guide demands for this network plugin. The runner controller does not.',
    parts: inBusyCluster('tools', [
      namespace('tools'),
      service('tools/actions-runner-controller-webhook', {
        selector: { app: 'actions-runner-controller' },
        ...to(9443),
      }),
      deployment('tools/actions-runner-controller', {
        replicas: 1,
        ...at(9443),
        pods: [running({ network: 'not-allowed' })],
      }),
      mutating('actions-runner-controller-mutating-webhook-configuration', [
        webhook('mutate.runner.actions.summerwind.dev', {
          service: 'tools/actions-runner-controller-webhook',
          timeoutSeconds: 10,
          rules: [rule('actions.summerwind.dev/v1alpha1', 'runners')],
        }),
      ]),
    ]),
  },
  {
    slug: 'annotated-before-operator',
    what: 'An application with the annotation for a sidecar was deployed before the operator. Its Pod has no sidecar.',
    parts: inBusyCluster('opentelemetry', [
      namespace('opentelemetry'),
      namespace('shop'),
      service('opentelemetry/opentelemetry-operator-webhook', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('opentelemetry/opentelemetry-operator', { replicas: 1, ...at(9443) }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'shop',
          name: 'cart-7d4c-abcde',
          uid: 'uid-of-cart',
          creationTimestamp: ago('5h'),
          labels: { app: 'cart' },
          annotations: { 'sidecar.opentelemetry.io/inject': 'true' },
          managedFields: [
            {
              manager: 'kube-controller-manager',
              operation: 'Update',
              time: ago('5h'),
              fieldsV1: {
                'f:metadata': {
                  'f:annotations': { 'f:sidecar.opentelemetry.io/inject': {} },
                  'f:labels': { 'f:app': {} },
                },
                'f:spec': {
                  'f:containers': {
                    'k:{"name":"cart"}': {
                      'f:image': {},
                      'f:imagePullPolicy': {},
                      'f:name': {},
                      'f:resources': {},
                      'f:terminationMessagePath': {},
                      'f:terminationMessagePolicy': {},
                    },
                  },
                  'f:dnsPolicy': {},
                  'f:restartPolicy': {},
                  'f:schedulerName': {},
                  'f:securityContext': {},
                  'f:terminationGracePeriodSeconds': {},
                },
              },
            },
          ],
        },
        spec: { nodeName: 'worker-1', containers: [{ name: 'cart', image: 'cart:v1' }] },
        status: {
          phase: 'Running',
          podIP: '198.51.100.91',
          containerStatuses: [
            {
              name: 'cart',
              image: 'cart:v1',
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: ago('5h') } },
            },
          ],
        },
      } as never,
      mutating(
        'opentelemetry-operator-mutation',
        [
          webhook('mpod.kb.io', {
            service: 'opentelemetry/opentelemetry-operator-webhook',
            path: '/mutate-v1-pod',
            failurePolicy: 'Ignore',
            rules: pods,
          }),
        ],
        { creationTimestamp: ago('4h') },
      ),
    ]),
  },
  {
    slug: 'subresource-api-left',
    what: 'The objects of the product were deleted with its operator, which would have removed its APIServices.',
    parts: inBusyCluster('shop', [
      apiService('v1alpha3.subresources.kubevirt.io', 'kubevirt/virt-api', {
        reason: 'ServiceNotFound',
        message: 'service/virt-api in "kubevirt" is not present',
      }),
      apiService('v1.subresources.kubevirt.io', 'kubevirt/virt-api', {
        reason: 'ServiceNotFound',
        message: 'service/virt-api in "kubevirt" is not present',
      }),
    ]),
  },
  {
    slug: 'authority-of-each-rendering',
    what: 'The chart makes a CA at each rendering. Secret and configuration have the new one, and the process serves a certificate of the former.',
    parts: inBusyCluster('newrelic', [
      namespace('newrelic'),
      service('newrelic/k8s-agents-operator-webhook-service', {
        selector: { app: 'k8s-agents-operator' },
        ...to(9443),
      }),
      deployment('newrelic/k8s-agents-operator', {
        replicas: 1,
        ...mount('k8s-agents-operator-controller-manager-service-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [running({ certificate: 'of-another-authority' })],
      }),
      servingSecretManifest(
        'newrelic/k8s-agents-operator-controller-manager-service-cert',
        'newrelic/k8s-agents-operator-webhook-service',
      ),
      mutating('k8s-agents-operator-mutation', [
        webhook('instrumentation.newrelic.com', {
          service: 'newrelic/k8s-agents-operator-webhook-service',
          path: '/mutate-v1-pod',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
        webhook('minstrumentation.kb.io', {
          service: 'newrelic/k8s-agents-operator-webhook-service',
          rules: [rule('newrelic.com/v1beta2', 'instrumentations')],
        }),
      ]),
    ]),
    logs: log(
      'newrelic/k8s-agents-operator',
      'http: TLS handshake error from 172.24.76.230:33540: remote error: tls: bad certificate',
    ),
  },
  {
    slug: 'adapter-namespace-terminating',
    what: 'The namespace of the adapter was deleted. Its deletion needs the APIs whose backend it contained.',
    parts: inBusyCluster('shop', [
      terminating(
        'monitoring',
        'NamespaceDeletionDiscoveryFailure',
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: custom.metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
      ),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter', {
        reason: 'ServiceNotFound',
        message: 'service/prometheus-adapter in "monitoring" is not present',
      }),
    ]),
  },
  {
    slug: 'certificate-job-as-fixed-user',
    what: 'The Job that creates the certificate has a fixed user id, which the platform does not allow.',
    parts: inBusyCluster('kong-system', [
      namespace('kong-system'),
      service('kong-system/gateway-operator-validating-webhook', {
        selector: { app: 'gateway-operator-controller-manager' },
        ...to(9443),
      }),
      deployment('kong-system/gateway-operator-controller-manager', {
        replicas: 1,
        ...mount('gateway-operator-webhook-certs', { ports: [{ containerPort: 9443 }] }),
      }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'kong-system',
          name: 'gateway-operator-admission',
          uid: 'uid-of-admission',
          creationTimestamp: ago('1h'),
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'OnFailure',
              containers: [
                {
                  name: 'create',
                  image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.4.0',
                  args: [
                    'create',
                    '--host=gateway-operator-validating-webhook,gateway-operator-validating-webhook.kong-system.svc',
                    '--namespace=kong-system',
                    '--secret-name=gateway-operator-webhook-certs',
                  ],
                  securityContext: { runAsUser: 2000 },
                },
              ],
            },
          },
        },
        status: {},
      } as never,
      failedCreate(
        {
          kind: 'Job',
          namespace: 'kong-system',
          name: 'gateway-operator-admission',
          uid: 'uid-of-admission',
        },
        'Error creating: pods "gateway-operator-admission-" is forbidden: unable to validate against any security context constraint: [spec.containers[0].securityContext.securityContext.runAsUser: Invalid value: 2000: must be in the ranges: [1000620000, 1000629999]]',
      ),
      validating('gateway-operator-validation.konghq.com', [
        webhook('validations.konghq.com', {
          service: 'kong-system/gateway-operator-validating-webhook',
          caBundle: '',
          rules: [rule('gateway-operator.konghq.com/v1beta1', 'dataplanes,controlplanes')],
        }),
      ]),
    ]),
  },
  {
    slug: 'injector-without-probes',
    what: 'The injector was OOMKilled after some hours, and is again after each restart. It has no probes.',
    parts: inBusyCluster('baas-consul', [
      namespace('baas-consul'),
      service('baas-consul/consul-connect-injector-svc', {
        selector: { app: 'consul-connect-injector-webhook-deployment' },
        ...to(8080),
      }),
      deployment('baas-consul/consul-connect-injector-webhook-deployment', {
        replicas: 1,
        container: {
          name: 'sidecar-injector',
          ports: [{ containerPort: 8080 }],
          resources: { limits: { memory: '50Mi' }, requests: { memory: '50Mi' } } as never,
        },
        pods: [outOfMemory],
      }),
      ...besides('baas-consul', 'consul-controller'),
      mutating('consul-connect-injector-cfg', [
        webhook('consul-connect-injector.consul.hashicorp.com', {
          service: 'baas-consul/consul-connect-injector-svc',
          path: '/mutate',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'health-port-on-host',
    what: 'The webhook runs on the host network. Another program of the nodes has the port of its health server.',
    parts: inBusyCluster('external-secrets', [
      namespace('external-secrets'),
      service('external-secrets/external-secrets-webhook', to(10260)),
      deployment('external-secrets/external-secrets-webhook', {
        replicas: 1,
        container: {
          args: [
            'webhook',
            '--port=10260',
            '--dns-name=external-secrets-webhook.external-secrets.svc',
            '--cert-dir=/tmp/certs',
            '--check-interval=5m',
            '--healthz-addr=:8081',
          ],
          ports: [{ containerPort: 10260 }],
        },
        spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } as never,
        pods: [
          crashing(
            1,
            '{"level":"error","ts":1664700000.1,"logger":"setup","msg":"unable to start manager","error":"error listening on :8081: listen tcp :8081: bind: address already in use"}',
          ),
        ],
      }),
      ...besides('external-secrets', 'external-secrets'),
      validating('secretstore-validate', [
        webhook('validate.secretstore.external-secrets.io', {
          service: 'external-secrets/external-secrets-webhook',
          rules: [rule('external-secrets.io/v1', 'secretstores')],
        }),
      ]),
    ]),
  },
  {
    slug: 'path-of-another-handler',
    what: 'The configuration has the path at which the program prints its rules. It responds with YAML.',
    parts: inBusyCluster('label-rules-webhook', [
      namespace('label-rules-webhook'),
      service('label-rules-webhook/labels'),
      deployment('label-rules-webhook/labels', {
        replicas: 1,
        pods: [
          running({
            answer: 'raw',
            status: 200,
            body: 'rules:\n- name: require-phone-number\n  key: phone-number\n  value:\n    regex: "[0-9]{3}-[0-9]{3}-[0-9]{4}"\n',
          }),
        ],
      }),
      validating('label-rules-webhook', [
        webhook('my.application.domain', {
          service: 'label-rules-webhook/labels',
          path: '/rules',
          rules: [rule('apps/v1', 'deployments,statefulsets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'restricted-eventing',
    what: 'The namespace was set to the restricted level. The manifests of the product do not comply.',
    parts: inBusyCluster('knative-eventing', [
      namespace('knative-eventing', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
      service('knative-eventing/eventing-webhook'),
      ...['eventing-webhook', 'eventing-controller'].map((name) =>
        deployment(`knative-eventing/${name}`, {
          replicas: 1,
          container: { name },
          pods: [],
          refused: `pods "${name}-5c6f4f6b8d-x2x4z" is forbidden: violates PodSecurity "restricted:latest": unrestricted capabilities (container "${name}" must set securityContext.capabilities.drop=["ALL"]), seccompProfile (pod or container "${name}" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
        }),
      ),
      validating('validation.webhook.eventing.knative.dev', [
        webhook('validation.webhook.eventing.knative.dev', {
          service: 'knative-eventing/eventing-webhook',
          rules: [rule('eventing.knative.dev/v1', 'brokers,triggers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'solver-api-refused',
    what: 'The API of a DNS solver has no Pod: the namespace of cert-manager is restricted, and its manifest does not comply.',
    parts: inBusyCluster('cert-manager-solvers', [
      namespace('cert-manager-solvers', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
      service('cert-manager-solvers/cert-manager-webhook-hetzner', {
        ports: [{ name: 'https', port: 443, targetPort: 443 }],
      }),
      deployment('cert-manager-solvers/cert-manager-webhook-hetzner', {
        replicas: 1,
        container: { name: 'cert-manager-webhook-hetzner', ports: [{ containerPort: 443 }] },
        pods: [],
        refused:
          'pods "cert-manager-webhook-hetzner-5c6f4f6b8d-x2x4z" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "cert-manager-webhook-hetzner" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "cert-manager-webhook-hetzner" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "cert-manager-webhook-hetzner" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "cert-manager-webhook-hetzner" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      }),
      apiService('v1alpha1.acme.example.com', 'cert-manager-solvers/cert-manager-webhook-hetzner', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/cert-manager-webhook-hetzner in "cert-manager-solvers" have no addresses with port name "https"',
      }),
    ]),
  },
];
