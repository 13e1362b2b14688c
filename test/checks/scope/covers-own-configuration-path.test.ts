import { coversOwnConfigurationPath } from '../../../src/checks/scope/covers-own-configuration-path.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, objects, service, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { cluster, conditional, everything, leavingOut, on, only, rule } from './scopes.ts';

const covered = (requests: string) => ({
  messageId: 'covered',
  data: { requests, namespace: 'shop', webhook: 'policy.example.com' },
});
const apps = rule('*', { apiGroups: ['apps'] });
const certificates = rule('*', { apiGroups: ['cert-manager.io'] });
const injected = {
  metadata: { name: 'policy', annotations: { 'cert-manager.io/inject-ca-from': 'shop/serving' } },
};
const configured = workload({
  spec: {
    template: {
      metadata: { labels: { app: 'policy' } },
      spec: { containers: [{ name: 'webhook' }], volumes: [{ name: 'c', configMap: { name: 'policy' } }] },
    },
  },
});

describeCheck(coversOwnConfigurationPath, {
  reports: [
    {
      name: 'the Deployment and what it rolls out',
      facts: cluster([webhook({ rules: [apps] })]),
      expect: covered('updates of Deployments and new ReplicaSets'),
    },
    {
      name: 'the scale of the Deployment',
      facts: cluster([webhook({ rules: [rule('*/scale', { apiGroups: ['apps'] })] })]),
      expect: covered('updates of deployments/scale'),
    },
    {
      name: 'the kind of workload that there is',
      facts: cluster([webhook({ rules: [apps] })], {
        workloads: lists({ shop: [workload({ kind: 'DaemonSet' })] }),
      }),
      expect: covered('updates of DaemonSets'),
    },
    {
      name: 'a Deployment if workloads were not read',
      facts: cluster([webhook({ rules: [apps] })], { workloads: forbidden() }),
      expect: covered('updates of Deployments and new ReplicaSets'),
    },
    {
      name: 'the Secret with the certificate',
      facts: cluster([on('secrets')]),
      expect: covered('updates of Secrets'),
    },
    {
      name: 'a ConfigMap that its Pods read',
      facts: cluster([on('configmaps')], { workloads: lists({ shop: [configured] }) }),
      expect: covered('updates of ConfigMaps'),
    },
    {
      name: 'the Certificate behind its caBundle',
      facts: cluster([webhook({ rules: [certificates], ...injected })]),
      expect: covered('updates of Certificates and new certificaterequests'),
    },
    {
      name: 'everything',
      facts: cluster([webhook({ rules: [everything] })]),
      expect: { messageId: 'covered' },
    },
  ],
  reportsNothing: [
    { name: 'its own namespace is left out', facts: cluster([on('secrets', leavingOut('shop'))]) },
    { name: 'other namespaces are meant', facts: cluster([on('secrets', only('kube-system'))]) },
    { name: 'it fails open', facts: cluster([on('secrets', { failurePolicy: 'Ignore' })]) },
    { name: 'it covers ConfigMaps that its Pods do not read', facts: cluster([on('configmaps')]) },
    {
      name: 'it covers Certificates and its caBundle comes from elsewhere',
      facts: cluster([webhook({ rules: [certificates] })]),
    },
    {
      name: 'it covers Certificates and its caBundle comes from a Secret, as that of cert-manager itself',
      facts: cluster([
        webhook({
          rules: [certificates],
          metadata: {
            name: 'policy',
            annotations: { 'cert-manager.io/inject-ca-from-secret': 'shop/policy-ca' },
          },
        }),
      ]),
    },
    {
      name: 'it covers only its own kinds',
      facts: cluster([webhook({ rules: [rule('*', { apiGroups: ['example.com'] })] })]),
    },
    {
      name: 'only what is new is covered',
      facts: cluster([webhook({ rules: [rule('secrets,services', { operations: ['CREATE'] })] })]),
    },
    {
      name: 'it is called by URL',
      facts: cluster([on('secrets', { client: { url: 'https://hooks.example.com' } })]),
      outcome: 'not-applicable',
    },
    {
      name: 'its Service no longer exists, and other namespaces are meant',
      facts: cluster([on('secrets', only('other'))], { services: objects(service({}, { name: 'other' })) }),
    },
    { name: 'a condition decides', facts: cluster([on('secrets', conditional)]) },
  ],
  isUnknown: [
    {
      name: 'labels of namespaces must not be read',
      facts: cluster([on('secrets', leavingOut('kube-system'))], { namespaces: forbidden() }),
    },
    {
      name: 'another version may be the same, and discovery must not be read',
      facts: cluster([webhook({ rules: [rule('secrets', { apiVersions: ['v2'] })] })], {
        served: forbidden(),
      }),
    },
  ],
});
