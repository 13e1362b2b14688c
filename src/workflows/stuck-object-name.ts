import type { StuckObjectKind, StuckObjectName } from '../facts/stuck-object.ts';
import { CannotStart } from './with-cluster.ts';

/** Kinds as kubectl takes them. */
const kinds: Readonly<Record<string, StuckObjectKind>> = {
  deployment: 'Deployment',
  deployments: 'Deployment',
  deploy: 'Deployment',
  replicaset: 'ReplicaSet',
  replicasets: 'ReplicaSet',
  rs: 'ReplicaSet',
  statefulset: 'StatefulSet',
  statefulsets: 'StatefulSet',
  sts: 'StatefulSet',
  daemonset: 'DaemonSet',
  daemonsets: 'DaemonSet',
  ds: 'DaemonSet',
  job: 'Job',
  jobs: 'Job',
  pod: 'Pod',
  pods: 'Pod',
  po: 'Pod',
  namespace: 'Namespace',
  namespaces: 'Namespace',
  ns: 'Namespace',
  crd: 'CustomResourceDefinition',
  crds: 'CustomResourceDefinition',
  customresourcedefinition: 'CustomResourceDefinition',
  customresourcedefinitions: 'CustomResourceDefinition',
};

const clusterScoped: readonly StuckObjectKind[] = ['Namespace', 'CustomResourceDefinition'];

/** `deployment/cart` as an object. Throws {@link CannotStart}. */
export function stuckObjectName(typed: string, namespace: string): StuckObjectName {
  const [kindText = '', name = '', ...more] = typed.split('/');
  const kind = kinds[kindText.toLowerCase()];
  if (kind === undefined || name === '' || more.length > 0) {
    throw new CannotStart(
      `invalid --from "${typed}": must be KIND/NAME`,
      'KIND is deployment, replicaset, statefulset, daemonset, job, pod, namespace or crd.',
    );
  }
  return clusterScoped.includes(kind) ? { kind, name } : { kind, namespace, name };
}
