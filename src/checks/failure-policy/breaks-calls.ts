/**
 * Checks whose findings say why calls to a backend fail. What an outage comes to, or how near it is, is told under the
 * cause.
 */
export const breaksCalls = [
  'service-namespace-missing',
  'service-missing',
  'service-port-missing',
  'service-headless',
  'service-external-name',
  'service-not-proxied',
  'selector-matches-no-pod',
  'workload-missing',
  'workload-scaled-to-zero',
  'workload-cannot-create-pods',
  'target-port-name-missing',
  'endpoint-of-no-pod',
  'unready-addresses-published',
  'endpoints-only-terminating',
  'no-ready-endpoint',
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
] as const;
