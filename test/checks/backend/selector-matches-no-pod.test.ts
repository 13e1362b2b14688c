import { selectorMatchesNoPod } from '../../../src/checks/backend/selector-matches-no-pod.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, port, service, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const templateOf = (labels: Readonly<Record<string, string>>, name = 'policy', containerPort = 9999) =>
  workload({
    metadata: { name },
    spec: {
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', ports: [{ containerPort }] }] },
      },
    },
  });
const selecting = (selector: Readonly<Record<string, string>>) => objects(service({ selector }));
const found = { service: 'shop/policy', workload: 'Deployment policy' };

/** A rollout of a Deployment: its new Pod, which is not Ready, has another value of the label `version`. */
const rollingOut = (status: object, matchLabels: Readonly<Record<string, string>> = { app: 'policy' }) =>
  empty({
    services: selecting({ app: 'policy', version: 'v2' }),
    pods: lists({ 'shop/policy': [pod({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })] }),
    workloads: lists({
      shop: [
        workload({
          metadata: { name: 'policy' },
          spec: {
            selector: { matchLabels },
            template: {
              metadata: { labels: { app: 'policy', version: 'v2' } },
              spec: { containers: [{ name: 'main' }] },
            },
          },
          status: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, ...status },
        }),
      ],
    }),
  });

describeCheck(selectorMatchesNoPod, {
  reports: [
    {
      name: 'a selector with the version of the release, whose Pod is not Ready',
      facts: rollingOut({}),
      expect: {
        messageId: 'onlyNew',
        data: { ...found, expected: 'version=v2', others: '1 Ready Pod' },
      },
    },
    {
      name: 'a value with a slip of the pen',
      facts: empty({ services: selecting({ app: 'polcy' }) }),
      expect: { messageId: 'labelsDiffer', data: { ...found, expected: 'app=polcy', found: 'app=policy' } },
    },
    {
      name: 'a value with a slip of the pen, although another Service of a webhook selects the same Pods',
      facts: empty({
        callouts: [
          webhook(),
          webhook({
            webhook: 'other.example.com',
            client: { service: { namespace: 'shop', name: 'other', port: 443 } },
          }),
        ],
        services: objects(
          service({ selector: { app: 'polcy' } }),
          service({ selector: { app: 'policy' } }, { name: 'other' }),
        ),
      }),
      expect: { messageId: 'labelsDiffer', data: { ...found, expected: 'app=polcy', found: 'app=policy' } },
    },
    {
      name: 'a Service that was left when the product renamed it',
      facts: empty({
        services: objects(
          service({ selector: { app: 'old' } }),
          service({ selector: { app: 'policy' } }, { name: 'policy-webhook' }),
        ),
      }),
      expect: {
        messageId: 'otherService',
        data: { ...found, expected: 'app=old', other: 'shop/policy-webhook' },
      },
    },
    {
      name: 'a Service whose Pods another one selects for another port',
      facts: empty({
        services: objects(
          service({ selector: { app: 'old' } }),
          service({ selector: { app: 'policy' }, ports: [port({ port: 8080 })] }, { name: 'metrics' }),
        ),
      }),
      expect: { messageId: 'labelsDiffer' },
    },
    {
      name: 'one of two labels that differs',
      facts: empty({
        services: selecting({ app: 'policy', version: 'v2' }),
        workloads: lists({ shop: [templateOf({ app: 'policy', version: 'v1' })] }),
      }),
      expect: { messageId: 'labelsDiffer', data: { ...found, expected: 'version=v2', found: 'version=v1' } },
    },
    {
      name: 'a label that the Pods do not have',
      facts: empty({ services: selecting({ app: 'policy', component: 'webhook' }) }),
      expect: {
        messageId: 'labelsDiffer',
        data: { ...found, expected: 'component=webhook', found: 'no label component' },
      },
    },
    {
      name: 'a label that the product gives to its Pods when its webhook runs',
      facts: empty({
        callouts: [webhook({ webhook: 'validator.longhorn.io' })],
        services: selecting({ 'longhorn.io/admission-webhook': 'longhorn-admission-webhook' }),
      }),
      expect: {
        messageId: 'notLabelled',
        data: {
          ...found,
          expected: 'longhorn.io/admission-webhook=longhorn-admission-webhook',
          found: 'no label longhorn.io/admission-webhook',
          product: 'Longhorn',
        },
      },
    },
    {
      name: 'the workload that shares most, of several',
      facts: empty({
        services: selecting({ app: 'shop', component: 'webhook' }),
        workloads: lists({
          shop: [
            templateOf({ team: 'a' }, 'frontend'),
            templateOf({ app: 'shop', component: 'admission' }, 'admission', 8443),
            templateOf({ app: 'shop', component: 'agent' }, 'agent'),
          ],
        }),
      }),
      expect: {
        messageId: 'labelsDiffer',
        data: {
          service: 'shop/policy',
          workload: 'Deployment admission',
          expected: 'component=webhook',
          found: 'component=admission',
        },
      },
    },
    {
      name: 'a workload that only declares the port, although a Service for its metrics selects it',
      facts: empty({
        services: objects(
          service({ selector: { app: 'policy' } }),
          service({ selector: { name: 'x' }, ports: [port({ targetPort: 8080 })] }, { name: 'metrics' }),
        ),
        workloads: lists({ shop: [templateOf({ name: 'x' }, 'something', 8443)] }),
      }),
      expect: { messageId: 'labelsDiffer' },
    },
    {
      name: 'a workload that only declares the port',
      facts: empty({
        services: selecting({ k8s: 'hook' }),
        workloads: lists({ shop: [templateOf({ name: 'x' }, 'something', 8443)] }),
      }),
      expect: { messageId: 'labelsDiffer' },
    },
  ],
  reportsNothing: [
    {
      name: 'a rollout whose former Pod, which the Service selects, is Terminating',
      facts: {
        ...rollingOut({}),
        pods: lists({
          'shop/policy': [
            pod({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
            pod({ metadata: { name: 'policy-old', deletionTimestamp: '2025-12-31T23:59:59Z' } }),
          ],
        }),
      },
      outcome: 'pass',
    },
    { name: 'the backend is healthy', facts: healthy(), outcome: 'not-applicable' },
    {
      name: 'the workload is scaled to zero',
      facts: empty({ workloads: lists({ shop: [workload({ spec: { replicas: 0 } })] }) }),
    },
    { name: 'the workload is not allowed to create Pods', facts: empty() },
    { name: 'no Pod of the former template is Ready either', facts: rollingOut({ readyReplicas: 0 }) },
    { name: 'the rollout has ended', facts: rollingOut({ replicas: 1 }) },
    {
      name: 'the Service selects every Pod of the rollout',
      facts: rollingOut({ replicas: 1, updatedReplicas: 0 }),
    },
    {
      name: 'the Deployment selects its Pods by all labels of the Service',
      facts: rollingOut({}, { app: 'policy', version: 'v2' }),
    },
    { name: 'a Pod is selected and not ready', facts: empty({ pods: lists({ 'shop/policy': [pod()] }) }) },
    {
      name: 'the only near workload is another revision, behind another Service that a webhook names',
      facts: empty({
        callouts: [
          webhook(),
          webhook({
            webhook: 'other.example.com',
            client: { service: { namespace: 'shop', name: 'policy-v2', port: 443 } },
          }),
        ],
        services: objects(
          service({ selector: { app: 'policy', revision: 'v1' } }),
          service({ selector: { app: 'policy', revision: 'v2' } }, { name: 'policy-v2' }),
        ),
        workloads: lists({ shop: [templateOf({ app: 'policy', revision: 'v2' })] }),
      }),
    },
    {
      name: 'nothing in the namespace comes near',
      facts: empty({
        services: selecting({ k8s: 'hook' }),
        workloads: lists({ shop: [templateOf({ team: 'a' }, 'frontend')] }),
      }),
    },
    {
      name: 'the name of the only workload is a letter of the name of the Service',
      facts: empty({
        services: selecting({ app: 'policy' }),
        workloads: lists({ shop: [templateOf({ app: 'l' }, 'p')] }),
      }),
    },
    {
      name: 'the name of the only workload is the beginning of another word',
      facts: empty({
        services: objects(service({ selector: { app: 'webhook' } })),
        workloads: lists({ shop: [templateOf({ app: 'web' }, 'pol')] }),
      }),
    },
    {
      name: 'the workload of the webhook was deleted, and others of the product are left',
      facts: empty({
        services: selecting({ instance: 'policy', component: 'webhook' }),
        workloads: lists({
          shop: [
            templateOf({ instance: 'policy', component: 'controller' }, 'policy-controller'),
            templateOf({ instance: 'policy', component: 'cainjector' }, 'policy-cainjector'),
          ],
        }),
      }),
    },
    {
      name: 'the workload that declares the port is behind another Service',
      facts: empty({
        services: objects(
          service({ selector: { app: 'policy' } }),
          service({ selector: { app: 'registry' } }, { name: 'registry' }),
        ),
        workloads: lists({ shop: [templateOf({ app: 'registry' }, 'registry', 8443)] }),
      }),
    },
    {
      name: 'the only near one is a ReplicaSet of a Deployment',
      facts: empty({
        services: selecting({ k8s: 'hook' }),
        workloads: lists({
          shop: [
            workload({
              kind: 'ReplicaSet',
              metadata: {
                name: 'policy-abc',
                ownerReferences: [
                  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'policy', uid: 'd', controller: true },
                ],
              },
            }),
          ],
        }),
      }),
    },
    {
      name: 'the Service has no selector',
      facts: empty({ services: selecting({}) }),
      outcome: 'not-applicable',
    },
    {
      name: 'workloads were not looked for',
      facts: empty({ workloads: nothingRead({ what: 'workloads', why: 'not-requested' }) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'workloads must not be read', facts: empty({ workloads: forbidden() }) },
    { name: 'Pods must not be read', facts: empty({ pods: forbidden() }) },
  ],
});
