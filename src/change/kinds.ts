import { pathOf, type Resource } from '../collect/resource.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import { ChangeRefused } from './change-refused.ts';

const of = (apiVersion: string, plural: string): Resource => {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? { group: '', version: group, plural } : { group, version, plural };
};

/** Every kind that a change may touch. Secrets are none: nothing secret can reach the journal. */
const kinds: Readonly<Record<string, Resource>> = {
  ValidatingWebhookConfiguration: of('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'),
  MutatingWebhookConfiguration: of('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'),
  CustomResourceDefinition: of('apiextensions.k8s.io/v1', 'customresourcedefinitions'),
  APIService: of('apiregistration.k8s.io/v1', 'apiservices'),
  Service: of('v1', 'services'),
  Namespace: of('v1', 'namespaces'),
  Pod: of('v1', 'pods'),
  ServiceAccount: of('v1', 'serviceaccounts'),
  Deployment: of('apps/v1', 'deployments'),
  StatefulSet: of('apps/v1', 'statefulsets'),
  DaemonSet: of('apps/v1', 'daemonsets'),
  ReplicaSet: of('apps/v1', 'replicasets'),
  CronJob: of('batch/v1', 'cronjobs'),
  PodDisruptionBudget: of('policy/v1', 'poddisruptionbudgets'),
  Certificate: of('cert-manager.io/v1', 'certificates'),
  ClusterRole: of('rbac.authorization.k8s.io/v1', 'clusterroles'),
  ClusterRoleBinding: of('rbac.authorization.k8s.io/v1', 'clusterrolebindings'),
};

/** Kinds that live long enough to carry the record of a change: where undo looks without a journal. */
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

/** True for a kind that a change may touch. */
export const isChangeable = (kind: string): boolean => Object.hasOwn(kinds, kind);

/** The resource of a kind. Throws {@link ChangeRefused} for what is never changed. */
export function resourceOf(kind: string): Resource {
  const resource = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (resource === undefined) throw new ChangeRefused(`objects of kind ${kind} are never changed`);
  return resource;
}

/** `apps/v1`, `v1`. */
export const apiVersionOf = (kind: string): string => {
  const { group, version } = resourceOf(kind);
  return group === '' ? version : `${group}/${version}`;
};

/** The URL path of one object. */
export const objectPath = ({ kind, namespace, name }: ObjectRef): string =>
  pathOf(resourceOf(kind), namespace, name);
