/** Checks whose findings explain why a Pod does not run, or is unhealthy. */
export const notRunning = [
  'replica-unschedulable',
  'replica-volume-missing',
  'replica-image-pull-failing',
  'replica-config-error',
  'replica-init-stuck',
  'replica-out-of-memory',
  'process-cannot-start',
  'replica-crash-looping',
  'replica-readiness-failing',
  'replica-node-not-ready',
  'replica-evicted',
  'replica-terminating-stuck',
] as const;
