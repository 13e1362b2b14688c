import type { Right, Verb } from '../facts/right.ts';
import { recordingKinds, resourceOf } from './kinds.ts';
import type { ChangeOperation, Touch } from './plan.ts';

/** Kinds outside of namespaces. */
const clusterKinds: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
];

/** Fields, replicas and restarts are all written by a patch of the object, together with the record of the change. */
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

/** To leave the record of a change where its own object has no room: objects that go, and what is only a status. */
const standInRights = ({ operation, subresource }: Touch): readonly Right[] =>
  operation === 'delete' || subresource === 'status'
    ? [right('Namespace', ['get', 'patch'], 'the record of a change, if the object cannot carry it')]
    : [];

/** To know the cluster again: the uid of kube-system names its entries in the journal. */
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

/** To look at objects before a change, to change them, and to look at them afterwards. */
export const touchRights = (touches: readonly Touch[]): readonly Right[] => [
  ...objectRights(touches),
  ...touches.flatMap(standInRights),
];

/** To take such changes back. */
export const undoRights = (touches: readonly Touch[]): readonly Right[] => [
  ...objectRights(
    touches.map((touch) => ({ ...touch, operation: opposite[touch.operation] ?? touch.operation })),
  ),
  ...touches.flatMap(standInRights),
];

/** To find changes by the records in the cluster, where this machine's journal does not know them. */
export const recordRights: readonly Right[] = recordingKinds.map((kind) => ({
  ...right(kind, ['list'], 'records of changes, in annotations'),
  scope: 'cluster',
}));
