import { aggregatedRow, denialRow, otherRow } from './row.ts';

/** Namespaces, owned objects and Pods that are deleted or evicted. */
export const deletionTexts = [
  otherRow('owner-not-found', 'backend', {
    pattern: /OwnerRefInvalidNamespace|ownerRef \[.{1,400}\] does not exist in namespace/,
    says: 'reason="OwnerRefInvalidNamespace" message="ownerRef [example.com/v1/App, namespace: shop, name: policy, uid: 1] does not exist in namespace \\"shop\\""',
    means:
      'The object has an owner reference to an object that does not exist in its namespace, so the garbage collector deletes it. It also deletes a Deployment or Service of a webhook. Correct or remove `metadata.ownerReferences`.',
    next: ['kubectl get events -A --field-selector reason=OwnerRefInvalidNamespace'],
  }),
  otherRow('namespace-terminating', 'backend', {
    pattern: /unable to create new content in namespace [\w-]+ because it is being terminated/,
    says: 'pods "policy-0" is forbidden: unable to create new content in namespace shop because it is being terminated',
    means: 'The namespace is being deleted: no object can be created in it, and no Pod of a webhook.',
    next: ['kubectl get namespace NAMESPACE -o yaml'],
  }),
  otherRow('finalizers-remain', 'effect', {
    pattern:
      /content in the namespace has finalizers remaining|^(?!.*(?:DiscoveryFailed|ContentDeletionFailed)).*Some resources are remaining: /s,
    says: 'Some content in the namespace has finalizers remaining: example.com/cleanup in 1 resource instances',
    means:
      'Objects in the namespace still have a finalizer. Its controller does not run, or cannot remove it, for example because a webhook denies the UPDATE.',
    next: ['kubectl get namespace NAMESPACE -o yaml'],
  }),
  aggregatedRow('namespace-discovery-failed', 'effect', {
    pattern:
      /(?<!\btype"?: "?)(?:NamespaceDeletion(?:Discovery|Content)Failure|NamespaceContentRemaining)\b(?!"?\s+False)|Discovery failed for some groups|Failed to delete all resource types|ensuring all content is removed from this namespace/,
    says: 'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
    means:
      'The namespace stays in Terminating: an APIService is not available, or a webhook refuses the deletion of its objects.',
  }),
  otherRow('eviction-refused', 'effect', {
    pattern: /Cannot evict pod as it would violate the pod's disruption budget|\bblocked by pdb \S/,
    says: "Cannot evict pod as it would violate the pod's disruption budget.",
    means: 'The PodDisruptionBudget allows no eviction now. A drain waits until it allows one.',
  }),
  denialRow('eviction-denied', 'effect', {
    pattern: /\b[Dd]en(?:y|ied|ying)\b.{0,80}\bevict(?:ion|ing)\b|\beviction\b.{0,80}\b[Dd]enied\b/,
    says: 'Denying request for eviction of Pod kafka-0 in namespace kafka',
    means:
      'A webhook denies the eviction of a Pod, often by design, so that its operator moves the Pod. kubectl drain retries only a 429. Any other denial stops the drain, and an upgrade of the node fails or waits.',
    next: ['kubectl get pods -A --field-selector spec.nodeName=NODE'],
  }),
];
