import { orphanedConfiguration } from '../../../src/checks/routing/orphaned-configuration.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  aggregatedApi,
  conversion,
  lists,
  namespace,
  objects,
  port,
  service,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const helm = {
  name: 'policy',
  annotations: { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' },
};
const left = (over: Partial<AdmissionCallout>, facts: Partial<Facts> = {}): Partial<Facts> => ({
  callouts: [webhook(over)],
  namespaces: objects(namespace('shop'), namespace('infra')),
  ...facts,
});
const leaving = { metadata: { name: 'shop', deletionTimestamp: '2025-12-31T23:00:00Z' } };
const other = workload({
  metadata: { name: 'web' },
  spec: { template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } } },
});

/** Namespace shop is terminating, because discovery of this group fails. */
const undiscovered = (group: string): Partial<Facts> => ({
  namespaces: objects({
    ...leaving,
    status: {
      phase: 'Terminating',
      conditions: [
        {
          type: 'NamespaceDeletionDiscoveryFailure',
          status: 'True',
          message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${group}/v1beta1: stale GroupVersion discovery: ${group}/v1beta1`,
        },
      ],
    },
  }),
});

/** A webhook of another configuration, with its Service. */
const again = (name: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({
    configuration: 'again',
    webhook: name,
    client: { service: { namespace: 'infra', name: 'new', port: 443 } },
    ...over,
  });
const newService = objects(service({}, { name: 'new', namespace: 'infra' }));

const infra = service({}, { name: 'policy', namespace: 'infra' });
const elsewhere = webhook({
  metadata: helm,
  webhook: 'other.example.com',
  client: { service: { namespace: 'infra', name: 'policy', port: 443 } },
});

const labelled = (version: string, name = 'acme', creationTimestamp = '2025-12-01T00:00:00Z') => ({
  name: 'policy',
  creationTimestamp,
  labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/version': version },
});
const ofComponent = (version: string, component: string) => ({
  name: 'policy',
  labels: { ...labelled(version).labels, 'app.kubernetes.io/component': component },
});
/** A configuration of version 1.10.0 whose Service does not exist, and one of another version, whose Service exists. */
const versions = (current: string, over: Partial<AdmissionCallout> = {}) => [
  webhook({ metadata: labelled('1.10.0') }),
  webhook({
    configuration: 'current',
    webhook: 'current.example.com',
    metadata: labelled(current),
    client: { service: { namespace: 'shop', name: 'current', port: 443 } },
    ...over,
  }),
];
const policyNow = objects(service({}, { name: 'current' }));

const ofWidgets = (resources = 'widgets', apiGroup = 'policies.example.com') => ({
  rules: [{ operations: ['CREATE'], apiGroups: [apiGroup], apiVersions: ['v1'], resources: [resources] }],
});
const ofOperation = (operation: string) => ({
  rules: ofWidgets().rules.map((one) => ({ ...one, operations: [operation] })),
});
const ofTeam = (team: string) => ({ namespaceSelector: { matchLabels: { team } } });
/** A webhook whose namespace was deleted, and one of another name for the same resources. */
const renamed = (
  over: Partial<AdmissionCallout> = {},
  ofOther: Partial<AdmissionCallout> = {},
  facts: Partial<Facts> = {},
): Partial<Facts> => ({
  callouts: [
    webhook({ ...ofWidgets(), webhook: 'vwidget.example.com', ...over }),
    again('widgets.example.com', { ...ofWidgets(), ...ofOther }),
  ],
  namespaces: objects(namespace('infra')),
  services: newService,
  ...facts,
});

/** The namespace of the conversion webhook cannot be deleted, because of this conversion. */
const unconverted = (error: string) => ({
  callouts: [conversion()],
  namespaces: objects({
    ...leaving,
    status: {
      phase: 'Terminating' as const,
      conditions: [
        {
          type: 'NamespaceDeletionContentFailure',
          status: 'True' as const,
          message: `Failed to delete all resource types, 1 remaining: conversion webhook for ${error}`,
        },
      ],
    },
  }),
});

describeCheck(orphanedConfiguration, {
  reports: [
    {
      name: 'a configuration whose resources one with other names intercepts, for a Service that exists',
      facts: renamed(),
      expect: { messageId: 'renamed', data: { namespace: 'shop', other: 'again', service: 'infra/new' } },
    },
    {
      name: 'a configuration with names of a scaffold, and a later one that intercepts more',
      facts: renamed(
        { webhook: 'vwidget.kb.io' },
        {
          rules: [...ofWidgets('gadgets').rules, ...ofWidgets().rules],
        },
      ),
      expect: { messageId: 'renamed' },
    },
    {
      name: 'a configuration whose webhook another one calls at a Service that exists',
      facts: left(
        { metadata: { name: 'policy' } },
        {
          callouts: [webhook(), again('policy.example.com')],
          services: newService,
        },
      ),
      expect: { messageId: 'replaced', data: { other: 'again', service: 'infra/new' } },
    },
    {
      name: 'a configuration of an earlier version, without the labels of an installation tool',
      facts: left({ metadata: labelled('1.10.0') }, { callouts: versions('1.11.0'), services: policyNow }),
      expect: {
        messageId: 'leftover',
        data: { version: '1.10.0', current: '1.11.0', other: 'current' },
      },
    },
    {
      name: 'a configuration of an earlier version of a component',
      facts: left(
        {},
        {
          callouts: versions('v1.11.0', { metadata: ofComponent('v1.11.0', 'quota') }).map((one, at) =>
            at === 0 ? { ...one, metadata: ofComponent('v1.9.0', 'quota') } : one,
          ),
          services: policyNow,
        },
      ),
      expect: {
        messageId: 'leftover',
        data: { version: 'v1.9.0', current: 'v1.11.0', other: 'current' },
      },
    },
    {
      name: 'a CRD that its release keeps when it is removed',
      facts: left(
        {},
        {
          callouts: [
            conversion({
              metadata: { ...helm, annotations: { ...helm.annotations, 'helm.sh/resource-policy': 'keep' } },
            }),
          ],
          workloads: lists({ shop: [other] }),
        },
      ),
      expect: { messageId: 'nothingLeft' },
    },
    {
      name: 'a release whose namespace no longer exists',
      facts: left({ metadata: helm }, { namespaces: objects(namespace('infra')) }),
      expect: {
        messageId: 'namespaceGone',
        data: { installation: 'Helm release shop/acme', namespace: 'shop' },
      },
    },
    {
      name: 'a release that was installed again in another namespace',
      facts: left(
        { metadata: helm },
        {
          callouts: [
            webhook({ metadata: helm }),
            webhook({
              configuration: 'again',
              client: { service: { namespace: 'infra', name: 'policy', port: 443 } },
            }),
          ],
          services: objects(service({}, { name: 'policy', namespace: 'infra' })),
        },
      ),
      expect: { messageId: 'nothingLeft' },
    },
    {
      name: 'a release of which no workload is left',
      facts: left({ metadata: helm }),
      expect: {
        messageId: 'nothingLeft',
        data: { installation: 'Helm release shop/acme', namespace: 'shop' },
      },
    },
    {
      name: 'a release whose configuration was created a minute ago: Helm creates workloads before',
      facts: left({ metadata: { ...helm, creationTimestamp: '2025-12-31T23:59:00Z' } }),
      expect: { messageId: 'nothingLeft' },
    },
    {
      name: 'a CRD that was created a minute ago, by a release whose namespace does not exist',
      facts: {
        callouts: [conversion({ metadata: { ...helm, creationTimestamp: '2025-12-31T23:59:00Z' } })],
        namespaces: objects(namespace('infra')),
      },
      expect: { messageId: 'namespaceGone' },
    },
    {
      name: 'a product known by the name of its webhook, beside the workloads of others',
      facts: left({ webhook: 'validate.kyverno.svc' }, { workloads: lists({ shop: [other] }) }),
      expect: { messageId: 'nothingLeft', data: { installation: 'Kyverno', namespace: 'shop' } },
    },
    {
      name: 'a product whose configuration only a ClusterRole owns, which restores nothing',
      facts: left({
        webhook: 'validate.kyverno.svc-fail',
        metadata: {
          name: 'kyverno',
          ownerReferences: [
            { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'kyverno', uid: '1' },
          ],
        },
      }),
      expect: { messageId: 'nothingLeft', data: { installation: 'Kyverno', namespace: 'shop' } },
    },
    {
      name: 'a CRD whose release had another namespace, which does not exist either',
      facts: {
        callouts: [
          conversion({
            metadata: {
              ...helm,
              annotations: { ...helm.annotations, 'meta.helm.sh/release-namespace': 'acme' },
            },
          }),
        ],
      },
      expect: {
        messageId: 'namespaceGone',
        data: { installation: 'Helm release acme/acme', namespace: 'shop' },
      },
    },
    {
      name: 'a configuration without any mark, whose namespace is being deleted',
      facts: left({}, { namespaces: objects(leaving) }),
      expect: {
        messageId: 'namespaceLeaving',
        data: {
          object: 'ValidatingWebhookConfiguration policy',
          namespace: 'shop',
          since: '2025-12-31T23:00:00Z',
        },
      },
    },
    {
      name: 'an APIService for whose discovery the deletion of that namespace waits',
      facts: { ...left({}), callouts: [aggregatedApi()], ...undiscovered('metrics.example.com') },
      expect: {
        messageId: 'discoveryWaits',
        data: {
          object: 'APIService v1beta1.metrics.example.com',
          namespace: 'shop',
          since: '2025-12-31T23:00:00Z',
        },
      },
    },
    ...[
      { callouts: [aggregatedApi()], ...undiscovered('other.example.com') },
      undiscovered('metrics.example.com'),
    ].map((facts) => ({
      name: 'that the deletion of that namespace waits for the discovery of another API',
      facts: left({}, facts),
      expect: { messageId: 'namespaceStuck' as const },
    })),
    ...['Widget', 'WidgetList'].map((kind) => ({
      name: `that a ${kind} of the CRD cannot be converted for the deletion of that namespace`,
      facts: left({}, unconverted(`example.com/v1, Kind=${kind} failed`)),
      expect: {
        messageId: 'conversionWaits' as const,
        data: {
          object: 'CustomResourceDefinition widgets.example.com',
          namespace: 'shop',
          since: '2025-12-31T23:00:00Z',
          detail: `Failed to delete all resource types, 1 remaining: conversion webhook for example.com/v1, Kind=${kind} failed`,
        },
      },
    })),
    ...['acme.io/v1, Kind=Widget', 'example.com/v1, Kind=Gadget'].map((what) => ({
      name: `that objects of another CRD cannot be converted for that deletion (${what})`,
      facts: left({}, unconverted(`${what} failed: Post "https://gadget.other.svc:443/convert?timeout=30s"`)),
      expect: { messageId: 'namespaceStuck' as const },
    })),
    {
      name: 'what remains in that namespace, according to its conditions',
      facts: left(
        {},
        {
          namespaces: objects({
            ...leaving,
            status: {
              phase: 'Terminating',
              conditions: [
                {
                  type: 'NamespaceDeletionDiscoveryFailure',
                  status: 'False',
                  message: 'All resources successfully discovered',
                },
                {
                  type: 'NamespaceContentRemaining',
                  status: 'True',
                  message: 'Some resources are remaining: configmaps. has 1 resource instances',
                },
                {
                  type: 'NamespaceFinalizersRemaining',
                  status: 'True',
                  message:
                    'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
                },
              ],
            },
          }),
        },
      ),
      expect: {
        messageId: 'namespaceStuck',
        data: {
          object: 'ValidatingWebhookConfiguration policy',
          namespace: 'shop',
          since: '2025-12-31T23:00:00Z',
          detail:
            'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a release of CRDs only, which its removal would delete',
      facts: left({}, { callouts: [conversion({ metadata: helm })], workloads: lists({ shop: [other] }) }),
      outcome: 'pass',
    },
    ...(
      [
        ['validates, and this one mutates', { kind: 'mutating', webhook: 'mwidget.kb.io' }, {}],
        ['is for creations, and this one for deletions', ofOperation('DELETE'), ofOperation('CREATE')],
        ['is for fewer operations', ofOperation('*'), ofOperation('CREATE')],
        ['is of another team', ofTeam('a'), ofTeam('b')],
      ] as const
    ).map(([name, own, ofOther]) => ({
      name: `the other webhook for these resources ${name}`,
      facts: renamed(own, ofOther),
      outcome: 'pass' as const,
    })),
    {
      name: 'the other webhook for these resources is a policy of a team',
      facts: renamed({}, { webhook: 'widgets.policies.acme.test' }),
      outcome: 'pass',
    },
    {
      name: 'this webhook is a policy of a team for resources of a product',
      facts: renamed({ webhook: 'widgets.policies.acme.test' }),
      outcome: 'pass',
    },
    {
      name: 'the namespace exists, and the other webhook is of another component of the product',
      facts: renamed({}, {}, { namespaces: objects(namespace('shop'), namespace('infra')) }),
      outcome: 'pass',
    },
    {
      name: 'the other webhook intercepts other resources of the product',
      facts: renamed({}, ofWidgets('gadgets')),
      outcome: 'pass',
    },
    {
      name: 'this webhook intercepts Pods as well',
      facts: renamed({ rules: [...ofWidgets().rules, ...ofWidgets('pods', '').rules] }),
      outcome: 'pass',
    },
    {
      name: 'the other configuration is older',
      facts: renamed(
        { metadata: { name: 'policy', creationTimestamp: '2025-12-01T00:00:00Z' } },
        { metadata: { name: 'again', creationTimestamp: '2025-11-01T00:00:00Z' } },
      ),
      outcome: 'pass',
    },
    {
      name: 'the Service of the other webhook is missing as well',
      facts: renamed({}, {}, { services: objects() }),
      outcome: 'pass',
    },
    {
      name: 'a Service is missing, and all configurations of the product are of one version',
      facts: left({}, { callouts: versions('1.10.0'), services: policyNow }),
      outcome: 'pass',
    },
    {
      name: 'a Service is missing, and the other version is of another product',
      facts: left(
        {},
        { callouts: versions('1.11.0', { metadata: labelled('1.11.0', 'web') }), services: policyNow },
      ),
      outcome: 'pass',
    },
    {
      name: 'a Service is missing, and the other version is in another namespace',
      facts: left(
        {},
        {
          callouts: versions('1.11.0', {
            client: { service: { namespace: 'infra', name: 'current', port: 443 } },
          }),
          services: objects(service({}, { name: 'current', namespace: 'infra' })),
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'a Service is missing, and another component of the product has a later version',
      facts: left(
        {},
        {
          callouts: versions('2.0.0', { metadata: ofComponent('2.0.0', 'ingress') }).map((one, at) =>
            at === 0 ? { ...one, metadata: ofComponent('1.9.0', 'quota') } : one,
          ),
          services: policyNow,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'an upgrade has created this configuration, and will create its Service',
      facts: left(
        {},
        {
          callouts: versions('1.10.0').map((one, at) =>
            at === 0 ? { ...one, metadata: labelled('1.11.0', 'acme', '2025-12-31T23:59:40Z') } : one,
          ),
          services: policyNow,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'an upgrade has changed this configuration, and will create its Service',
      facts: left({}, { callouts: versions('1.9.0'), services: policyNow }),
      outcome: 'pass',
    },
    {
      name: 'the configuration of a later version is older: this one was added by hand',
      facts: left(
        {},
        {
          callouts: versions('1.11.0', {
            metadata: labelled('1.11.0', 'acme', '2025-11-01T00:00:00Z'),
          }),
          services: policyNow,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'both configurations were created a moment ago',
      facts: left(
        {},
        {
          callouts: versions('1.11.0').map((one, at) => ({
            ...one,
            metadata: labelled(at === 0 ? '1.10.0' : '1.11.0', 'acme', '2025-12-31T23:59:40Z'),
          })),
          services: policyNow,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'a Service is missing, and that of the other version, too',
      facts: left({}, { callouts: versions('1.11.0') }),
      outcome: 'pass',
    },
    {
      name: 'other webhooks of the product call a Service of that name in another namespace, on another port',
      facts: left(
        {},
        {
          callouts: [
            conversion({ metadata: helm }),
            webhook({ client: { service: { namespace: 'infra', name: 'policy', port: 8443 } } }),
          ],
          services: objects(
            service({ ports: [port({ port: 8443 })] }, { name: 'policy', namespace: 'infra' }),
          ),
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the object of a known product was created a minute ago: the rest of its installation may follow',
      facts: left({
        webhook: 'validate.kyverno.svc',
        metadata: { name: 'kyverno', creationTimestamp: '2025-12-31T23:59:00Z' },
      }),
      outcome: 'pass',
    },
    {
      name: 'Helm created the CRD a minute ago: workloads follow',
      facts: {
        callouts: [conversion({ metadata: { ...helm, creationTimestamp: '2025-12-31T23:59:00Z' } })],
        namespaces: objects(namespace('shop')),
      },
      outcome: 'pass',
    },
    {
      name: 'the other configuration has a webhook of another name',
      facts: left({}, { callouts: [webhook(), again('other.example.com')], services: newService }),
      outcome: 'pass',
    },
    {
      name: 'the other one has the name of a scaffolding, and intercepts a resource of all clusters',
      facts: left(
        {},
        {
          callouts: [webhook({ webhook: 'mpod.kb.io' }), again('mpod.kb.io')],
          services: newService,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the webhook of the same name intercepts other resources',
      facts: left(
        {},
        {
          callouts: [
            webhook(),
            again('policy.example.com', {
              rules: [
                {
                  operations: ['CREATE'],
                  apiGroups: ['example.com'],
                  apiVersions: ['v1'],
                  resources: ['a'],
                  scope: '*',
                },
              ],
            }),
          ],
          services: newService,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the other one selects other namespaces: a revision or a tenant of its own',
      facts: left(
        {},
        {
          callouts: [
            webhook(),
            again('policy.example.com', { namespaceSelector: { matchLabels: { tenant: 'b' } } }),
          ],
          services: newService,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the other one is older',
      facts: left(
        {},
        {
          callouts: [
            webhook({ metadata: { name: 'policy', creationTimestamp: '2025-12-02T00:00:00Z' } }),
            again('policy.example.com', {
              metadata: { name: 'again', creationTimestamp: '2025-12-01T00:00:00Z' },
            }),
          ],
          services: newService,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'the Service of the other one does not exist either',
      facts: left({}, { callouts: [webhook(), again('policy.example.com')] }),
      outcome: 'pass',
    },
    {
      name: 'the product runs in another namespace, and this configuration names the wrong one',
      facts: left(
        { metadata: helm },
        { services: objects(service({}, { name: 'policy', namespace: 'infra' })) },
      ),
      outcome: 'pass',
    },
    {
      name: 'another webhook of the same configuration calls this Service in another namespace',
      facts: left(
        { metadata: helm },
        { callouts: [webhook({ metadata: helm }), elsewhere], services: objects(infra) },
      ),
      outcome: 'pass',
    },
    {
      name: 'a CRD, which all installations share, names the namespace of an earlier one',
      facts: left(
        { metadata: helm },
        { callouts: [conversion({ metadata: helm }), elsewhere], services: objects(infra) },
      ),
      outcome: 'pass',
    },
    {
      name: 'its namespace is being deleted, and a Flux Kustomization restores the configuration',
      facts: left(
        { metadata: { name: 'policy', labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } } },
        { namespaces: objects(leaving) },
      ),
      outcome: 'pass',
    },
    {
      name: 'the Service is there',
      facts: left({ metadata: helm }, { services: objects(service()) }),
      outcome: 'not-applicable',
    },
    { name: 'nothing shows an installation: it may be made by hand', facts: left({}), outcome: 'pass' },
    {
      name: 'a workload of the release is left',
      facts: left(
        { metadata: helm },
        { workloads: lists({ shop: [workload({ metadata: { name: 'acme-controller' } })] }) },
      ),
    },
    {
      name: 'a workload is left that the missing Service may have belonged to',
      facts: left({ webhook: 'validate.kyverno.svc' }, { workloads: lists({ shop: [workload()] }) }),
    },
    {
      name: 'the release still works from another namespace',
      facts: left(
        {
          metadata: {
            ...helm,
            annotations: { ...helm.annotations, 'meta.helm.sh/release-namespace': 'infra' },
          },
        },
        { workloads: lists({ infra: [workload({ metadata: { name: 'acme' } })] }) },
      ),
    },
    {
      name: 'a GitOps controller keeps it and may bring the rest back',
      facts: left({ metadata: { ...helm, labels: { 'argocd.argoproj.io/instance': 'acme' } } }),
    },
    {
      name: 'an object of the cluster owns it',
      facts: left({
        metadata: {
          ...helm,
          ownerReferences: [{ apiVersion: 'acme.example/v1', kind: 'Acme', name: 'main', uid: '1' }],
        },
      }),
    },
    {
      name: 'Services may not be read',
      facts: left({ metadata: helm }, { services: forbidden('services') }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'workloads may not be read',
      facts: left({ metadata: helm }, { workloads: forbidden('deployments') }),
    },
    {
      name: 'namespaces may not be read',
      facts: left({ metadata: helm }, { namespaces: forbidden('namespaces') }),
    },
  ],
});
