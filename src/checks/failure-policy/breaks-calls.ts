/** Checks whose findings say why Pods of a backend are not made, not found or not ready. */
export const keepsPodsAway = [
  'selector-matches-no-pod',
  'workload-missing',
  'workload-scaled-to-zero',
  'workload-cannot-create-pods',
  'target-port-name-missing',
  'endpoints-only-terminating',
  'replica-unschedulable',
  'replica-volume-missing',
  'replica-image-pull-failing',
  'replica-config-error',
  'replica-init-stuck',
  'replica-out-of-memory',
  'replica-crash-looping',
  'replica-readiness-failing',
  'replica-node-not-ready',
  'replica-evicted',
  'replica-terminating-stuck',
  'bootstrap-deadlock',
  'deadlock-cycle',
] as const;

/**
 * Checks whose findings say why calls to a backend fail. What an outage comes to, or how near it is, is told under the
 * cause.
 */
export const breaksCalls = [
  'match-condition-broken',
  'orphaned-configuration',
  'service-namespace-missing',
  'service-missing',
  'service-port-missing',
  'service-headless',
  'service-external-name',
  'service-not-proxied',
  'url-in-cluster-name',
  ...keepsPodsAway,
  'selector-covers-other-workload',
  'endpoint-of-no-pod',
  'unready-addresses-published',
  'no-ready-endpoint',
  'certificate-not-issued',
  'ca-bundle-invalid',
  'ca-bundle-empty',
  'ca-bundle-expired',
] as const;
