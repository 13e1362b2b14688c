import type { ApiObject } from '../../../src/demo/api-server/object-store.ts';
import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { lease, namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment, scaledBy } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import { annotated, at, type IncidentState, log, mount, pods, to } from './parts.ts';

const certManagerSecret = 'cert-manager/cert-manager-webhook-ca';
const injected = { 'cert-manager.io/inject-ca-from-secret': certManagerSecret };

/** The CA of cert-manager's webhook, which the CA injector may read. */
const certManagerCa: ClusterPart = {
  ...servingSecretManifest(certManagerSecret, 'cert-manager/cert-manager-webhook'),
  metadata: {
    namespace: 'cert-manager',
    name: 'cert-manager-webhook-ca',
    annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
  },
};

const certManagerImage = (name: string) => ({
  container: {
    name: `cert-manager-${name}`,
    image: `quay.io/jetstack/cert-manager-${name}:v1.0.1`,
    ports: [],
  },
});

/** cert-manager's webhook and controller; its CA injector is another part. */
const certManager: readonly ClusterPart[] = [
  namespace('cert-manager'),
  service('cert-manager/cert-manager-webhook', to(10250)),
  deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(10250) }),
  deployment('cert-manager/cert-manager', { replicas: 1, ...certManagerImage('controller') }),
  certManagerCa,
];

const injectorLease = lease('kube-system/cert-manager-cainjector-leader-election', 'cert-manager-cainjector');

const certificateWebhook = webhook('webhook.cert-manager.io', {
  service: 'cert-manager/cert-manager-webhook',
  rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
});

/** CRDs with conversion by cert-manager's webhook; the CA injector writes their CA. */
const converting = (over: { readonly caBundle?: '' } = {}): readonly ApiObject[] =>
  ['Certificate', 'Issuer'].map((kind) =>
    customResource(`${kind.toLowerCase()}s.cert-manager.io`, kind, {
      service: 'cert-manager/cert-manager-webhook',
      metadata: { annotations: injected },
      ...over,
    }),
  );

/** The CRD, whose conversion webhook trusts another CA. */
function trustingAnother(crd: ApiObject): ApiObject {
  const { authority } = servingCertificate('of-another-authority', [], new Date());
  const { conversion, ...spec } = crd.spec as { conversion: { webhook: { clientConfig: object } } };
  const { webhook: called } = conversion;
  const clientConfig = { ...called.clientConfig, caBundle: Buffer.from(authority).toString('base64') };
  return { ...crd, spec: { ...spec, conversion: { ...conversion, webhook: { ...called, clientConfig } } } };
}

/** The same object, deleted a while ago, and kept by its finalizer. */
const deleted = (one: ApiObject): ApiObject => ({
  ...one,
  metadata: {
    ...one.metadata,
    deletionTimestamp: ago('3h'),
    finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
  },
});

/** Registrations that outlive their backend, name another one, or lack its CA, in clusters with other products. */
export const busyRegistrations: readonly IncidentState[] = [
  {
    slug: 'conversions-of-removed-operator',
    what: 'The package manager removed the operator with its Service. Its CRDs keep their conversion webhook, and a new installation cannot read the stored objects.',
    parts: inBusyCluster('openshift-operators', [
      namespace('openshift-operators'),
      ...besides('openshift-operators', 'web-terminal-controller'),
      ...['DevWorkspace', 'DevWorkspaceTemplate'].map((kind) =>
        customResource(`${kind.toLowerCase()}s.workspace.devfile.io`, kind, {
          service: 'openshift-operators/devworkspace-controller-manager-service',
        }),
      ),
      {
        apiVersion: 'workspace.devfile.io/v1beta1',
        kind: 'DevWorkspace',
        metadata: { namespace: 'default', name: 'sample' },
      } as never,
    ]),
  },
  {
    slug: 'group-that-adapter-dropped',
    what: 'A release of the adapter stopped serving custom metrics. The APIService of the earlier release remains beside the one that works.',
    parts: inBusyCluster('custom-metrics', [
      namespace('custom-metrics'),
      service('custom-metrics/k8s-cloudwatch-adapter', to(6443)),
      deployment('custom-metrics/k8s-cloudwatch-adapter', {
        replicas: 1,
        ...at(6443),
        pods: [running({ api: 'external.metrics.k8s.io/v1beta1' })],
      }),
      apiService('v1beta1.external.metrics.k8s.io', 'custom-metrics/k8s-cloudwatch-adapter'),
      apiService('v1beta1.custom.metrics.k8s.io', 'custom-metrics/k8s-cloudwatch-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.40:443/apis/custom.metrics.k8s.io/v1beta1: bad status from https://203.0.113.40:443/apis/custom.metrics.k8s.io/v1beta1: 404',
      }),
    ]),
  },
  {
    slug: 'catalog-server-scaled-to-zero',
    what: 'Somebody scaled the server of an API to zero. Namespaces are deleted without its objects, or not at all.',
    parts: inBusyCluster('catalog', [
      namespace('catalog'),
      service('catalog/catalog-catalog-apiserver', {
        ports: [{ name: 'secure', port: 443, targetPort: 8443 }],
      }),
      deployment('catalog/catalog-catalog-apiserver', {
        replicas: 0,
        metadata: { managedFields: scaledBy('kubectl', ago('1h')) },
      }),
      ...besides('catalog', 'catalog-catalog-controller-manager'),
      apiService('v1beta1.servicecatalog.k8s.io', 'catalog/catalog-catalog-apiserver', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/catalog-catalog-apiserver in "catalog" have no addresses with port name "secure"',
      }),
    ]),
  },
  {
    slug: 'objects-deleted-by-hand',
    what: 'Somebody deleted what was in the namespace of the product. Its webhook configurations remain, and refuse the deletion of the other namespaces.',
    parts: inBusyCluster('cattle-system', [
      namespace('cattle-system'),
      namespace('cattle-fleet-system'),
      validating('rancher.cattle.io', [
        webhook('rancherauth.cattle.io', {
          service: 'cattle-system/rancher-webhook',
          path: '/v1/webhook/validation',
          timeoutSeconds: 10,
          rules: [
            rule('management.cattle.io/*', '*'),
            rule('v1', 'namespaces', 'CREATE', 'UPDATE', 'DELETE'),
          ],
        }),
      ]),
      mutating('rancher.cattle.io', [
        webhook('rancher.cattle.io', {
          service: 'cattle-system/rancher-webhook',
          path: '/v1/webhook/mutation',
          timeoutSeconds: 10,
          rules: [rule('v1', 'secrets', 'CREATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'hook-object-survives',
    what: 'The configuration is a hook of the chart, which Helm does not delete. The product was installed again without its webhook server.',
    parts: inBusyCluster('kube-fledged', [
      namespace('kube-fledged'),
      ...besides('kube-fledged', 'kubefledged-controller'),
      validating(
        'kubefledged-webhook-server',
        [
          webhook('validate-image-cache.kubefledged.io', {
            service: 'kube-fledged/kubefledged-webhook-server',
            path: '/validate-image-cache',
            rules: [rule('kubefledged.io/v1alpha2', 'imagecaches')],
          }),
        ],
        { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' }, creationTimestamp: ago('200d') },
      ),
    ]),
  },
  {
    slug: 'chart-renames-the-service',
    what: 'The chart prefixes the name of its Service. The conversion webhooks in its CRDs name the Service without prefix.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-kubeaddons-webhook', {
        selector: { app: 'cert-manager-kubeaddons-webhook' },
        ...to(10250),
      }),
      deployment('cert-manager/cert-manager-kubeaddons-webhook', { replicas: 1, ...at(10250) }),
      deployment('cert-manager/cert-manager-kubeaddons', { replicas: 1, ...certManagerImage('controller') }),
      customResource('certificates.cert-manager.io', 'Certificate', {
        service: 'cert-manager/cert-manager-webhook',
      }),
      customResource('issuers.cert-manager.io', 'Issuer', { service: 'cert-manager/cert-manager-webhook' }),
      validating('cert-manager-kubeaddons-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-kubeaddons-webhook',
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'port-of-former-service',
    what: 'The manifest of a release has a Service with port 8443. Its configuration names no port, so calls go to port 443.',
    parts: inBusyCluster('nrr-system', [
      namespace('nrr-system'),
      service('nrr-system/nrr-webhook-service', {
        selector: { app: 'nrr-controller-manager' },
        ports: [{ name: 'webhook', port: 8443, targetPort: 9443 }],
      }),
      service('nrr-system/nrr-metrics-service', {
        selector: { app: 'nrr-controller-manager' },
        ports: [{ name: 'https', port: 8443, targetPort: 8443 }],
      }),
      deployment('nrr-system/nrr-controller-manager', {
        replicas: 1,
        container: { ports: [{ containerPort: 9443 }, { containerPort: 8443, name: 'metrics' }] },
      }),
      validating('nrr-validating-webhook-configuration', [
        webhook('vnodereadinessrule.kb.io', {
          service: 'nrr-system/nrr-webhook-service',
          rules: [rule('readiness.node.x-k8s.io/v1alpha1', 'nodereadinessrules')],
        }),
      ]),
    ]),
  },
  {
    slug: 'renewed-in-file-only',
    what: 'A year after the installation the certificate was renewed in the Secret. The process has read it once, at its start.',
    parts: inBusyCluster('cozy-kubeovn', [
      namespace('cozy-kubeovn'),
      namespace('tenant-root', { 'tenant.cozystack.io/tenant-root': '' }),
      service('cozy-kubeovn/kube-ovn-webhook', { selector: { app: 'kube-ovn-webhook' } }),
      deployment('cozy-kubeovn/kube-ovn-webhook', {
        replicas: 1,
        ...mount('kube-ovn-webhook-tls', { ports: [{ containerPort: 8443 }] }),
        pods: [running({ certificate: 'expired' })],
      }),
      servingSecretManifest(
        'cozy-kubeovn/kube-ovn-webhook-tls',
        'cozy-kubeovn/kube-ovn-webhook',
        'trusted-renewed',
      ),
      ...besides('cozy-kubeovn', 'kube-ovn-controller', 'kube-ovn-monitor'),
      mutating('kube-ovn-webhook', [
        webhook('kube-ovn-webhook.cozystack.io', {
          service: 'cozy-kubeovn/kube-ovn-webhook',
          path: '/mutate-pods',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'tenant.cozystack.io/tenant-root', operator: 'Exists' }],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'hook-keeps-former-secret',
    what: 'The chart generates a CA at each rendering. The configurations get the new one; the Secret is a hook, which is not applied again.',
    parts: inBusyCluster('opentelemetry', [
      namespace('opentelemetry'),
      service('opentelemetry/opentelemetry-operator-webhook', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('opentelemetry/opentelemetry-operator', {
        replicas: 1,
        ...mount('opentelemetry-operator-controller-manager-service-cert', {
          ports: [{ containerPort: 9443 }],
        }),
      }),
      {
        ...servingSecretManifest(
          'opentelemetry/opentelemetry-operator-controller-manager-service-cert',
          'opentelemetry/opentelemetry-operator-webhook',
        ),
        metadata: {
          namespace: 'opentelemetry',
          name: 'opentelemetry-operator-controller-manager-service-cert',
          creationTimestamp: ago('9d'),
          annotations: {
            'helm.sh/hook': 'pre-install,pre-upgrade',
            'helm.sh/hook-delete-policy': 'before-hook-creation',
          },
        },
      },
      ...trusting('of-another-authority', [
        mutating(
          'opentelemetry-operator-mutation',
          [
            webhook('mpod.kb.io', {
              service: 'opentelemetry/opentelemetry-operator-webhook',
              path: '/mutate-v1-pod',
              failurePolicy: 'Ignore',
              timeoutSeconds: 10,
              rules: pods,
            }),
            webhook('mopentelemetrycollectorbeta.kb.io', {
              service: 'opentelemetry/opentelemetry-operator-webhook',
              timeoutSeconds: 10,
              rules: [rule('opentelemetry.io/v1beta1', 'opentelemetrycollectors')],
            }),
          ],
          {
            creationTimestamp: ago('9d'),
            managedFields: [
              {
                manager: 'argocd-controller',
                operation: 'Update',
                time: ago('5h'),
                fieldsV1: {
                  'f:webhooks': {
                    '.': {},
                    'k:{"name":"mpod.kb.io"}': { 'f:clientConfig': { 'f:caBundle': {} } },
                  },
                },
              },
            ],
          },
        ),
      ]),
    ]),
    logs: log(
      'opentelemetry/opentelemetry-operator',
      '2024-09-05T10:00:00Z\tINFO\tsetup\tStarting the OpenTelemetry Operator\n2024/09/05 10:03:12 http: TLS handshake error from 198.51.100.3:51822: remote error: tls: bad certificate',
    ),
  },
  {
    slug: 'release-resets-configuration',
    what: 'The manager completes its configurations when it starts. A new revision of the Helm release writes them as they are in the chart.',
    parts: inBusyCluster('kruise-system', [
      namespace('kruise-system', { 'control-plane': 'openkruise' }),
      service('kruise-system/kruise-webhook-service', {
        selector: { app: 'kruise-controller-manager' },
        ...to(9876),
      }),
      deployment('kruise-system/kruise-controller-manager', { ...at(9876) }),
      lease('kruise-system/kruise-manager', 'kruise-controller-manager'),
      mutating(
        'kruise-mutating-webhook-configuration',
        [
          webhook('mpod.kb.io', {
            service: 'kruise-system/kruise-webhook-service',
            path: '/mutate-pod',
            caBundle: '',
            rules: pods,
            namespaceSelector: {
              matchExpressions: [{ key: 'control-plane', operator: 'NotIn', values: ['openkruise'] }],
            },
          }),
          webhook('mcloneset.kb.io', {
            service: 'kruise-system/kruise-webhook-service',
            caBundle: '',
            rules: [rule('apps.kruise.io/v1alpha1', 'clonesets')],
          }),
        ],
        {
          creationTimestamp: ago('40d'),
          managedFields: [
            {
              manager: 'kruise-manager',
              operation: 'Update',
              time: ago('40d'),
              fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:template': {} } } },
            },
            { manager: 'helm', operation: 'Update', time: ago('30m'), fieldsV1: { 'f:webhooks': {} } },
          ],
        },
      ),
      validating('kruise-validating-webhook-configuration', [
        webhook('vcloneset.kb.io', {
          service: 'kruise-system/kruise-webhook-service',
          caBundle: '',
          rules: [rule('apps.kruise.io/v1alpha1', 'clonesets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'definitions-that-cannot-be-deleted',
    what: 'A removal of the product left its CRDs in deletion: their objects must be converted first. The webhook of the new installation has another CA.',
    parts: inBusyCluster('cert-manager', [
      ...certManager,
      deployment('cert-manager/cert-manager-cainjector', { replicas: 1, ...certManagerImage('cainjector') }),
      injectorLease,
      ...converting().map(trustingAnother).map(deleted),
      {
        apiVersion: 'cert-manager.io/v1beta1',
        kind: 'Certificate',
        metadata: { namespace: 'default', name: 'example-com' },
      } as never,
      ...annotated([validating('cert-manager-webhook', [certificateWebhook])], injected),
    ]),
  },
  {
    slug: 'injector-needs-the-conversion',
    what: 'The CRDs were applied again, without a CA. The CA injector lists Certificates first, which the API server cannot convert without the CA.',
    parts: inBusyCluster('cert-manager', [
      ...certManager,
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        ...certManagerImage('cainjector'),
        pods: [
          crashing(
            1,
            'E0904 10:08:24.509850       1 reflector.go:127] external/io_k8s_client_go/tools/cache/reflector.go:156: Failed to watch *v1.Certificate: failed to list *v1.Certificate: conversion webhook for cert-manager.io/v1alpha2, Kind=Certificate failed: Post https://cert-manager-webhook.cert-manager.svc:443/convert?timeout=30s: x509: certificate signed by unknown authority\nError: failed to wait for controller caches to sync: timed out waiting for cache to be synced',
          ),
        ],
      }),
      ...converting({ caBundle: '' }),
      {
        apiVersion: 'cert-manager.io/v1beta1',
        kind: 'Certificate',
        metadata: { namespace: 'default', name: 'example-com' },
      } as never,
      ...annotated([validating('cert-manager-webhook', [certificateWebhook])], injected),
    ]),
  },
  {
    slug: 'injector-remembers-deleted-configuration',
    what: 'The upgrade deleted a configuration and created it again. The CA injector writes to the deleted one, and its update is refused.',
    parts: inBusyCluster('cert-manager', [
      ...certManager,
      deployment('cert-manager/cert-manager-cainjector', { replicas: 1, ...certManagerImage('cainjector') }),
      injectorLease,
      customResource('certificates.cert-manager.io', 'Certificate'),
      customResource('issuers.cert-manager.io', 'Issuer'),
      ...annotated(
        [
          mutating(
            'cert-manager-webhook',
            [
              webhook('webhook.cert-manager.io', {
                service: 'cert-manager/cert-manager-webhook',
                path: '/mutate',
                caBundle: '',
                rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
              }),
            ],
            { creationTimestamp: ago('2h') },
          ),
          validating('cert-manager-webhook', [certificateWebhook]),
        ],
        injected,
      ),
    ]),
    logs: log(
      'cert-manager/cert-manager-cainjector',
      'E0907 21:35:57.881291       1 controller.go:169] cert-manager/inject-controller "msg"="unable to update target object with new CA data" "error"="Operation cannot be fulfilled on mutatingwebhookconfigurations.admissionregistration.k8s.io \\"cert-manager-webhook\\": StorageError: invalid object, Code: 4, Key: /mutatingwebhookconfigurations/cert-manager-webhook, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 4f4e2f9b-824b-4d8f-b355-c0dea4143508, UID in object meta: 9b4ae9ea-86db-428a-95ab-c9a979c2ff68" "resource_kind"="MutatingWebhookConfiguration" "resource_name"="cert-manager-webhook" "resource_namespace"="" "resource_version"="v1beta1"',
      'cert-manager-cainjector',
    ),
  },
];
