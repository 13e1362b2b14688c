import { kindNamed } from '../../facts/resource.ts';
import { type StuckObjectName, stuckObjectKinds } from '../../facts/stuck-object.ts';
import { CannotStart } from '../cluster/cannot-start.ts';

const clusterScoped: readonly string[] = ['Namespace', 'CustomResourceDefinition'];

/** Parses `deployment/cart`; another KIND stays as typed, for discovery to resolve. Throws {@link CannotStart}. */
export function stuckObjectName(typed: string, namespace: string): StuckObjectName {
  const [kindText = '', name = '', ...more] = typed.split('/');
  if (kindText === '' || name === '' || more.length > 0)
    throw new CannotStart(
      `invalid --from "${typed}": must be KIND/NAME`,
      'KIND is any resource, as in `kubectl get`: deployment, pod, namespace, certificates.cert-manager.io.',
    );
  const kind = kindNamed(kindText, stuckObjectKinds) ?? kindText;
  return clusterScoped.includes(kind) ? { kind, name } : { kind, namespace, name };
}
