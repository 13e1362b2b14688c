/** Checks whose findings explain why Pods respond incorrectly: some of them, or all at this path. */
export const checksBehindResponses = [
  'replicas-disagree',
  'leader-gated-answer',
  'leader-lease-stale',
  'selector-covers-other-workload',
  'path-trailing-slash',
  // Another process uses the port, and responds.
  'host-network-port-conflict',
] as const;
