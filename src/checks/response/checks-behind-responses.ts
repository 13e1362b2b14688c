/** Checks whose findings say why replicas answer wrongly: some of them, or all at this path. */
export const checksBehindResponses = [
  'replicas-disagree',
  'leader-gated-answer',
  'leader-lease-stale',
  'selector-covers-other-workload',
  'path-trailing-slash',
  // Another process has the port, and responds at it.
  'host-network-port-conflict',
] as const;
