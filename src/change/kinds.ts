import type { ObjectRef } from '../facts/object-ref.ts';
import { groupVersionOf, pathOf, type Resource, type ResourceKind, resources } from '../facts/resource.ts';
import { ChangeRefused } from './change-refused.ts';

/** Kinds with a long life, which can carry the record of a change: undo searches them without journal. */
export const recordingKinds: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
  'Service',
  'Namespace',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'PodDisruptionBudget',
];

/** Every kind that a change may write. Not Secrets: no secret data can reach the journal. */
const kinds: ReadonlySet<string> = new Set([
  ...recordingKinds,
  'Pod',
  'ServiceAccount',
  'ReplicaSet',
  'CronJob',
  'Certificate',
  'Lease',
  'ClusterRole',
  'ClusterRoleBinding',
]);

/** True for a kind that a change may write. */
export const isChangeable = (kind: string): boolean => kinds.has(kind);

/** Returns the resource of a kind. Throws {@link ChangeRefused} for kinds that are never changed. */
export function changeableResource(kind: string): Resource {
  if (!isChangeable(kind)) throw new ChangeRefused(`objects of kind ${kind} are never changed`);
  return resources[kind as ResourceKind];
}

/** `apps/v1`, `v1`. */
export const apiVersionOf = (kind: string): string => groupVersionOf(changeableResource(kind));

/** The URL path of one object. */
export const objectPath = ({ kind, namespace, name }: ObjectRef): string =>
  pathOf(changeableResource(kind), namespace, name);
