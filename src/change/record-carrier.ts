import type { ObjectRef } from '../facts/object-ref.ts';
import type { Step } from './plan.ts';

type Changing = Pick<Step, 'object' | 'operation' | 'path' | 'subresource'>;

const kinds = {
  deleted: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
  scaled: ['Deployment', 'StatefulSet', 'ReplicaSet'],
  triggered: ['Certificate'],
  released: ['Lease'],
};

const hasNoRoom = ({ object: { kind }, operation, path, subresource }: Changing): boolean => {
  if (operation === 'scale')
    return kinds.scaled.includes(kind) && (path ?? '/spec/replicas') === '/spec/replicas';
  if (operation === 'delete') return kinds.deleted.includes(kind);
  if (operation !== 'patch') return false;
  return kinds.released.includes(kind)
    ? path === '/spec/holderIdentity'
    : kinds.triggered.includes(kind) && subresource === 'status';
};

/**
 * Returns the Namespace that carries the record of a step whose own object cannot: it is deleted, only a
 * subresource is written, or a search for records does not read its kind. For cluster-scoped objects it is
 * kube-system. Records that contain more about another object, or are in other places, are ignored: a user who may annotate a Namespace must not be able
 * to make others change, by an undo, objects that the user may not change.
 */
export function recordCarrierFor(step: Changing): ObjectRef | undefined {
  if (!hasNoRoom(step)) return undefined;
  return { kind: 'Namespace', name: step.object.namespace ?? 'kube-system' };
}
