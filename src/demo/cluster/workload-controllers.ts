import type { PodSpec } from '../../facts/objects/pod.ts';
import { withDefaults } from './defaults.ts';
import { deployment, failedCreate } from './deployment-controller.ts';
import { generated } from './generated-name.ts';
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
  podsIn,
  processOf,
  templateOf,
} from './make-pod.ts';
import { podState } from './pod-state.ts';
import type { WorkloadPart } from './workload-manifests.ts';

function statefulSet(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name, namespace = 'default' } = manifest.metadata;
  const template = templateOf(manifest);
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const refused =
    part.refused ?? (wanted === 0 ? undefined : around.refusal(`${name}-0`, namespace, template.spec));
  const told = (text: string) =>
    eventAbout(manifest, {
      ...failedCreate('statefulset-controller', text),
      message: `create Pod ${name}-0 in StatefulSet ${name} failed error: ${text}`,
    });
  const made: Made =
    refused === undefined
      ? join(
          Array.from({ length: wanted }, (_, ordinal) => {
            const labels = {
              ...labelOf(template),
              'apps.kubernetes.io/pod-index': String(ordinal),
              'statefulset.kubernetes.io/pod-name': `${name}-${ordinal}`,
            };
            const behaviour = behaviourOf(part.pods, ordinal);
            return makePod(
              { name: `${name}-${ordinal}`, behaviour, labels, owner: manifest, ordinal },
              template,
              around,
            );
          }),
        )
      : justObjects(told(refused));
  const alive = podsIn(made).filter(counted);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    observedGeneration: 1,
    replicas: podsIn(made).length,
    readyReplicas: readyOnes,
    availableReplicas: readyOnes,
  };
  return { ...made, objects: [withDefaults({ ...manifest, status }), ...made.objects] };
}

function daemonSet(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name } = manifest.metadata;
  const template = templateOf(manifest);
  const labels = { ...labelOf(template), 'controller-revision-hash': generated(name, 10) };
  const wanted = around.nodesFor(template.spec);
  const made = join(
    Array.from({ length: wanted }, (_, ordinal) =>
      makePod(
        {
          ...{ labels, owner: manifest, ordinal, behaviour: behaviourOf(part.pods, ordinal) },
          name: `${name}-${generated(`${name}/${ordinal}`, 5)}`,
        },
        template,
        around,
      ),
    ),
  );
  const readyOnes = podsIn(made).filter(isReady).length;
  const status = {
    observedGeneration: 1,
    currentNumberScheduled: wanted,
    desiredNumberScheduled: wanted,
    numberMisscheduled: 0,
    numberReady: readyOnes,
    numberAvailable: readyOnes,
    updatedNumberScheduled: wanted,
  };
  return { ...made, objects: [withDefaults({ ...manifest, status }), ...made.objects] };
}

/** Pods of a Job, and Pods that nobody makes. */
function onePod(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name } = manifest.metadata;
  const behaviour = behaviourOf(part.pods, 0);
  if (manifest.kind === 'Pod') {
    const spec = manifest.spec as PodSpec;
    const place = around.placeOf(name, manifest.metadata.namespace ?? 'default', spec, 0);
    const state = podState(spec, place, behaviour);
    const nodeName = place.node === undefined ? {} : { nodeName: place.node.name };
    const pod = withDefaults({ ...manifest, spec: { ...spec, ...nodeName }, status: state.status });
    const process = processOf(behaviour, state.status);
    return {
      ...justObjects(pod, ...state.told.map((told) => eventAbout(pod, told))),
      processes: new Map(
        process === undefined ? [] : [[`${manifest.metadata.namespace ?? 'default'}/${name}`, process]],
      ),
    };
  }
  const template = templateOf(manifest);
  const labels = { ...labelOf(template), 'batch.kubernetes.io/job-name': name };
  const podName = `${name}-${generated(name, 5)}`;
  const made = makePod({ name: podName, behaviour, labels, owner: manifest, ordinal: 0 }, template, around);
  return { ...made, objects: [manifest, ...made.objects] };
}

/** What the controllers make of a workload: itself with its status, its ReplicaSets, Pods and events. */
export function runWorkload(part: WorkloadPart, around: Around): Made {
  switch (part.manifest.kind) {
    case 'StatefulSet':
      return statefulSet(part, around);
    case 'DaemonSet':
      return daemonSet(part, around);
    case 'Deployment':
      return deployment(part, around);
    default:
      return onePod(part, around);
  }
}
