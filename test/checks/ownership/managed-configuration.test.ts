import { managedConfiguration } from '../../../src/checks/ownership/managed-configuration.ts';
import type { Metadata } from '../../../src/facts/objects/metadata.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

const keptAs = (metadata: Partial<Metadata>) => ({
  callouts: [webhook({ metadata: { name: 'policy', ...metadata } })],
});
const wrote = (manager: string, fields: object, name = 'policy.example.com') => ({
  manager,
  operation: 'Update',
  fieldsV1: { 'f:webhooks': { [`k:{"name":"${name}"}`]: fields } },
});
const caBundle = { 'f:clientConfig': { 'f:caBundle': {} } };
const helm = {
  annotations: { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' },
};

describeCheck(managedConfiguration, {
  reports: [
    {
      name: 'a Helm release',
      facts: keptAs(helm),
      expect: { messageId: 'release', data: { release: 'shop/acme' } },
    },
    {
      name: 'an Argo CD Application by its tracking id',
      facts: keptAs({
        annotations: {
          'argocd.argoproj.io/tracking-id':
            'policies:admissionregistration.k8s.io/ValidatingWebhookConfiguration:/policy',
        },
      }),
      expect: { messageId: 'kept', data: { by: 'Argo CD Application', source: 'policies' } },
    },
    {
      name: 'a Flux Kustomization with its namespace',
      facts: keptAs({
        labels: {
          'kustomize.toolkit.fluxcd.io/name': 'infra',
          'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
        },
      }),
      expect: { messageId: 'kept', data: { by: 'Flux Kustomization', source: 'flux-system/infra' } },
    },
    {
      name: 'a Flux HelmRelease, and not the release that it makes',
      facts: keptAs({
        ...helm,
        labels: { 'helm.toolkit.fluxcd.io/name': 'acme', 'helm.toolkit.fluxcd.io/namespace': 'shop' },
      }),
      expect: { messageId: 'kept', data: { by: 'Flux HelmRelease', source: 'shop/acme' } },
    },
    {
      name: 'an operator that OLM installed',
      facts: keptAs({ labels: { 'olm.owner': 'acme.v1.2.3', 'olm.owner.namespace': 'operators' } }),
      expect: { messageId: 'kept', data: { by: 'OLM for', source: 'operators/acme.v1.2.3' } },
    },
    {
      name: 'an owner',
      facts: keptAs({
        ownerReferences: [{ apiVersion: 'acme.example/v1', kind: 'Acme', name: 'main', uid: '1' }],
      }),
      expect: { messageId: 'owned', data: { owner: 'Acme main' } },
    },
    {
      name: 'an injector with its annotation',
      facts: keptAs({ annotations: { 'cert-manager.io/inject-ca-from': 'shop/policy' } }),
      expect: {
        messageId: 'writes',
        data: {
          writer: "cert-manager's cainjector",
          fields: 'caBundle',
          instruction: 'in the Certificate or Secret that the annotation names',
        },
      },
    },
    {
      name: 'a process that has written, beside the release',
      facts: keptAs({
        ...helm,
        managedFields: [
          wrote('helm', { 'f:rules': {} }),
          wrote('admissionsenforcer', { 'f:namespaceSelector': {} }),
        ],
      }),
      expect: [
        { messageId: 'release' },
        {
          messageId: 'writes',
          data: {
            writer: "AKS' admissions enforcer",
            fields: 'namespaceSelector',
            instruction: 'only if the object is annotated admissions.enforcer/disabled: "true"',
          },
        },
      ],
    },
    {
      name: 'an unknown writer',
      facts: keptAs({ managedFields: [wrote('acme-operator', { ...caBundle, 'f:failurePolicy': {} })] }),
      expect: {
        messageId: 'written',
        data: { manager: 'acme-operator', fields: 'caBundle and failurePolicy' },
      },
    },
    {
      name: 'writers of the caBundle of a conversion webhook and an APIService',
      facts: {
        callouts: [
          conversion({
            metadata: {
              name: 'widgets.example.com',
              managedFields: [
                {
                  manager: 'cert-manager-cainjector',
                  fieldsV1: { 'f:spec': { 'f:conversion': { 'f:webhook': caBundle } } },
                },
              ],
            },
          }),
          aggregatedApi({
            metadata: {
              name: 'v1beta1.metrics.example.com',
              managedFields: [{ manager: 'rotator', fieldsV1: { 'f:spec': { 'f:caBundle': {} } } }],
            },
          }),
        ],
      },
      expect: [
        { messageId: 'writes' },
        { messageId: 'written', data: { manager: 'rotator', fields: 'caBundle' } },
      ],
    },
  ],
  reportsNothing: [
    {
      name: 'a write without a field manager is not a repeated one',
      facts: keptAs({ managedFields: [wrote('unknown', caBundle)] }),
      outcome: 'pass',
    },
    { name: 'nothing says who keeps it', facts: { callouts: [webhook()] } },
    {
      name: 'an object of Kubernetes itself owns it, whose controller restores nothing',
      facts: keptAs({
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: '1', controller: true },
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            name: 'acme:webhook',
            uid: '2',
          },
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'acme', uid: '3' },
        ],
      }),
    },
    {
      name: 'a person has written it',
      facts: keptAs({ managedFields: [wrote('kubectl-client-side-apply', { ...caBundle, 'f:rules': {} })] }),
    },
    {
      name: 'another webhook of the configuration was written',
      facts: keptAs({ managedFields: [wrote('acme-operator', caBundle, 'other.example.com')] }),
    },
    {
      name: 'only metadata were written',
      facts: keptAs({ managedFields: [{ manager: 'acme-operator', fieldsV1: { 'f:metadata': {} } }] }),
    },
    {
      name: 'the label says only by which tool it was written',
      facts: keptAs({ labels: { 'app.kubernetes.io/managed-by': 'kustomize' } }),
    },
    {
      name: 'the release says no namespace, so that it was not Helm',
      facts: keptAs({ annotations: { 'meta.helm.sh/release-name': 'acme' } }),
    },
    {
      name: 'managed fields are empty',
      facts: keptAs({ managedFields: [{}, { manager: 'acme-operator' }] }),
    },
  ],
});
