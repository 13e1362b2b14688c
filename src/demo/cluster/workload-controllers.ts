import type { Labels } from '../../facts/objects/label-selector.ts';
import type { Condition } from '../../facts/objects/metadata.ts';
import { type ApiObject, uidOf } from '../api-server/object-store.ts';
import { ago } from './ago.ts';
import { type PodBehaviour, ready } from './behaviour.ts';
import { withDefaults } from './defaults.ts';
import { generated, replicaName, replicaSetName } from './generated-name.ts';
import {
  behaviourOf,
  type ClusterContext,
  eventAbout,
  isCounted,
  isReady,
  join,
  justObjects,
  labelOf,
  makePod,
  manifestTemplate,
  ofOnePod,
  ownedBy,
  podsIn,
  runPod,
  type Template,
  type WorkloadObjects,
} from './make-pod.ts';
import type { WorkloadPart } from './workload-manifests.ts';

/** The Event of a controller if the API server refuses its Pod. */
const failedCreate = (about: ApiObject, component: string, message: string): WorkloadObjects =>
  justObjects(eventAbout(about, { type: 'Warning', reason: 'FailedCreate', message, count: 17, component }));

/** The present state of a workload. */
export interface CurrentWorkload extends WorkloadPart {
  /** Previous templates, oldest first, with retained ReplicaSets. */
  readonly former: readonly Template[];
}

interface Naming {
  /** By ordinal. */
  readonly name: (ordinal: number) => string;
  readonly labels: (ordinal: number) => Labels;
}

interface Replicas {
  readonly owner: ApiObject;
  readonly template: Template;
  /** By ordinal. */
  readonly pods: readonly PodBehaviour[];
  readonly count: number;
  readonly naming: Naming;
  /** The error for new Pods: only existing ones remain. */
  readonly refused?: string | undefined;
}

function replicas(
  { owner, template, pods, count, naming, refused }: Replicas,
  around: ClusterContext,
): WorkloadObjects {
  const { name: nameOf, labels } = naming;
  const { namespace = 'default' } = owner.metadata;
  return join(
    Array.from({ length: count }, (_, ordinal): WorkloadObjects => {
      const name = around.freshName(namespace, nameOf(ordinal));
      if (refused !== undefined && !around.exists(namespace, name)) return justObjects();
      const behaviour = behaviourOf(pods, ordinal);
      const replaced = name !== nameOf(ordinal) && ofOnePod.includes(behaviour.is);
      const pod = makePod({ name, labels: labels(ordinal), owner }, template);
      return runPod(pod, replaced ? ready : behaviour, ordinal, around);
    }),
  );
}

/** The Pods, and an Event of the controller if some of them are refused: then `refused` is the error. */
function replicasOrEvent(
  wanted: Replicas,
  { controller, says }: { readonly controller: string; readonly says: string },
  around: ClusterContext,
) {
  const made = replicas(wanted, around);
  const refused = podsIn(made).length < wanted.count ? wanted.refused : undefined;
  if (refused === undefined) return { made, refused };
  return { made: join([made, failedCreate(wanted.owner, controller, `${says}: ${refused}`)]), refused };
}

/** The object with its status, followed by the objects that were created for it. */
const withStatus = (object: ApiObject, status: object, made: WorkloadObjects): WorkloadObjects => ({
  ...made,
  objects: [withDefaults({ ...object, status }), ...made.objects],
});

const condition = (type: string, holds: boolean, reason: string, message: string): Condition => ({
  type,
  status: holds ? 'True' : 'False',
  reason,
  message,
  lastTransitionTime: ago('2h'),
});
const replicaFailure = (refused: string | undefined): readonly Condition[] =>
  refused === undefined ? [] : [condition('ReplicaFailure', true, 'FailedCreate', refused)];

function replicaSet(
  part: WorkloadPart,
  {
    pods,
    count,
    revision,
    template = manifestTemplate(part.manifest),
  }: Pick<Replicas, 'pods' | 'count'> & { readonly revision: number; readonly template?: Template },
  around: ClusterContext,
) {
  const { manifest } = part;
  const { name: owner, namespace = 'default' } = manifest.metadata;
  const name = replicaSetName(namespace, owner, revision);
  const labels = { ...labelOf(template), 'pod-template-hash': name.slice(owner.length + 1) };
  const set: ApiObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...{ name, namespace, labels, uid: uidOf('ReplicaSet', namespace, name) },
      ownerReferences: ownedBy(manifest),
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    spec: {
      replicas: count,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const wanted = pods.length > 1 && count > 0 ? Math.max(count, pods.length) : count;
  const naming = { name: (at: number) => replicaName(name, at), labels: () => labels };
  const objection = count === 0 ? undefined : around.refusal(`${name}-`, namespace, template);
  const { made, refused } = replicasOrEvent(
    { owner: set, template, pods, count: wanted, naming, refused: part.refused ?? objection },
    { controller: 'replicaset-controller', says: 'Error creating' },
    around,
  );
  const alive = podsIn(made).filter(isCounted);
  const ready = alive.filter(isReady).length;
  const status = {
    ...{ replicas: alive.length, readyReplicas: ready, availableReplicas: ready },
    observedGeneration: 1,
    ...(refused === undefined ? {} : { conditions: replicaFailure(refused) }),
  };
  return { made: withStatus(set, status, made), alive, refused };
}

function deploymentConditions(
  wanted: number,
  ready: number,
  refused: string | undefined,
): readonly Condition[] {
  const available = ready >= Math.ceil(wanted * 0.75);
  const [minimum, has] = available ? ['Available', 'has'] : ['Unavailable', 'does not have'];
  return [
    condition('Available', available, `MinimumReplicas${minimum}`, `Deployment ${has} minimum availability.`),
    refused !== undefined || !available
      ? condition('Progressing', false, 'ProgressDeadlineExceeded', 'ReplicaSet has timed out progressing.')
      : condition('Progressing', true, 'NewReplicaSetAvailable', 'ReplicaSet has successfully progressed.'),
    ...replicaFailure(refused),
  ];
}

/** A Deployment with its conditions, ReplicaSets, Pods and events. */
function deployment(part: CurrentWorkload, around: ClusterContext): WorkloadObjects {
  const { manifest, previous } = part;
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const last = part.former.length + (previous.length === 0 ? 1 : 2);
  const old = [
    ...part.former.map((template, at) =>
      replicaSet(part, { pods: [], count: 0, revision: at + 1, template }, around),
    ),
    ...(previous.length === 0
      ? []
      : [replicaSet(part, { pods: previous, count: previous.length, revision: last - 1 }, around)]),
  ];
  const leaving = previous.filter(({ is }) => is === 'leaving').length;
  const fresh = wanted - (previous.length - leaving);
  const current = replicaSet(part, { pods: part.pods, count: Math.max(fresh, 0), revision: last }, around);
  const alive = [...old, current].flatMap((set) => set.alive);
  const ready = alive.filter(isReady).length;
  const status = {
    observedGeneration: 1,
    replicas: alive.length,
    updatedReplicas: current.alive.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(wanted - ready, 0),
    conditions: deploymentConditions(wanted, ready, current.refused),
  };
  return withStatus(manifest, status, join([...old, current].map((set) => set.made)));
}

function statefulSet(part: WorkloadPart, around: ClusterContext): WorkloadObjects {
  const { manifest } = part;
  const { name, namespace = 'default' } = manifest.metadata;
  const template = manifestTemplate(manifest);
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const objection =
    part.refused ?? (wanted === 0 ? undefined : around.refusal(`${name}-0`, namespace, template));
  const naming: Naming = {
    name: (at) => `${name}-${at}`,
    labels: (at) => ({
      ...labelOf(template),
      'apps.kubernetes.io/pod-index': String(at),
      'statefulset.kubernetes.io/pod-name': `${name}-${at}`,
    }),
  };
  const { made } = replicasOrEvent(
    { owner: manifest, template, pods: part.pods, count: wanted, naming, refused: objection },
    {
      controller: 'statefulset-controller',
      says: `create Pod ${name}-0 in StatefulSet ${name} failed error`,
    },
    around,
  );
  const ready = podsIn(made).filter(isCounted).filter(isReady).length;
  const status = { replicas: podsIn(made).length, readyReplicas: ready, availableReplicas: ready };
  return withStatus(manifest, { observedGeneration: 1, ...status }, made);
}

function daemonSet(part: WorkloadPart, around: ClusterContext): WorkloadObjects {
  const { manifest } = part;
  const { name } = manifest.metadata;
  const template = manifestTemplate(manifest);
  const labels = { ...labelOf(template), 'controller-revision-hash': generated(name, 10) };
  const wanted = around.nodesFor(template.spec);
  const naming = { name: (at: number) => `${name}-${generated(`${name}/${at}`, 5)}`, labels: () => labels };
  const made = replicas({ owner: manifest, template, pods: part.pods, count: wanted, naming }, around);
  const ready = podsIn(made).filter(isReady).length;
  const status = {
    observedGeneration: 1,
    currentNumberScheduled: wanted,
    desiredNumberScheduled: wanted,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    updatedNumberScheduled: wanted,
  };
  return withStatus(manifest, status, made);
}

function job({ manifest, pods }: WorkloadPart, around: ClusterContext): WorkloadObjects {
  const { name } = manifest.metadata;
  const template = manifestTemplate(manifest);
  const labels = { ...labelOf(template), 'batch.kubernetes.io/job-name': name };
  const naming = { name: () => `${name}-${generated(name, 5)}`, labels: () => labels };
  const made = replicas({ owner: manifest, template, pods, count: 1, naming }, around);
  return { ...made, objects: [manifest, ...made.objects] };
}

const controllers: Readonly<
  Record<string, (part: CurrentWorkload, around: ClusterContext) => WorkloadObjects>
> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  // A Pod without a controller.
  Pod: ({ manifest, pods }, around) => runPod(manifest, behaviourOf(pods, 0), 0, around),
};

/** A workload with its status, and everything that the controllers create for it: ReplicaSets, Pods and events. */
export const runWorkload = (part: CurrentWorkload, around: ClusterContext): WorkloadObjects =>
  controllers[part.manifest.kind]?.(part, around) ?? justObjects(part.manifest);
