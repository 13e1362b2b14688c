/** Checks whose findings say why replicas answer wrongly: some of them, or all at this path. */
export const checksBehindResponses = [
  'replicas-disagree',
  'leader-gated-answer',
  'leader-lease-stale',
  'selector-covers-other-workload',
  'path-trailing-slash',
] as const;
