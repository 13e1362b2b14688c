import { isClusterScoped, type Permission, type Verb } from '../facts/resource.ts';
import { changeableResource, recordingKinds } from './kinds.ts';
import type { ChangeOperation, Touch } from './plan.ts';

/** Changes of fields, replicas and restarts are patches of the object, which also write the record. */
const verbOf: Readonly<Record<ChangeOperation, Verb>> = {
  patch: 'patch',
  scale: 'patch',
  restart: 'patch',
  create: 'create',
  delete: 'delete',
};

const opposite: Partial<Record<ChangeOperation, ChangeOperation>> = { create: 'delete', delete: 'create' };

function permission(kind: string, verbs: readonly Verb[], use: string, subresource?: 'status'): Permission {
  const { group, plural } = changeableResource(kind);
  const scope = isClusterScoped(kind) ? 'cluster' : 'backends';
  return {
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    verbs,
    scope,
    use,
  };
}

/** Permissions to write the record of a change to another object: for deleted objects and status changes. */
const carrierPermissions = ({ operation, subresource }: Touch): readonly Permission[] =>
  operation === 'delete' || subresource === 'status'
    ? [permission('Namespace', ['get', 'patch'], 'the record of a change, if the object cannot carry it')]
    : [];

/** Permissions to identify the cluster: the journal uses the uid of kube-system. */
export const identityPermissions: readonly Permission[] = [
  permission('Namespace', ['get'], 'the uid of kube-system, which identifies the cluster in the journal'),
];

const objectPermissions = (touches: readonly Touch[]): readonly Permission[] =>
  touches.flatMap(({ operation, kinds, subresource }) =>
    kinds.flatMap((kind) => [
      permission(kind, ['get'], 'the object before and after a change'),
      permission(kind, [verbOf[operation]], 'the change', subresource),
    ]),
  );

/** Permissions to read objects before a change, to change them, and to read them afterwards. */
export const touchPermissions = (touches: readonly Touch[]): readonly Permission[] => [
  ...objectPermissions(touches),
  ...touches.flatMap(carrierPermissions),
];

/** Permissions to undo such changes. */
export const undoPermissions = (touches: readonly Touch[]): readonly Permission[] => [
  ...objectPermissions(
    touches.map((touch) => ({ ...touch, operation: opposite[touch.operation] ?? touch.operation })),
  ),
  ...touches.flatMap(carrierPermissions),
];

/** Permissions to find changes by records in the cluster, if this machine's journal lacks them. */
export const recordPermissions: readonly Permission[] = recordingKinds.map((kind) => ({
  ...permission(kind, ['list'], 'records of changes, in annotations'),
  scope: 'cluster',
}));
