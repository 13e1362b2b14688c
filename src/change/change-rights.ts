import type { Right, Verb } from '../facts/right.ts';
import { recordingKinds, resourceOf } from './kinds.ts';
import type { ChangeOperation, Touch } from './plan.ts';

/** Cluster-scoped kinds. */
const clusterKinds: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
];

/**
 * Changes of fields, replicas and restarts are patches of the object; the patch also writes the record of the
 * change.
 */
const verbOf: Readonly<Record<ChangeOperation, Verb>> = {
  patch: 'patch',
  scale: 'patch',
  restart: 'patch',
  create: 'create',
  delete: 'delete',
};

const opposite: Partial<Record<ChangeOperation, ChangeOperation>> = { create: 'delete', delete: 'create' };

function right(kind: string, verbs: readonly Verb[], use: string, subresource?: 'status'): Right {
  const { group, plural } = resourceOf(kind);
  const scope = clusterKinds.includes(kind) ? 'cluster' : 'backends';
  return {
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    verbs,
    scope,
    use,
  };
}

/** Rights to write the record of a change to another object: for deleted objects and status changes. */
const carrierRights = ({ operation, subresource }: Touch): readonly Right[] =>
  operation === 'delete' || subresource === 'status'
    ? [right('Namespace', ['get', 'patch'], 'the record of a change, if the object cannot carry it')]
    : [];

/** Rights to identify the cluster: the journal uses the uid of kube-system. */
export const identityRights: readonly Right[] = [
  right('Namespace', ['get'], 'the uid of kube-system, which identifies the cluster in the journal'),
];

const objectRights = (touches: readonly Touch[]): readonly Right[] =>
  touches.flatMap(({ operation, kinds, subresource }) =>
    kinds.flatMap((kind) => [
      right(kind, ['get'], 'the object before and after a change'),
      right(kind, [verbOf[operation]], 'the change', subresource),
    ]),
  );

/** Rights to read objects before a change, to change them, and to read them afterwards. */
export const touchRights = (touches: readonly Touch[]): readonly Right[] => [
  ...objectRights(touches),
  ...touches.flatMap(carrierRights),
];

/** Rights to undo such changes. */
export const undoRights = (touches: readonly Touch[]): readonly Right[] => [
  ...objectRights(
    touches.map((touch) => ({ ...touch, operation: opposite[touch.operation] ?? touch.operation })),
  ),
  ...touches.flatMap(carrierRights),
];

/**
 * Rights to find changes by the records in the cluster, if the journal of this machine does not have them.
 */
export const recordRights: readonly Right[] = recordingKinds.map((kind) => ({
  ...right(kind, ['list'], 'records of changes, in annotations'),
  scope: 'cluster',
}));
