import { expect } from 'chai';
import type { DoctorReport } from '../../../src/diagnose/report.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Container, ContainerState, Pod, PodSpec, PodTemplate } from '../../../src/facts/objects/pod.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { offersFor } from '../../../src/remedies/plans-for.ts';
import { undoRollout } from '../../../src/remedies/pod-template/undo-rollout.ts';
import type { Remedy } from '../../../src/remedies/remedy.ts';
import { flipFailurePolicy } from '../../../src/remedies/webhook/flip-failure-policy.ts';
import { attachRemedies } from '../../../src/workflows/attach-remedies.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import {
  healthy,
  lists,
  objects,
  pod,
  service,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const served = complete([['served', { resources: [], stale: [] }] as const]);
const ofPods = webhook({
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
});

const container = (over: object = {}): Container => ({ name: 'webhook', image: 'guard:1', ...over });
const templateOf = (spec: object, metadata: object = {}): PodTemplate => ({
  metadata: { labels: { app: 'policy' }, ...metadata },
  spec: { containers: [container()], ...spec } as PodSpec,
});
const sound = templateOf({});
const otherImage = templateOf({ containers: [container({ image: 'guard:2' })] });

const revised = (
  name: string,
  revision: number,
  template: PodTemplate,
  over: Partial<Workload> = {},
): Workload => ({
  kind: 'ReplicaSet',
  metadata: {
    name: `policy-${name}`,
    namespace: 'shop',
    creationTimestamp: `2025-12-31T23:${10 * revision}:00Z`,
    annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'policy', uid: 'deploy-1', controller: true },
    ],
    ...over.metadata,
  },
  spec: {
    selector: { matchLabels: { app: 'policy', 'pod-template-hash': name } },
    template: {
      ...template,
      metadata: { ...template.metadata, labels: { ...template.metadata?.labels, 'pod-template-hash': name } },
    },
  },
  status: over.status ?? { replicas: 0 },
});

/** The Deployment was last available at 23:40. */
const stopped = {
  type: 'Available',
  status: 'False' as const,
  reason: 'MinimumReplicasUnavailable',
  lastTransitionTime: '2025-12-31T23:40:00Z',
};
/** Another port after both rollouts. */
const portsWritten = {
  manager: 'kubectl-edit',
  operation: 'Update',
  time: '2025-12-31T23:50:00Z',
  fieldsV1: { 'f:spec': { 'f:ports': {} } },
};
const finished = {
  type: 'Progressing',
  status: 'True' as const,
  reason: 'NewReplicaSetAvailable',
  message: 'ReplicaSet "policy-new" has successfully progressed.',
};

interface Story {
  readonly before?: PodTemplate;
  readonly after?: PodTemplate;
  readonly state?: ContainerState;
  readonly deployment?: Parameters<typeof workload>[0];
  readonly conditions?: Workload['status']['conditions'];
  /** In addition to revisions 1 (policy-old) and 3 (policy-new). */
  readonly sets?: readonly Workload[];
  readonly old?: Partial<Workload>;
  readonly fresh?: Partial<Workload>;
  readonly pods?: readonly Pod[];
  readonly facts?: Partial<Facts>;
}

const waiting = (reason: string, message = ''): ContainerState => ({ waiting: { reason, message } });

/** A Pod of a ReplicaSet that is in a state, not ready. */
const podOf = (set: string, state: ContainerState, name = `policy-${set}-1`): Pod =>
  pod({
    metadata: {
      name,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `policy-${set}`,
          uid: `rs-${set}`,
          controller: true,
        },
      ],
    },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        {
          ...{ name: 'webhook', ready: false, restartCount: 3, state },
          lastState: { terminated: { exitCode: 1 } },
        },
      ],
    },
  });
const readyOf = (set: string, name = `policy-${set}-2`): Pod => ({
  ...podOf(set, {}, name),
  status: pod().status,
});

/** A rollout of revision 3, whose Pod cannot pull its image; revision 1 has no Pods. */
function story({ before = sound, after = otherImage, ...one }: Story = {}): Partial<Facts> {
  const { state = waiting('ImagePullBackOff', 'manifest for guard:2 not found') } = one;
  const { spec, metadata } = one.deployment ?? {};
  return healthy({
    served,
    pods: lists({ 'shop/policy': one.pods ?? [podOf('new', state)] }),
    workloads: lists({
      shop: [
        workload({
          metadata: { annotations: { 'deployment.kubernetes.io/revision': '3' }, ...metadata },
          spec: { template: after, ...spec },
          status: { conditions: one.conditions ?? [stopped] },
        }),
        revised('new', 3, after, one.fresh),
        revised('old', 1, before, one.old),
        ...(one.sets ?? []),
      ],
    }),
    ...one.facts,
  });
}

const back = (after: PodTemplate = sound, expected: PodTemplate = otherImage) => ({
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: '/spec/template',
  expected,
  after,
});
const there = (name: string) =>
  complete([
    [`shop/${name}`, { metadata: { name, namespace: 'shop' }, keys: [], certificates: {} }] as const,
  ]);
const pulls = { check: 'replica-image-pull-failing' };
const crashes = { check: 'replica-crash-looping' };
const looping = waiting('CrashLoopBackOff');
const misconfigured = { check: 'replica-config-error' };
const without = (thing: string): ContainerState => waiting('CreateContainerConfigError', thing);
const environment = (secret: string, key = 'a') =>
  templateOf({
    containers: [container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: secret, key } } }] })],
  });
const probed = (image: string) =>
  templateOf({ containers: [container({ image, readinessProbe: { tcpSocket: { port: 8443 } } })] });

const hungry = container({ resources: { requests: { memory: '4000Gi' } } });
const unscheduled = { check: 'replica-unschedulable' };
const homeless: Pod = {
  ...podOf('new', {}),
  spec: { containers: [container()] },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3' }],
  },
};
const volumeless = { check: 'replica-volume-missing' };
const mounting = (volume: string, secretName: string) =>
  templateOf({ volumes: [{ name: volume, secret: { secretName } }] });
const mountless: Pod = {
  ...podOf('new', {}),
  status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] },
};
const mountFailed = 'MountVolume.SetUp failed for volume "claims" : secret "gone" not found';
const events = (message: string) =>
  lists({
    shop: [
      {
        metadata: { name: 'e', namespace: 'shop' },
        involvedObject: { kind: 'Pod', namespace: 'shop', name: 'policy-new-1' },
        type: 'Warning',
        reason: 'FailedMount',
        message,
      },
    ],
  });

const wroteTemplate = (time: string) => ({
  manager: 'kubectl',
  time,
  fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } },
});

describeRemedy(undoRollout, {
  plans: [
    {
      name: 'the former image, for the Deployment was available until the rollout',
      facts: story(),
      problem: pulls,
      expect: {
        edits: [back()],
        summary:
          /^Deployment shop\/policy is rolled back to the Pod template of revision 1: image of container webhook$/,
        warns: [
          /^The Deployment was available with revision 1 when the last rollout started, .* since 2025-12-31T23:40:00Z/,
        ],
        fixes: ['validating/policy/policy.example.com'],
      },
    },
    {
      name: 'an argument, after which Ready Pods no longer open the port of the webhook',
      facts: story({
        before: templateOf({ containers: [container({ args: ['--operation=webhook'] })] }),
        after: sound,
        pods: [readyOf('new')],
        conditions: [finished],
      }),
      problem: { check: 'replica-not-listening', breaks: true },
      expect: {
        unsure: 'it is unknown whether Pods of revision 1 worked',
        edits: [back(templateOf({ containers: [container({ args: ['--operation=webhook'] })] }), sound)],
        warns: [/^It is unknown whether Pods of revision 1 worked/],
      },
    },
    {
      name: 'what still has ready Pods, over what came in between',
      facts: story({
        sets: [revised('between', 2, templateOf({ containers: [container({ image: 'guard:0' })] }))],
        old: { status: { readyReplicas: 2 } },
        pods: [podOf('new', waiting('ErrImagePull')), readyOf('old')],
        conditions: [],
      }),
      problem: { ...pulls, breaks: false },
      expect: {
        edits: [back()],
        warns: [/^Revision 1 serves: ReplicaSet policy-old still has 2 ready Pods\.$/],
      },
    },
    {
      name: 'the revision before, of several that have no Pods',
      facts: story({ sets: [revised('oldest', 0.5, templateOf({ containers: [] }))] }),
      problem: pulls,
      expect: { edits: [back()] },
    },
    {
      name: 'it without a confirmation, and reports it',
      facts: story({ conditions: [] }),
      problem: pulls,
      expect: {
        unsure: 'it is unknown whether Pods of revision 1 worked',
        edits: [back()],
        warns: [/^It is unknown whether Pods of revision 1 worked/],
      },
    },
    {
      name: 'it after Recreate, which ends the old Pods first, and says that nothing shows how they were',
      facts: story({
        deployment: { spec: { strategy: { type: 'Recreate' } } },
        conditions: [{ ...stopped, lastTransitionTime: '2025-12-31T23:29:30Z' }],
      }),
      problem: pulls,
      expect: {
        unsure: 'it is unknown whether Pods of revision 1 worked',
        edits: [back()],
        warns: [/^It is unknown/],
      },
    },
    {
      name: 'it where the rules do not cover its Pods in the version that is served',
      facts: story({
        facts: {
          callouts: [
            webhook({
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
              rules: ofPods.rules.map((rule) => ({ ...rule, apiVersions: ['v2'] })),
            }),
          ],
        },
      }),
      problem: pulls,
      expect: { edits: [back()] },
    },
    {
      name: 'it after Recreate, where the Deployment was available until the template was written',
      facts: story({
        deployment: {
          metadata: { managedFields: [wroteTemplate('2025-12-31T23:29:00Z')] },
          spec: { strategy: { type: 'Recreate' } },
        },
        conditions: [{ ...stopped, lastTransitionTime: '2025-12-31T23:29:30Z' }],
      }),
      problem: pulls,
      expect: { edits: [back()], warns: [/^The Deployment was available with revision 1/] },
    },
    {
      name: 'it for a crash, whatever the change',
      facts: story({ state: looping, after: templateOf({ serviceAccountName: 'other' }) }),
      problem: crashes,
      expect: { edits: [back(sound, templateOf({ serviceAccountName: 'other' }))] },
    },
    {
      name: 'it for a crash that may have gone on since the rollout was counted as done',
      facts: story({ state: looping, conditions: [stopped, finished] }),
      problem: crashes,
      expect: {
        unsure: 'it is unknown whether Pods of revision 1 worked',
        edits: [back()],
        warns: [/^It is unknown/],
      },
    },
    {
      name: 'it for a Secret that only the new template wants',
      facts: story({ after: environment('new'), state: without('secret "new" not found') }),
      problem: misconfigured,
      expect: { edits: [back(sound, environment('new'))] },
    },
    {
      name: 'it for a key that only the new template wants',
      facts: story({
        before: environment('it'),
        after: environment('it', 'b'),
        state: without("couldn't find key b in Secret shop/it"),
        facts: { secrets: there('it') },
      }),
      problem: misconfigured,
      expect: { edits: [back(environment('it'), environment('it', 'b'))] },
    },
    {
      name: 'it for a Pod that fits no node, and asks for more than before',
      facts: story({ after: templateOf({ containers: [hungry] }), pods: [homeless] }),
      problem: unscheduled,
      expect: { edits: [back(sound, templateOf({ containers: [hungry] }))] },
    },
    {
      name: 'it for a volume that only the new template has',
      facts: story({
        after: mounting('claims', 'gone'),
        pods: [mountless],
        facts: { events: events(mountFailed), secrets: forbidden() },
      }),
      problem: volumeless,
      expect: { edits: [back(sound, mounting('claims', 'gone'))] },
    },
    {
      name: 'it on a Helm release, and says how long that lasts',
      facts: story({
        deployment: {
          metadata: {
            annotations: {
              'meta.helm.sh/release-name': 'guard',
              'meta.helm.sh/release-namespace': 'shop',
            },
          },
        },
      }),
      problem: pulls,
      expect: { edits: [back()], warns: [/next upgrade of Helm release shop\/guard/] },
    },
    {
      name: 'a template to print where Argo CD puts the Deployment back',
      facts: story({
        deployment: {
          metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/policy' } },
        },
      }),
      problem: pulls,
      expect: { edits: [], print: /image: guard:1/, warns: [/next sync/] },
    },
    {
      name: 'a template to print where an operator owns the Deployment',
      facts: story({
        deployment: {
          metadata: {
            ownerReferences: [
              { apiVersion: 'example.com/v1', kind: 'Guard', name: 'guard', uid: 'g', controller: true },
            ],
          },
        },
      }),
      problem: pulls,
      expect: { edits: [], print: /image: guard:1/, warns: [/Guard guard owns the object/] },
    },
  ],
  refuses: [
    {
      name: 'while the Deployment is paused, as kubectl does',
      facts: story({ deployment: { spec: { paused: true } } }),
      problem: pulls,
      because: /is paused.*kubectl -n shop rollout resume deployment\/policy$/,
    },
    {
      name: 'where new Pods must pass the webhook itself, which fails',
      facts: story({ facts: { callouts: [ofPods] } }),
      problem: pulls,
      because: /^policy\.example\.com intercepts new Pods.*exclude-backend-namespace/,
    },
  ],
  doesNotFit: [
    {
      name: 'Ready Pods do not listen, and the rollout changed nothing that decides it',
      facts: story({
        after: templateOf({}, { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } }),
        pods: [readyOf('new')],
        conditions: [finished],
      }),
      problem: { check: 'replica-not-listening', breaks: true },
    },
    {
      name: 'Ready Pods do not listen, and the ports of the Service were changed after the rollout',
      facts: story({
        before: templateOf({ containers: [container({ args: ['--operation=webhook'] })] }),
        after: sound,
        pods: [readyOf('new')],
        conditions: [finished],
        facts: { services: objects(service({}, { managedFields: [portsWritten] })) },
      }),
      problem: { check: 'replica-not-listening', breaks: true },
    },
    {
      name: 'only some of the Ready Pods of the new template do not listen',
      facts: story({ pods: [readyOf('new')], conditions: [finished] }),
      problem: { check: 'replica-not-listening', breaks: false },
    },
    {
      name: 'there was one rollout only',
      facts: story({
        facts: {
          workloads: lists({
            shop: [workload({ spec: { template: otherImage } }), revised('new', 1, otherImage)],
          }),
        },
      }),
      problem: pulls,
    },
    {
      name: 'the older ReplicaSet is of another Deployment',
      facts: story({
        old: {
          metadata: {
            ...{ name: 'policy-old', namespace: 'shop' },
            annotations: { 'deployment.kubernetes.io/revision': '1' },
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other', uid: 'o', controller: true },
            ],
          },
        },
      }),
      problem: pulls,
    },
    {
      name: 'the image that cannot be pulled is the former one',
      facts: story({ before: templateOf({ containers: [container({ image: 'guard:2', args: ['-v'] })] }) }),
      problem: pulls,
    },
    {
      name: 'only an annotation differs, as after a restart',
      facts: story({
        state: looping,
        before: sound,
        after: templateOf(
          {},
          { annotations: { 'kubectl.kubernetes.io/restartedAt': '2025-12-31T23:30:00Z' } },
        ),
      }),
      problem: crashes,
    },
    {
      name: 'the former template wants the missing Secret too',
      facts: story({
        before: environment('it'),
        after: templateOf({ containers: [{ ...environment('it').spec.containers[0], image: 'guard:2' }] }),
        state: without('secret "it" not found'),
        facts: { secrets: forbidden() },
      }),
      problem: misconfigured,
    },
    {
      name: 'the former template wants the missing key too',
      facts: story({
        before: environment('it', 'b'),
        after: templateOf({
          containers: [{ ...environment('it', 'b').spec.containers[0], image: 'guard:2' }],
        }),
        state: without("couldn't find key b in Secret shop/it"),
        facts: { secrets: there('it') },
      }),
      problem: misconfigured,
    },
    {
      name: 'a Secret of the former template no longer exists',
      facts: story({
        before: templateOf({ volumes: [{ name: 'tls', secret: { secretName: 'gone' } }] }),
        state: looping,
      }),
      problem: crashes,
    },
    {
      name: 'the Deployment was down before the rollout',
      facts: story({ conditions: [{ ...stopped, lastTransitionTime: '2025-12-31T23:05:00Z' }] }),
      problem: pulls,
    },
    {
      name: 'the Deployment was down before the rollout, with Recreate',
      facts: story({
        deployment: {
          metadata: { managedFields: [wroteTemplate('2025-12-31T23:29:00Z')] },
          spec: { strategy: { type: 'Recreate' } },
        },
        conditions: [{ ...stopped, lastTransitionTime: '2025-12-31T23:05:00Z' }],
      }),
      problem: pulls,
    },
    {
      name: 'the new template was complete, and pulls no image since',
      facts: story({ conditions: [stopped, finished] }),
      problem: pulls,
    },
    {
      name: 'the new template was ready by its probe, and crashes since',
      facts: story({
        ...{ before: probed('guard:1'), after: probed('guard:2') },
        ...{ state: looping, conditions: [stopped, finished] },
      }),
      problem: crashes,
    },
    {
      name: 'another Pod of the new template is ready',
      facts: story({ pods: [podOf('new', waiting('ErrImagePull')), readyOf('new')] }),
      problem: pulls,
    },
    {
      name: 'a Pod of the former template fails as well',
      facts: story({ state: looping, pods: [podOf('new', looping), podOf('old', looping)] }),
      problem: crashes,
    },
    {
      name: 'a user rolled back to this revision',
      facts: story({
        conditions: [],
        fresh: {
          metadata: {
            ...revised('new', 3, otherImage).metadata,
            annotations: {
              'deployment.kubernetes.io/revision': '3',
              'deployment.kubernetes.io/revision-history': '1',
            },
          },
        },
      }),
      problem: pulls,
    },
    {
      name: 'its controller has not taken up the template yet',
      facts: story({ deployment: { spec: { template: templateOf({ hostNetwork: true }) } } }),
      problem: pulls,
    },
    {
      name: 'a node has no room, as before: only the image differs',
      facts: story({ pods: [homeless] }),
      problem: unscheduled,
    },
    {
      name: 'a volume misses what it names, and was there before',
      facts: story({
        before: mounting('claims', 'gone'),
        after: {
          ...mounting('claims', 'gone'),
          spec: { ...mounting('claims', 'gone').spec, hostNetwork: true },
        },
        pods: [mountless],
        facts: { events: events(mountFailed), secrets: forbidden() },
      }),
      problem: volumeless,
    },
    {
      name: 'a StatefulSet makes the Pods',
      facts: story({ facts: { workloads: lists({ shop: [workload({ kind: 'StatefulSet' })] }) } }),
      problem: pulls,
    },
    {
      name: 'a URL is called',
      facts: story({ facts: { callouts: [webhook({ client: { url: 'https://a.example' } })] } }),
    },
  ],
  isUnknown: [
    {
      name: 'the workloads could not be read',
      facts: story({ facts: { workloads: forbidden() } }),
      problem: pulls,
    },
    {
      name: 'only Deployments were read',
      facts: story({
        facts: {
          workloads: lists({
            shop: [workload({ metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } })],
          }),
        },
      }),
      problem: pulls,
    },
  ],
});

describe('undo-rollout beside failing open', () => {
  const order = (facts: Partial<Facts>): readonly string[] => {
    const snapshot = snapshotOf(facts);
    const callout = webhook();
    const problem = { ...pulls, callout, subject: callout.ref, breaks: true };
    const remedies = [undoRollout, flipFailurePolicy] as unknown as readonly Remedy[];
    return offersFor(problem, snapshot.facts, remedies).map(({ meta }) => meta.id);
  };

  it('comes first if the previous template has served before', () => {
    expect(order(story())).to.deep.equal(['undo-rollout', 'flip-failure-policy']);
  });

  it('comes last if this is not shown', () => {
    expect(order(story({ conditions: [] }))).to.deep.equal(['flip-failure-policy', 'undo-rollout']);
  });

  it('says so in the report', () => {
    const callout = webhook();
    const finding = {
      ...pulls,
      id: pulls.check,
      callout: calloutId(callout),
      subject: callout.ref,
      evidence: [],
    };
    const report = {
      callouts: [],
      findings: [finding],
      stories: [],
      notLookedAt: [],
    } as unknown as DoctorReport;
    const titles = (facts: Partial<Facts>) =>
      attachRemedies(report, snapshotOf(facts), { isUnfiltered: true, sameCluster: '' })
        .findings.flatMap(({ remedies }) => remedies)
        .map(({ title }) => title);
    const title =
      'Deployment shop/policy is rolled back to the Pod template of revision 1: image of container webhook';
    expect(titles(story())).to.deep.equal([title]);
    expect(titles(story({ conditions: [] }))).to.deep.equal([
      `${title}; this may not help: it is unknown whether Pods of revision 1 worked`,
    ]);
  });
});
