import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes, ReplicaProbe } from '../../../src/facts/probes.ts';
import { scaleUp } from '../../../src/remedies/workload/scale-up.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, webhook, workload } from '../../support/snapshot.ts';

const edit = {
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'scale' as const,
  path: '/spec/replicas',
  expected: 1,
  after: 2,
};
const replica = (pod: string, serves: boolean): ReplicaProbe => ({
  pod,
  port: 8443,
  ready: true,
  notTried: [],
  dialogues: [
    {
      way: 'port-forward',
      reviews: [],
      ...(serves
        ? {}
        : {
            failure: {
              stage: 'connect' as const,
              kind: 'refused' as const,
              text: 'refused',
              milliseconds: 1,
            },
          }),
    },
  ],
});
const probes = (...replicas: readonly ReplicaProbe[]) =>
  complete<CalloutProbes>([
    [
      'validating/policy/policy.example.com',
      { level: 'connect', serverName: 'policy.shop.svc', notTried: [], replicas },
    ],
  ]);
const leases = (holderIdentity: string) =>
  lists({ shop: [{ metadata: { name: 'leader', namespace: 'shop' }, spec: { holderIdentity } }] });

describeRemedy(scaleUp, {
  plans: [
    {
      name: 'a second replica',
      facts: healthy(),
      problem: { breaks: false },
      expect: { edits: [edit], warns: [/If only a leader serves/, /Autoscaler/] },
    },
    {
      name: 'a second replica, with a warning where something elects a leader',
      facts: healthy({ leases: leases('other-1_x') }),
      problem: { breaks: false },
      expect: { edits: [edit], warns: [/Leases in namespace shop show/] },
    },
  ],
  refuses: [
    {
      name: 'what a check has shown to be gated by the leader',
      facts: healthy(),
      problem: { check: 'leader-gated-listener' },
      because: /Only the leader serves/,
    },
    {
      name: 'where only the holder of a Lease was seen to serve',
      facts: healthy({
        leases: leases('policy-1_abc'),
        probes: probes(replica('policy-1', true), replica('policy-2', false)),
      }),
      because: /the holder of Lease shop\/leader serves/,
    },
  ],
  doesNotFit: [
    {
      name: 'it has two',
      facts: healthy({ workloads: lists({ shop: [workload({ spec: { replicas: 2 } })] }) }),
    },
    {
      name: 'nodes decide',
      facts: healthy({ workloads: lists({ shop: [workload({ kind: 'DaemonSet' })] }) }),
    },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
    {
      name: 'it has two, of which one hangs and no Lease explains it',
      facts: healthy({
        workloads: lists({ shop: [workload({ spec: { replicas: 2 } })] }),
        probes: probes(replica('policy-1', true), replica('policy-2', false)),
        leases: leases('somebody'),
      }),
    },
  ],
});
