import { raiseMemoryLimit } from '../../src/remedies/raise-memory-limit.ts';
import { only, status, unready } from '../checks/replica/replicas.ts';
import { describeRemedy } from '../support/describe-remedy.ts';
import { containing } from '../support/serving-workload.ts';
import { lists } from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';

const oomKilled = {
  restartCount: 3,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
};
const killed = unready({ status: { phase: 'Running', containerStatuses: [status(oomKilled)] } });
const limited = (memory?: string, metadata: object = {}) =>
  containing({ resources: { limits: memory === undefined ? {} : { memory } } }, {}, metadata);
const facts = (memory?: string, metadata: object = {}, pods = [killed]) =>
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
    { name: 'twice a fraction', facts: facts('1.5Gi'), expect: { edits: [edit('1.5Gi', '3Gi')], warns } },
    { name: 'twice a power', facts: facts('64e6'), expect: { edits: [edit('64e6', '128e6')], warns } },
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
