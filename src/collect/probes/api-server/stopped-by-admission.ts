/**
 * A request for pods/proxy or pods/portforward is a CONNECT, which must pass admission first
 * (registry/core/pod/rest/subresources.go): its rejection proves nothing about the backend.
 */
const ofAdmission: readonly RegExp[] = [
  /^Internal error occurred: failed calling webhook "/,
  /^admission webhook ".*" denied the request/,
  / is forbidden: \[?expression '.*' resulted in error: /s,
  /ValidatingAdmissionPolicy '.*' (?:with binding '.*' )?denied request/,
  // The error of a MutatingAdmissionPolicy (enabled by default since 1.36), which starts without the name of
  // an object.
  /^policy '[^']*' (?:with binding '[^']*' )?denied request: /,
];

/** True if the API server reports that admission rejected the request. */
export const isStoppedByAdmission = (message: string): boolean =>
  ofAdmission.some((pattern) => pattern.test(message));
