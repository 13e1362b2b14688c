/**
 * Expressions of `matchConditions` for advice. An operation without the field, such as a DELETE, whose `object` is null,
 * must not fail: the API server would refuse the request.
 */

/** Exempts mirror Pods of static Pods. */
export const notMirrorPod =
  'request.operation != "CREATE" || !has(object.metadata.annotations) || !("kubernetes.io/config.mirror" in object.metadata.annotations)';

/** Exempts updates of objects in deletion, such as the removal of a finalizer. */
export const notInDeletion = 'request.operation != "UPDATE" || !has(object.metadata.deletionTimestamp)';
