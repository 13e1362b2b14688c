import { responseFaultCheck } from './response-fault-check.ts';

export const responseVersionMismatch = responseFaultCheck({
  id: 'response-version-mismatch',
  title: 'Webhook responds in another version than requested',
  why: 'A response must have the apiVersion and kind of the review. Programs from before Kubernetes 1.22 respond in v1beta1, whatever the request.',
  advice:
    '[end] List only the versions in which the program responds in `admissionReviewVersions` (in a CRD: `conversionReviewVersions`): `kubectl edit {kind} {configuration}`. [end] Or use a version of the program that responds with the apiVersion and kind of the request.',
  fault: 'version-mismatch',
  returned: 'a review of another version or kind than requested',
  shortened: (detail) =>
    detail.replace(
      /^converting \((v\w+)\.(\w+)\) to \((v\w+)\.\2\): unknown conversion$/,
      '$2 in $1 instead of $3',
    ),
});
