import { responseFaultCheck } from './response-fault-check.ts';

export const responseVersionMismatch = responseFaultCheck({
  id: 'response-version-mismatch',
  title: 'Webhook responds in another version than requested',
  why: 'A response must have the apiVersion and kind of the review. Programs from before Kubernetes 1.22 respond in v1beta1, whatever the request.',
  advice:
    '[end] Respond with the apiVersion and the kind of the review. [end] If the program supports only some versions, list only these in `admissionReviewVersions` (in a CRD: `conversionReviewVersions`): `kubectl edit {kind} {configuration}`.',
  fault: 'version-mismatch',
  returned: 'a review of another version or kind than requested',
});
