import { fixServiceSelector } from '../../../src/remedies/service/fix-service-selector.ts';
import { allows, ended, replica, type Tried, tried } from '../../checks/probed.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, objects, service, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const selecting = (selector: Readonly<Record<string, string>>) => objects(service({ selector }));
const makes = (name: string, labels: Readonly<Record<string, string>>, ports = [{ containerPort: 8443 }]) =>
  workload({
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', ports }] } },
    },
  });

const edit = (key: string, expected: string | undefined, after: string | undefined) => ({
  object: { kind: 'Service', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: `/spec/selector/${key}`,
  expected,
  after,
});

/** Pods of two Deployments behind the Service, of which the second does not serve TLS. */
const covered = (
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
  outcomes: readonly Tried[] = [allows, plainHttp],
) => {
  const podOf = (number: number, name: string) =>
    replica(number, {
      metadata: {
        labels: { app: 'policy', 'pod-template-hash': 'abc' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-abc`, uid: name, controller: true },
        ],
      },
    });
  return tried(outcomes, {
    pods: [podOf(1, 'policy'), podOf(2, 'policy-ui')],
    facts: {
      workloads: lists({
        shop: [
          makes('policy', { app: 'policy', ...first }),
          makes('policy-ui', { app: 'policy', ...second }),
        ],
      }),
    },
  });
};
const plainHttp = ended({ stage: 'tls', kind: 'not-tls', text: 'wrong version number' });

describeRemedy(fixServiceSelector, {
  plans: [
    {
      name: 'a label that only the Pods of the webhook have',
      problem: { check: 'selector-covers-other-workload' },
      facts: covered({ component: 'webhook' }, { component: 'ui' }),
      expect: {
        edits: [edit('component', undefined, 'webhook')],
        summary:
          /selects app=policy,component=webhook, the Pods of Deployment shop\/policy, instead of app=policy/,
      },
    },
    {
      name: 'the labels of the one workload that fits',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({ shop: [workload(), makes('web', { app: 'web' }, [{ containerPort: 80 }])] }),
      }),
      expect: {
        edits: [
          {
            object: { kind: 'Service', namespace: 'shop', name: 'policy' },
            operation: 'patch',
            path: '/spec/selector/app',
            expected: 'polcy',
            after: 'policy',
          },
        ],
        summary: /selects app=policy, the Pods of Deployment shop\/policy, instead of app=polcy/,
      },
    },
    {
      name: 'the labels of the one workload of that name, where nothing declares the port',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({
          shop: [makes('policy', { app: 'policy' }, []), makes('web', { app: 'web' }, [])],
        }),
      }),
      expect: {
        edits: [edit('app', 'polcy', 'policy')],
      },
    },
    {
      name: 'a label whose value contains the selected one, of the workload that declares the port',
      facts: healthy({
        services: selecting({ app: 'guard-admission' }),
        workloads: lists({ shop: [makes('guard-controller', { app: 'guard-admission-controller' })] }),
      }),
      expect: { edits: [edit('app', 'guard-admission', 'guard-admission-controller')] },
    },
    {
      name: 'the one pair that is wrong, and not what the workload knows its Pods by besides',
      facts: healthy({
        services: selecting({ app: 'policy', part: 'hook' }),
        workloads: lists({ shop: [makes('policy', { app: 'policy', part: 'webhook', release: 'one' })] }),
      }),
      expect: {
        edits: [edit('part', 'hook', 'webhook')],
        summary: /selects app=policy,part=webhook, the Pods/,
      },
    },
    {
      name: 'without a pair of which the Pods know nothing',
      facts: healthy({
        services: selecting({ app: 'policy', aap: 'policy' }),
        workloads: lists({ shop: [workload()] }),
      }),
      expect: { edits: [edit('aap', 'policy', undefined)] },
    },
    {
      name: "the workload's own labels, where the corrected pairs select others as well",
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({
          shop: [
            makes('policy', { app: 'policy', part: 'webhook' }),
            makes('job', { app: 'policy', part: 'job' }, [{ containerPort: 1 }]),
          ],
        }),
      }),
      expect: { edits: [edit('app', 'polcy', 'policy'), edit('part', undefined, 'webhook')] },
    },
    {
      name: 'the same where no pair is left',
      facts: healthy({
        services: selecting({ name: 'policy' }),
        workloads: lists({ shop: [workload()] }),
      }),
      expect: { edits: [edit('name', 'policy', undefined), edit('app', undefined, 'policy')] },
    },
    {
      name: 'a workload that selects by expressions, by the corrected pair',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({
          shop: [
            workload({ spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } } }),
          ],
        }),
      }),
      expect: { edits: [edit('app', 'polcy', 'policy')] },
    },
  ],
  refuses: [
    {
      name: 'where two declare the port',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({ shop: [workload(), makes('policy-2', { app: 'other' })] }),
      }),
      because: /Deployment shop\/policy and Deployment shop\/policy-2 all declare the port/,
    },
    {
      name: 'if only the port and a similar spelling indicate the workload',
      facts: healthy({
        services: selecting({ app: 'gard' }),
        workloads: lists({ shop: [makes('guard', { app: 'guard' })] }),
      }),
      because: /No workload in the namespace declares the port and clearly belongs to Service/,
    },
    {
      name: 'if only the port indicates the workload',
      facts: healthy({
        services: selecting({ app: 'policy' }),
        workloads: lists({ shop: [makes('ingress', { app: 'ingress' })] }),
      }),
      because: /No workload in the namespace declares the port and clearly/,
    },
    {
      name: 'if a label contains the letters of the selected value, and not the word',
      facts: healthy({
        services: selecting({ app: 'web' }),
        workloads: lists({ shop: [makes('shop-api', { app: 'webapp' })] }),
      }),
      because: /No workload in the namespace declares the port and clearly/,
    },
    {
      name: 'where two may be meant, and nothing declares the port',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({
          shop: [makes('policy', { app: 'policy' }, []), makes('policy-2', { app: 'other' }, [])],
        }),
      }),
      because: /Deployment shop\/policy and Deployment shop\/policy-2 all could be its workload/,
    },
    {
      name: 'where nothing declares the port',
      facts: healthy({ services: selecting({ app: 'policy' }), workloads: lists({}) }),
      because: /No workload in the namespace/,
    },
    {
      name: 'labels that others carry too',
      facts: healthy({
        services: selecting({ app: 'polcy' }),
        workloads: lists({
          shop: [workload(), makes('job', { app: 'policy', tier: 'job' }, [{ containerPort: 1 }])],
        }),
      }),
      because: /would also select Pods of other workloads/,
    },
    {
      name: 'what a workload selects by expressions, where no pair is left',
      facts: healthy({
        services: selecting({ name: 'policy' }),
        workloads: lists({
          shop: [
            workload({ spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } } }),
          ],
        }),
      }),
      because: /by matchExpressions/,
    },
  ],
  doesNotFit: [
    {
      name: 'the Pods of another workload have the same labels',
      problem: { check: 'selector-covers-other-workload' },
      facts: covered({}, { component: 'ui' }),
    },
    {
      name: 'the Pods of both workloads respond',
      problem: { check: 'selector-covers-other-workload' },
      facts: covered({ component: 'webhook' }, { component: 'ui' }, [allows, allows]),
    },
    { name: 'it selects the Pods of a workload', facts: healthy() },
    { name: 'it has no selector', facts: healthy({ services: selecting({}) }) },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
