import type { Pod } from '../../../src/facts/objects/pod.ts';
import { raiseMemoryLimit } from '../../../src/remedies/pod-template/raise-memory-limit.ts';
import { only, status, unready } from '../../checks/replica/replicas.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { containing } from '../../support/serving-workload.ts';
import { lists } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const oomKilled = {
  restartCount: 3,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
};
const killed = unready({ status: { phase: 'Running', containerStatuses: [status(oomKilled)] } });
const limited = (memory?: string, metadata: object = {}) =>
  containing({ resources: { limits: memory === undefined ? {} : { memory } } }, {}, metadata);
const withLimit = (pod: Pod, memory: string | undefined): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: [{ name: 'webhook', resources: { limits: memory ? { memory } : {} } }] },
});
const facts = (memory?: string, metadata: object = {}, pods = [withLimit(killed, memory)]) =>
  only(pods, { workloads: limited(memory, metadata) });
const edit = (expected: string, after: string) => ({
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: '/spec/template/spec/containers/1/resources/limits/memory',
  expected,
  after,
});
const warns = [/Its Pods are replaced/];

describeRemedy(raiseMemoryLimit, {
  plans: [
    { name: 'twice the limit', facts: facts('96Mi'), expect: { edits: [edit('96Mi', '192Mi')], warns } },
    // As apimachinery prints twice the quantity: a value in another form would count as reverted.
    ...(
      [
        ['512Mi', '1Gi'],
        ['1536Mi', '3Gi'],
        ['640Mi', '1280Mi'],
        ['500M', '1G'],
        ['128974848', '257949696'],
        ['500k', '1M'],
        ['64e6', '128e6'],
        ['500e6', '1e9'],
        ['123456789m', '246913578m'],
        ['134217728500m', '268435457'],
        ['9007199254740993', '18014398509481986'],
      ] as const
    ).map(([before, after]) => ({
      name: `${before}: ${after}`,
      facts: facts(before),
      expect: { edits: [edit(before, after)], warns },
    })),
    {
      name: 'the limit of Pods that have it, beside older Pods',
      facts: facts('96Mi', {}, [withLimit(killed, '64Mi'), withLimit(killed, '96Mi')]),
      expect: { edits: [edit('96Mi', '192Mi')], warns },
    },
    {
      name: 'the change of an object that Helm installed, until its next upgrade',
      facts: facts('96Mi', {
        annotations: { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' },
      }),
      expect: { edits: [edit('96Mi', '192Mi')], warns: [...warns, /Helm release shop\/acme/] },
    },
    {
      name: 'a patch to declare, where GitOps would revert it',
      facts: facts('96Mi', {
        annotations: { 'argocd.argoproj.io/tracking-id': 'acme:apps/Deployment:shop/policy' },
      }),
      expect: {
        edits: [],
        print: /- name: webhook\n +resources:\n +limits:\n +memory: 192Mi/,
        warns: [...warns, /Argo CD/],
      },
    },
  ],
  doesNotFit: [
    { name: 'there is no limit', facts: facts() },
    { name: 'the limit is not a number', facts: facts('much') },
    { name: 'the limit is zero', facts: facts('0') },
    {
      name: 'the limit was changed after the Pods were created',
      facts: facts('128Mi', {}, [withLimit(killed, '64Mi')]),
    },
    {
      name: 'another container was killed',
      facts: facts('96Mi', {}, [
        unready({ status: { containerStatuses: [status({ ...oomKilled, name: 'injected' })] } }),
      ]),
    },
    {
      name: 'the container crashes for another reason',
      facts: facts('96Mi', {}, [
        unready({
          status: {
            containerStatuses: [
              status({ ...oomKilled, lastState: { terminated: { exitCode: 1, reason: 'Error' } } }),
            ],
          },
        }),
      ]),
    },
    { name: 'nothing makes the Pods', facts: only([killed], { workloads: lists({}) }) },
  ],
  isUnknown: [
    {
      name: 'the Pods could not be read',
      facts: only([killed], { workloads: limited('96Mi'), pods: forbidden() }),
    },
  ],
});
