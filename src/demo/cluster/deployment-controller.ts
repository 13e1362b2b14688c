import type { Condition } from '../../facts/objects/metadata.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import { uidOf } from '../api-server/object-store.ts';
import { ago } from './ago.ts';
import type { Behaviour } from './behaviour.ts';
import { withDefaults } from './defaults.ts';
import { replicaName, replicaSetName } from './generated-name.ts';
import {
  type Around,
  behaviourOf,
  counted,
  eventAbout,
  isReady,
  join,
  justObjects,
  labelOf,
  type Made,
  makePod,
  ownedBy,
  podsIn,
  templateOf,
} from './make-pod.ts';
import type { Told } from './pod-status.ts';
import type { WorkloadPart } from './workload-manifests.ts';

/** What a controller tells when the API server refuses its Pod. */
export const failedCreate = (controller: string, message: string): Told => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${message}`,
  count: 17,
  component: controller,
});
const replicaFailure = (message: string): Condition => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message,
  lastTransitionTime: ago('2h'),
});

/** A ReplicaSet of a Deployment and its Pods. */
function replicaSet(
  part: WorkloadPart,
  pods: readonly Behaviour[],
  count: number,
  revision: number,
  around: Around,
) {
  const { manifest } = part;
  const template = templateOf(manifest);
  const { name: owner, namespace = 'default' } = manifest.metadata;
  const name = replicaSetName(namespace, owner, revision);
  const hash = name.slice(owner.length + 1);
  const labels = { ...labelOf(template), 'pod-template-hash': hash };
  const set: ApiObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...{
        name,
        namespace,
        labels,
        uid: uidOf('ReplicaSet', namespace, name),
        ownerReferences: ownedBy(manifest),
      },
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    spec: {
      replicas: count,
      selector: { matchLabels: { ...labelOf(template), 'pod-template-hash': hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const refused =
    part.refused ?? (count === 0 ? undefined : around.refusal(`${name}-`, namespace, template.spec));
  const made =
    refused === undefined
      ? join(
          Array.from({ length: Math.max(count, pods.length > 1 ? pods.length : 0) }, (_, ordinal) =>
            makePod(
              {
                ...{ labels, owner: set, ordinal, behaviour: behaviourOf(pods, ordinal) },
                name: replicaName(name, ordinal),
              },
              template,
              around,
            ),
          ),
        )
      : justObjects(eventAbout(set, failedCreate('replicaset-controller', refused)));
  const alive = podsIn(made).filter(counted);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    ...{
      replicas: alive.length,
      readyReplicas: readyOnes,
      availableReplicas: readyOnes,
      observedGeneration: 1,
    },
    ...(refused === undefined ? {} : { conditions: [replicaFailure(refused)] }),
  };
  return {
    made: { ...made, objects: [withDefaults({ ...set, status }), ...made.objects] },
    alive,
    refused,
  };
}

function deploymentConditions(
  wanted: number,
  readyOnes: number,
  refused: string | undefined,
): readonly Condition[] {
  const available = readyOnes >= Math.ceil(wanted * 0.75);
  const stuck = refused !== undefined || !available;
  return [
    {
      type: 'Available',
      status: available ? 'True' : 'False',
      reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${available ? 'has' : 'does not have'} minimum availability.`,
      lastTransitionTime: ago('2h'),
    },
    {
      type: 'Progressing',
      status: stuck ? 'False' : 'True',
      reason: stuck ? 'ProgressDeadlineExceeded' : 'NewReplicaSetAvailable',
      message: stuck ? 'ReplicaSet has timed out progressing.' : 'ReplicaSet has successfully progressed.',
      lastTransitionTime: ago('2h'),
    },
    ...(refused === undefined ? [] : [replicaFailure(refused)]),
  ];
}

/** What the Deployment and ReplicaSet controllers make: ReplicaSets, Pods, events and conditions. */
export function deployment(part: WorkloadPart, around: Around): Made {
  const { manifest, previous } = part;
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const old = previous.length === 0 ? [] : [replicaSet(part, previous, previous.length, 1, around)];
  const leaving = previous.filter(({ is }) => is === 'leaving').length;
  const fresh = wanted - (previous.length - leaving);
  const current = replicaSet(part, part.pods, Math.max(fresh, 0), previous.length === 0 ? 1 : 2, around);
  const alive = [...old, current].flatMap((set) => set.alive);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    observedGeneration: 1,
    replicas: alive.length,
    updatedReplicas: current.alive.length,
    readyReplicas: readyOnes,
    availableReplicas: readyOnes,
    unavailableReplicas: Math.max(wanted - readyOnes, 0),
    conditions: deploymentConditions(wanted, readyOnes, current.refused),
  };
  const object = withDefaults({ ...manifest, status });
  const made = join([...old, current].map((set) => set.made));
  return { ...made, objects: [object, ...made.objects] };
}
