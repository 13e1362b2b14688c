/**
 * An extension API server (k8s.io/apiserver) that calls a version of TokenReview or SubjectAccessReview which the cluster
 * does not serve. It refuses every request, also to its health endpoints.
 */
export const unservedReview =
  /Failed to make webhook (?<by>authenticator|authorizer) request: the server could not find the requested resource/;

/** The resource that an authenticator or authorizer creates. */
export const reviewOf = (by: string): string => (by === 'authorizer' ? 'SubjectAccessReview' : 'TokenReview');
