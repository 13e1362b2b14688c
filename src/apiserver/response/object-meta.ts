import { any, bool, int64, list, map, string, struct } from '../go/shape.ts';

const ownerReference = struct('v1.OwnerReference', () => ({
  apiVersion: string(),
  kind: string(),
  name: string(),
  uid: string('types.UID'),
  controller: bool,
  blockOwnerDeletion: bool,
}));

/** metav1.ObjectMeta (apimachinery/pkg/apis/meta/v1/types.go); times and managedFields are not checked. */
export const objectMeta = struct('v1.ObjectMeta', () => ({
  name: string(),
  generateName: string(),
  namespace: string(),
  selfLink: string(),
  uid: string('types.UID'),
  resourceVersion: string(),
  generation: int64,
  creationTimestamp: any,
  deletionTimestamp: any,
  deletionGracePeriodSeconds: int64,
  labels: map(string()),
  annotations: map(string()),
  ownerReferences: list(ownerReference),
  finalizers: list(string()),
  managedFields: any,
}));
