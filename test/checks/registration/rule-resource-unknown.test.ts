import { ruleResourceUnknown } from '../../../src/checks/registration/rule-resource-unknown.ts';
import type { RuleWithOperations } from '../../../src/facts/callout.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { served } from './served.ts';

const rule = (apiGroups: string, apiVersions: string, resources: string): RuleWithOperations => ({
  operations: ['*'],
  apiGroups: apiGroups.split(','),
  apiVersions: apiVersions.split(','),
  resources: resources.split(','),
  scope: '*',
});
const withRules = (...rules: readonly RuleWithOperations[]) => ({
  callouts: [webhook({ rules })],
  served: served(),
});

describeCheck(ruleResourceUnknown, {
  reports: [
    {
      name: 'a scope that the resource does not have',
      facts: withRules({ ...rule('', 'v1', 'namespaces'), scope: 'Namespaced' }),
      expect: {
        messageId: 'scope',
        data: { entries: 'namespaces', scope: 'Namespaced', actual: 'cluster-scoped' },
      },
    },
    {
      name: 'an operation that the resource does not have',
      facts: withRules({ ...rule('', 'v1', 'pods'), operations: ['CONNECT'] }),
      expect: { messageId: 'operation', data: { entries: 'pods', operations: 'CONNECT' } },
    },
    {
      name: 'a Kind in the place of the resource',
      facts: withRules(rule('', 'v1', 'Pod')),
      expect: { messageId: 'kind', data: { entry: 'Pod', served: 'pods' } },
    },
    {
      name: 'a singular',
      facts: withRules(rule('apps', '*', 'deployment')),
      expect: { messageId: 'singular', data: { entry: 'deployment', served: 'deployments' } },
    },
    {
      name: 'capitals',
      facts: withRules(rule('', 'v1', 'Pods')),
      expect: { messageId: 'misspelt', data: { entry: 'Pods', served: 'pods' } },
    },
    {
      name: 'a wrong letter',
      facts: withRules(rule('networking.k8s.io', 'v1', 'ingreses')),
      expect: { messageId: 'misspelt', data: { entry: 'ingreses', served: 'ingresses' } },
    },
    {
      name: 'a version in the place of the core group',
      facts: withRules(rule('v1', '*', 'pods')),
      expect: { messageId: 'otherGroup', data: { entry: 'pods', groups: 'v1', served: '"" (core)' } },
    },
    {
      name: 'a singular in a group that does not exist',
      facts: withRules(rule('core', 'v1', 'pod')),
      expect: {
        messageId: 'otherGroup',
        data: { entry: 'pod (pods)', groups: 'core', served: '"" (core)' },
      },
    },
    {
      name: 'an extension of Kubernetes that is not installed, whose resource a product has, too',
      facts: withRules(rule('policy.networking.k8s.io', 'v1alpha1', 'widgets')),
      expect: { messageId: 'groupNotServed', data: { groups: 'policy.networking.k8s.io' } },
    },
    {
      name: 'the group that a resource has left long ago',
      facts: withRules(rule('extensions', '*', 'ingresses')),
      expect: {
        messageId: 'otherGroup',
        data: { entry: 'ingresses', groups: 'extensions', served: 'networking.k8s.io' },
      },
    },
    {
      name: 'the group of the CRD with another last label',
      facts: withRules(rule('example.dev', 'v1', 'widgets')),
      expect: {
        messageId: 'otherGroup',
        data: { entry: 'widgets', groups: 'example.dev', served: 'example.com' },
      },
    },
    {
      name: 'the group of another product, whose resource has the same name',
      facts: withRules(rule('rules.example.com', 'v1', 'widgets')),
      expect: { messageId: 'groupNotServed' },
    },
    {
      name: 'a group that is served and does not have it',
      facts: withRules(rule('batch,apps', 'v1', 'pods')),
      expect: {
        messageId: 'otherGroup',
        data: { entry: 'pods', groups: 'batch or apps', served: '"" (core)' },
      },
    },
    {
      name: 'a version that is not served any more',
      facts: withRules(rule('batch', 'v1beta1', 'cronjobs')),
      expect: { messageId: 'otherVersion', data: { entry: 'cronjobs', versions: 'v1beta1', served: 'v1' } },
    },
    {
      name: 'that the rule names all resources of a version that is not served',
      facts: withRules(rule('example.com', 'v1alpha1', '*')),
      expect: { messageId: 'otherVersion', data: { entry: '*', versions: 'v1alpha1', served: 'v1' } },
    },
    {
      name: 'a subresource that the resource does not have',
      facts: withRules(rule('', 'v1', 'pods/execute')),
      expect: { messageId: 'subresource', data: { entry: 'pods/execute' } },
    },
    {
      name: 'a resource that its group does not have',
      facts: withRules(rule('example.com', 'v1', 'gears')),
      expect: { messageId: 'notServed', data: { entry: 'gears', groups: 'example.com' } },
    },
    {
      name: 'a resource that a group of Kubernetes no longer has',
      facts: withRules(rule('', '*', 'componentstatusses')),
      expect: {
        messageId: 'notServedByKubernetes',
        data: { entry: 'componentstatusses', groups: '"" (core)' },
      },
    },
    {
      name: 'resources that no group has, together',
      facts: withRules(rule('*', '*', 'pods,virtualmachines'), rule('*', '*', 'gears')),
      expect: { messageId: 'nowhere', data: { entry: 'virtualmachines and gears' } },
    },
    {
      name: 'groups of products that are not installed, together and not as mistakes',
      facts: withRules(rule('kubeflow.example', 'v1', 'services'), rule('ray.example', '*', '*')),
      expect: { messageId: 'groupNotServed', data: { groups: 'kubeflow.example and ray.example' } },
    },
    {
      name: 'a Kind even if other groups are unknown',
      facts: { callouts: [webhook({ rules: [rule('', 'v1', 'Pod')] })], served: served('metrics.k8s.io/v1') },
      expect: { messageId: 'kind' },
    },
  ],
  reportsNothing: [
    {
      name: 'one of several resources has the operation',
      facts: withRules({ ...rule('', 'v1', 'pods,pods/exec'), operations: ['CONNECT'] }),
    },
    {
      name: 'one of several resources has the scope',
      facts: withRules({ ...rule('', 'v1', 'namespaces,pods'), scope: 'Namespaced' }),
    },
    { name: 'all is served', facts: withRules(rule('', 'v1', 'pods'), rule('apps', 'v1', 'deployments')) },
    { name: 'everything is wanted', facts: withRules(rule('*', '*', '*/*')) },
    { name: 'every top-level resource is wanted', facts: withRules(rule('', '*', '*')) },
    { name: 'all subresources of one are wanted', facts: withRules(rule('', 'v1', 'pods/*')) },
    { name: 'one subresource of all is wanted', facts: withRules(rule('*', '*', '*/scale')) },
    { name: 'a subresource is there', facts: withRules(rule('', 'v1', 'pods/exec')) },
    {
      name: 'one group, one version of several serve the resource',
      facts: withRules(rule('extensions,networking.k8s.io', 'v1beta1,v1', 'ingresses')),
    },
    {
      name: 'another rule covers what was meant',
      facts: withRules(rule('extensions', '*', 'ingresses'), rule('networking.k8s.io', 'v1', 'ingresses')),
    },
    { name: 'the right word is beside it', facts: withRules(rule('', 'v1', 'pod,pods')) },
    { name: 'there are no rules', facts: withRules(), outcome: 'not-applicable' },
    { name: 'the callout converts', facts: { callouts: [conversion()], served: served() } },
  ],
  isUnknown: [
    {
      name: 'discovery could not list the group',
      facts: {
        callouts: [webhook({ rules: [rule('metrics.k8s.io', 'v1', 'nodes')] })],
        served: served('metrics.k8s.io/v1'),
      },
    },
    {
      name: 'discovery could not list some group, and the rule asks in all',
      facts: { callouts: [webhook({ rules: [rule('*', '*', 'gears')] })], served: served('a.example/v1') },
    },
    {
      name: 'there is no discovery',
      facts: { callouts: [webhook()], served: forbidden('discovery') },
    },
  ],
});
