import { kindNamed } from '../../facts/resource.ts';
import { type StuckObjectKind, type StuckObjectName, stuckObjectKinds } from '../../facts/stuck-object.ts';
import { CannotStart } from '../cluster/with-cluster.ts';

const clusterScoped: readonly StuckObjectKind[] = ['Namespace', 'CustomResourceDefinition'];

/** Parses `deployment/cart`. Throws {@link CannotStart}. */
export function stuckObjectName(typed: string, namespace: string): StuckObjectName {
  const [kindText = '', name = '', ...more] = typed.split('/');
  const kind = kindNamed(kindText, stuckObjectKinds);
  if (kind === undefined || name === '' || more.length > 0) {
    throw new CannotStart(
      `invalid --from "${typed}": must be KIND/NAME`,
      'KIND is deployment, replicaset, statefulset, daemonset, job, pod, namespace or crd. For other kinds: kubectl webhook trace KIND/NAME --operation UPDATE',
    );
  }
  return clusterScoped.includes(kind) ? { kind, name } : { kind, namespace, name };
}
