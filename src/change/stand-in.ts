import type { ObjectRef } from '../facts/object-ref.ts';
import type { Step } from './plan.ts';

type Changing = Pick<Step, 'object' | 'operation' | 'path' | 'subresource'>;

const kinds = {
  deleted: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
  scaled: ['Deployment', 'StatefulSet', 'ReplicaSet'],
  triggered: ['Certificate'],
};

const hasNoRoom = ({ object: { kind }, operation, path, subresource }: Changing): boolean =>
  operation === 'scale'
    ? kinds.scaled.includes(kind) && (path ?? '/spec/replicas') === '/spec/replicas'
    : operation === 'patch'
      ? kinds.triggered.includes(kind) && subresource === 'status'
      : operation === 'delete' && kinds.deleted.includes(kind);

/**
 * The Namespace that carries the record of a step whose own object may have no room for one: it is deleted, or written
 * through a subresource alone. Of objects outside of namespaces it is kube-system. A record that says more about another
 * object, or stands elsewhere, counts for nothing: whoever may annotate a Namespace must not have anything changed that
 * is not theirs by those who take changes back.
 */
export function standInFor(step: Changing): ObjectRef | undefined {
  if (!hasNoRoom(step)) return undefined;
  return { kind: 'Namespace', name: step.object.namespace ?? 'kube-system' };
}
