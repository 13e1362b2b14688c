/**
 * A way through the API server (pods/proxy, services/proxy, pods/portforward) is a CONNECT, about which admission is
 * asked first (registry/core/pod/rest/subresources.go): its words say nothing about the backend.
 */
const ofAdmission: readonly RegExp[] = [
  /^Internal error occurred: failed calling webhook "/,
  /^admission webhook ".*" denied the request/,
  / is forbidden: \[?expression '.*' resulted in error: /s,
  /ValidatingAdmissionPolicy '.*' (?:with binding '.*' )?denied request/,
  // A MutatingAdmissionPolicy (from 1.36 on by default): no object is named before it.
  /^policy '[^']*' (?:with binding '[^']*' )?denied request: /,
];

/** True for the API server's word that admission stopped the way. */
export const isStoppedByAdmission = (message: string): boolean =>
  ofAdmission.some((pattern) => pattern.test(message));
